/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what Home Assistant sees of a zone: a sensor with the number of objects, one that
 * says whether there are any, an event entity, and device triggers for automations; of a
 * line a sensor for each direction. Events that may have come before trigger nothing. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "send/discovery.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "send/names.h"

#define ROOT "homeassistant"

/* Returns: (transfer full): the name of a stream as a device */
gchar *
gst_y10_discovery_make_device (const gchar *prefix, const gchar *stream)
{
  static const gchar *const in_prefix[] = { "_", NULL };
  static const gchar *const in_stream[] = { "_zone_", "_line_", NULL };
  gchar *first = gst_y10_name_to_id (prefix, in_prefix),
        *second = gst_y10_name_to_id (stream, in_stream);
  gchar *device = g_strdup_printf ("y10_%s_%s", first, second);

  g_free (first);
  g_free (second);
  return device;
}

static void
add (JsonBuilder *builder, const gchar *name, const gchar *text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_owner (JsonBuilder *builder, const GstY10Discovery *self,
    const gchar *device)
{
  json_builder_set_member_name (builder, "device");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "identifiers");
  json_builder_begin_array (builder);
  json_builder_add_string_value (builder, device);
  json_builder_end_array (builder);
  add (builder, "name", self->stream);
  add (builder, "manufacturer", PACKAGE);
  add (builder, "model", "yolov10publish");
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "origin");
  json_builder_begin_object (builder);
  add (builder, "name", PACKAGE);
  add (builder, "sw_version", PACKAGE_VERSION);
  json_builder_end_object (builder);
}

/* A name as a string in a template, whose escapes are those of JSON. */
static gchar *
quote (const gchar *name)
{
  JsonNode *node = json_node_init_string (json_node_alloc (), name);
  gchar *text = json_to_string (node, FALSE);

  json_node_unref (node);
  return text;
}

/* What is told of one thing, and where to. */
typedef struct
{
  const gchar *component; /* kind of entity */
  const gchar *suffix;    /* of its id */
  JsonBuilder *builder;
} Entity;

static Entity
begin (const gchar *component, const gchar *suffix)
{
  Entity entity = { component, suffix, json_builder_new () };

  json_builder_begin_object (entity.builder);
  return entity;
}

/* Sends the entity and frees it. */
static void
end (Entity *entity, const GstY10Discovery *self, GstY10StateFunc send,
    gpointer user)
{
  const gboolean is_trigger = !strcmp (entity->component, "device_automation");
  gchar *name = gst_y10_name_to_id (self->name, NULL);
  gchar *device = gst_y10_discovery_make_device (self->prefix, self->stream);
  gchar *id = g_strdup_printf ("%s_%s_%s", self->is_line ? "line" : "zone",
      name, entity->suffix);
  gchar *unique = g_strdup_printf ("%s_%s", device, id);
  gchar *topic = g_strdup_printf (ROOT "/%s/%s/%s/config", entity->component,
      device, id);
  JsonNode *root;
  gchar *text;

  if (!is_trigger) {
    add (entity->builder, "unique_id", unique);
    add (entity->builder, "availability_topic", self->presence);
  }
  add_owner (entity->builder, self, device);
  json_builder_end_object (entity->builder);
  root = json_builder_get_root (entity->builder);
  text = json_to_string (root, FALSE);
  send (topic, text, strlen (text), user);
  g_free (text);
  json_node_unref (root);
  g_object_unref (entity->builder);
  g_free (topic);
  g_free (unique);
  g_free (id);
  g_free (device);
  g_free (name);
}

/* A name like "yard occupancy". */
static void
add_name (JsonBuilder *builder, const GstY10Discovery *self, const gchar *what)
{
  gchar *name = g_strdup_printf ("%s %s", self->name, what);

  add (builder, "name", name);
  g_free (name);
}

static void
send_occupancy (const GstY10Discovery *self, GstY10StateFunc send,
    gpointer user)
{
  Entity entity = begin ("sensor", "occupancy");

  add_name (entity.builder, self, "occupancy");
  add (entity.builder, "state_topic", self->state);
  add (entity.builder, "state_class", "measurement");
  end (&entity, self, send, user);
}

static void
send_occupied (const GstY10Discovery *self, GstY10StateFunc send, gpointer user)
{
  Entity entity = begin ("binary_sensor", "occupied");

  add_name (entity.builder, self, "occupied");
  add (entity.builder, "device_class", "occupancy");
  add (entity.builder, "state_topic", self->state);
  add (entity.builder, "value_template",
      "{{ 'ON' if value | int(0) > 0 else 'OFF' }}");
  end (&entity, self, send, user);
}

static const gchar *const kinds[] = { "enter", "leave", "dwell", "occupancy" };

static void
send_event (const GstY10Discovery *self, GstY10StateFunc send, gpointer user)
{
  Entity entity = begin ("event", "event");
  gchar *zone = quote (self->name);
  gchar *template = g_strdup_printf (
      "{%% if value_json.zone == %s and not value_json.replayed %%}"
      "{{ {'event_type': value_json.event, 'id': value_json.id | default(none), "
      "'label': value_json.label | default(none), 'count': value_json.count, "
      "'duration': value_json.duration | default(none), "
      "'utc': value_json.utc | default(none)} | to_json }}"
      "{%% endif %%}",
      zone);

  add_name (entity.builder, self, "event");
  add (entity.builder, "state_topic", self->events);
  json_builder_set_member_name (entity.builder, "event_types");
  json_builder_begin_array (entity.builder);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    json_builder_add_string_value (entity.builder, kinds[i]);
  json_builder_end_array (entity.builder);
  add (entity.builder, "value_template", template);
  end (&entity, self, send, user);
  g_free (template);
  g_free (zone);
}

static void
send_trigger (const GstY10Discovery *self, const gchar *kind,
    GstY10StateFunc send, gpointer user)
{
  Entity entity = begin ("device_automation", kind);
  gchar *zone = quote (self->name);
  gchar *template = g_strdup_printf (
      "{%% if value_json.zone == %s and not value_json.replayed %%}"
      "{{ value_json.event }}{%% endif %%}",
      zone);

  add (entity.builder, "automation_type", "trigger");
  add (entity.builder, "type", kind);
  add (entity.builder, "subtype", self->name);
  add (entity.builder, "topic", self->events);
  add (entity.builder, "payload", kind);
  add (entity.builder, "value_template", template);
  end (&entity, self, send, user);
  g_free (template);
  g_free (zone);
}

static void
send_crossings (const GstY10Discovery *self, const gchar *direction,
    GstY10StateFunc send, gpointer user)
{
  Entity entity = begin ("sensor", direction);
  gchar *template = g_strdup_printf ("{{ value_json['%s'] }}", direction);

  add_name (entity.builder, self, direction);
  add (entity.builder, "state_topic", self->state);
  add (entity.builder, "state_class", "total_increasing");
  add (entity.builder, "value_template", template);
  end (&entity, self, send, user);
  g_free (template);
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
