/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A camera's settings as JSON. A request has the members that it changes, null for the
 * default, and nothing else: what is not known is a typing error. All of it is checked
 * before any of it is applied. A source comes in here, and out nowhere. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>
#include <y10/y10.h>

#include "base/json-text.h"
#include "base/json.h"
#include "base/text.h"
#include "serve/change.h"

#define MOST_SHOWN 64 /* bytes of a name */
#define FIELDS \
  "name, source, transport, fingerprint, stream, classes, confidence, tiles, zones, " \
  "privacy"

/* Always FALSE. */
static gboolean
refuse (const char *name, JsonNode *node, const char *expected, GError **error)
{
  char *found = y10_json_to_text (node, FALSE);

  if (g_utf8_strlen (found, -1) > 60)
    strcpy (g_utf8_offset_to_pointer (found, 56), "…");
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s is %s; expected %s", name, found, expected);
  g_free (found);
  return FALSE;
}

static gboolean
holds (JsonNode *node, GType type)
{
  return JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == type;
}

static gboolean
read_text (const char *name, JsonNode *node, char **text, GError **error)
{
  if (JSON_NODE_HOLDS_NULL (node)) {
    g_clear_pointer (text, g_free);
    return TRUE;
  }
  if (!holds (node, G_TYPE_STRING)) {
    if (strcmp (name, "source") != 0)
      return refuse (name, node, "text", error);
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the source is no text");
    return FALSE;
  }
  g_free (*text);
  *text = g_strstrip (json_node_dup_string (node));
  return TRUE;
}

static gboolean
read_stream (JsonNode *node, guint *stream, GError **error)
{
  const gint64 found = holds (node, G_TYPE_INT64) ? json_node_get_int (node)
                                                  : 0;

  *stream = (guint) CLAMP (found, 0, SERVE_MOST_STREAMS);
  return JSON_NODE_HOLDS_NULL (node)
      || (found >= 1 && found <= SERVE_MOST_STREAMS)
      || refuse ("stream", node, "a number from 1 to 64, or null", error);
}

static gboolean
read_confidence (JsonNode *node, double *value, GError **error)
{
  *value = 0;
  if (JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (holds (node, G_TYPE_DOUBLE) || holds (node, G_TYPE_INT64))
    *value = json_node_get_double (node);
  return (*value > 0 && *value <= 1)
      || refuse ("confidence", node, "a number above 0, at most 1, or null",
          error);
}

/* As JSON or as text, both as the element takes it. */
static gboolean
read_zones (JsonNode *node, char **zones, GError **error)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return (JSON_NODE_HOLDS_NULL (node) || holds (node, G_TYPE_STRING))
        ? read_text ("zones", node, zones, error)
        : refuse ("zones", node,
            "an object with version, zones and lines, text, or null", error);
  g_free (*zones);
  *zones = y10_json_to_text (node, FALSE);
  return TRUE;
}

static gboolean
read_privacy (JsonNode *node, ServeCameraConfig *camera, GError **error)
{
  if (!holds (node, G_TYPE_BOOLEAN))
    return refuse ("privacy", node, "true or false", error);
  camera->privacy = json_node_get_boolean (node);
  return TRUE;
}

static gboolean
read_member (const char *name, JsonNode *node, ServeCameraConfig *camera,
    GError **error)
{
  if (!strcmp (name, "name"))
    return read_text (name, node, &camera->name, error);
  if (!strcmp (name, "source"))
    return read_text (name, node, &camera->source, error);
  if (!strcmp (name, "transport"))
    return read_text (name, node, &camera->transport, error);
  if (!strcmp (name, "fingerprint"))
    return read_text (name, node, &camera->fingerprint, error);
  if (!strcmp (name, "stream"))
    return read_stream (node, &camera->stream, error);
  if (!strcmp (name, "classes"))
    return read_text (name, node, &camera->classes, error);
  if (!strcmp (name, "tiles"))
    return read_text (name, node, &camera->tiles, error);
  if (!strcmp (name, "confidence"))
    return read_confidence (node, &camera->confidence, error);
  if (!strcmp (name, "zones"))
    return read_zones (node, &camera->zones, error);
  if (!strcmp (name, "privacy"))
    return read_privacy (node, camera, error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "found the field '%.*s'; expected some of " FIELDS,
      y10_text_fit (name, MOST_SHOWN), name);
  return FALSE;
}

ServeCameraConfig *
serve_change_read (const ServeConfig *config, const ServeCameraConfig *camera,
    JsonObject *members, GError **error)
{
  ServeCameraConfig *changed = serve_camera_config_copy (camera);
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  gboolean ok = TRUE;

  json_object_iter_init (&iter, members);
  while (ok && json_object_iter_next (&iter, &name, &node))
    ok = read_member (name, node, changed, error);
  if (ok && serve_config_check (config, changed, error))
    return changed;
  serve_camera_config_free (changed);
  return NULL;
}

char *
serve_change_list (const ServeCameraConfig *camera,
    const ServeCameraConfig *before)
{
  const struct
  {
    const char *name;
    gboolean differs;
  } fields[] = {
    { "name", g_strcmp0 (camera->name, before->name) != 0 },
    { "source", g_strcmp0 (camera->source, before->source) != 0 },
    { "classes", g_strcmp0 (camera->classes, before->classes) != 0 },
    { "confidence",
        camera->confidence < before->confidence
            || camera->confidence > before->confidence },
    { "tiles", g_strcmp0 (camera->tiles, before->tiles) != 0 },
    { "zones", g_strcmp0 (camera->zones, before->zones) != 0 },
    { "privacy", camera->privacy != before->privacy },
  };
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (fields[i].differs)
      g_string_append_printf (list, "%s%s", list->len ? ", " : "",
          fields[i].name);
  return g_string_free (list, FALSE);
}

static void
write_zones (JsonBuilder *builder, const char *zones)
{
  JsonNode *node = zones && *zones == '{' ? json_from_string (zones, NULL)
                                          : NULL;

  if (!node) {
    tool_json_string (builder, "zones", zones);
    return;
  }
  json_builder_set_member_name (builder, "zones");
  json_builder_add_value (builder, node);
}

void
serve_change_write (JsonBuilder *builder, const ServeCameraConfig *camera)
{
  tool_json_string (builder, "transport", camera->transport);
  tool_json_string (builder, "fingerprint", camera->fingerprint);
  if (camera->stream) {
    tool_json_int (builder, "stream", camera->stream);
  } else {
    json_builder_set_member_name (builder, "stream");
    json_builder_add_null_value (builder);
  }
  tool_json_string (builder, "classes", camera->classes);
  if (camera->confidence > 0) {
    tool_json_double (builder, "confidence", camera->confidence);
  } else {
    json_builder_set_member_name (builder, "confidence");
    json_builder_add_null_value (builder);
  }
  tool_json_string (builder, "tiles", camera->tiles);
  write_zones (builder, camera->zones);
  tool_json_bool (builder, "privacy", camera->privacy);
}

#endif
