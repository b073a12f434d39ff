/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what Home Assistant sees of a zone: a sensor with the number of objects, one that
 * says whether there are any, an event entity, and device triggers for automations; of a
 * line a sensor for each direction. Events that may have come before trigger nothing. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "send/discovery.h"

#include <string.h>

#include "base/json.h"
#include "send/names.h"

#define ROOT "homeassistant"

/* Returns: (transfer full): the name of a stream as a device */
gchar *
gst_y10_discovery_make_device (const gchar *prefix, const gchar *stream)
{
  static const gchar *const in_prefix[] = { "_", NULL };
  static const gchar *const in_stream[] = { "_zone_", "_line_", NULL };
  g_autofree gchar *first = gst_y10_name_to_id (prefix, in_prefix),
                   *second = gst_y10_name_to_id (stream, in_stream);

  return g_strdup_printf ("y10_%s_%s", first, second);
}

static void
add_owner (GString *json, const GstY10Discovery *self, const gchar *device)
{
  y10_json_open (json, "device", '{');
  y10_json_open (json, "identifiers", '[');
  y10_json_add_string (json, NULL, device);
  y10_json_close (json, ']');
  y10_json_add_string (json, "name", self->stream);
  y10_json_add_string (json, "manufacturer", PACKAGE);
  y10_json_add_string (json, "model", "yolov10publish");
  y10_json_close (json, '}');
  y10_json_open (json, "origin", '{');
  y10_json_add_string (json, "name", PACKAGE);
  y10_json_add_string (json, "sw_version", PACKAGE_VERSION);
  y10_json_close (json, '}');
}

/* A name as a string in a template, whose escapes are those of JSON. */
static gchar *
quote (const gchar *name)
{
  GString *text = g_string_new (NULL);

  y10_json_append_string (text, name);
  return g_string_free (text, FALSE);
}

/* What is told of one thing, and where to. */
typedef struct
{
  const gchar *component; /* kind of entity */
  const gchar *suffix;    /* of its id */
  GString *json;
} Entity;

static Entity
begin (const gchar *component, const gchar *suffix)
{
  Entity entity = { component, suffix, g_string_new (NULL) };

  y10_json_open (entity.json, NULL, '{');
  return entity;
}

/* Sends the entity and frees it. */
static void
end (Entity *entity, const GstY10Discovery *self, GstY10StateFunc send,
    gpointer user)
{
  const gboolean is_trigger = !strcmp (entity->component, "device_automation");
  g_autofree gchar *name = gst_y10_name_to_id (self->name, NULL);
  g_autofree gchar *device = gst_y10_discovery_make_device (self->prefix,
      self->stream);
  g_autofree gchar *id = g_strdup_printf ("%s_%s_%s",
      self->is_line ? "line" : "zone", name, entity->suffix);
  g_autofree gchar *unique = g_strdup_printf ("%s_%s", device, id);
  g_autofree gchar *topic = g_strdup_printf (ROOT "/%s/%s/%s/config",
      entity->component, device, id);

  if (!is_trigger) {
    y10_json_add_string (entity->json, "unique_id", unique);
    y10_json_add_string (entity->json, "availability_topic", self->presence);
  }
  add_owner (entity->json, self, device);
  y10_json_close (entity->json, '}');
  send (topic, entity->json->str, entity->json->len, user);
  g_string_free (entity->json, TRUE);
}

/* A name like "yard occupancy". */
static void
add_name (GString *json, const GstY10Discovery *self, const gchar *what)
{
  g_autofree gchar *name = g_strdup_printf ("%s %s", self->name, what);

  y10_json_add_string (json, "name", name);
}

static void
send_occupancy (const GstY10Discovery *self, GstY10StateFunc send,
    gpointer user)
{
  Entity entity = begin ("sensor", "occupancy");

  add_name (entity.json, self, "occupancy");
  y10_json_add_string (entity.json, "state_topic", self->state);
  y10_json_add_string (entity.json, "state_class", "measurement");
  end (&entity, self, send, user);
}

static void
send_occupied (const GstY10Discovery *self, GstY10StateFunc send, gpointer user)
{
  Entity entity = begin ("binary_sensor", "occupied");

  add_name (entity.json, self, "occupied");
  y10_json_add_string (entity.json, "device_class", "occupancy");
  y10_json_add_string (entity.json, "state_topic", self->state);
  y10_json_add_string (entity.json, "value_template",
      "{{ 'ON' if value | int(0) > 0 else 'OFF' }}");
  end (&entity, self, send, user);
}

static const gchar *const kinds[] = { "enter", "leave", "dwell", "occupancy" };

static void
send_event (const GstY10Discovery *self, GstY10StateFunc send, gpointer user)
{
  Entity entity = begin ("event", "event");
  g_autofree gchar *zone = quote (self->name);
  g_autofree gchar *template = g_strdup_printf (
      "{%% if value_json.zone == %s and not value_json.replayed %%}"
      "{{ {'event_type': value_json.event, 'id': value_json.id | default(none), "
      "'label': value_json.label | default(none), 'count': value_json.count, "
      "'duration': value_json.duration | default(none), "
      "'utc': value_json.utc | default(none)} | to_json }}"
      "{%% endif %%}",
      zone);

  add_name (entity.json, self, "event");
  y10_json_add_string (entity.json, "state_topic", self->events);
  y10_json_open (entity.json, "event_types", '[');
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    y10_json_add_string (entity.json, NULL, kinds[i]);
  y10_json_close (entity.json, ']');
  y10_json_add_string (entity.json, "value_template", template);
  end (&entity, self, send, user);
}

static void
send_trigger (const GstY10Discovery *self, const gchar *kind,
    GstY10StateFunc send, gpointer user)
{
  Entity entity = begin ("device_automation", kind);
  g_autofree gchar *zone = quote (self->name);
  g_autofree gchar *template = g_strdup_printf (
      "{%% if value_json.zone == %s and not value_json.replayed %%}"
      "{{ value_json.event }}{%% endif %%}",
      zone);

  y10_json_add_string (entity.json, "automation_type", "trigger");
  y10_json_add_string (entity.json, "type", kind);
  y10_json_add_string (entity.json, "subtype", self->name);
  y10_json_add_string (entity.json, "topic", self->events);
  y10_json_add_string (entity.json, "payload", kind);
  y10_json_add_string (entity.json, "value_template", template);
  end (&entity, self, send, user);
}

static void
send_crossings (const GstY10Discovery *self, const gchar *direction,
    GstY10StateFunc send, gpointer user)
{
  Entity entity = begin ("sensor", direction);
  g_autofree gchar *template = g_strdup_printf ("{{ value_json['%s'] }}",
      direction);

  add_name (entity.json, self, direction);
  y10_json_add_string (entity.json, "state_topic", self->state);
  y10_json_add_string (entity.json, "state_class", "total_increasing");
  y10_json_add_string (entity.json, "value_template", template);
  end (&entity, self, send, user);
}

/**
 * gst_y10_discovery_send:
 * @self: a zone or a line
 * @send: sends a message that the broker keeps
 * @user: passed to @send
 *
 * Announces a zone or a line.
 */
void
gst_y10_discovery_send (const GstY10Discovery *self, GstY10StateFunc send,
    gpointer user)
{
  if (self->is_line) {
    send_crossings (self, "in", send, user);
    send_crossings (self, "out", send, user);
    return;
  }
  send_occupancy (self, send, user);
  send_occupied (self, send, user);
  send_event (self, send, user);
  send_trigger (self, "enter", send, user);
  send_trigger (self, "dwell", send, user);
}
