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

#define MAX_SHOWN 64 /* bytes of a name */

/* Always FALSE. */
static gboolean
refuse (const char *name, JsonNode *node, const char *expected, GError **error)
{
  g_autofree char *found = y10_json_to_text (node, FALSE);

  if (g_utf8_strlen (found, -1) > 60)
    strcpy (g_utf8_offset_to_pointer (found, 56), "…");
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s is %s; expected %s", name, found, expected);
  return FALSE;
}

static gboolean
holds (JsonNode *node, GType type)
{
  return JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == type;
}

static gboolean
read_text (const ToolSetting *s, JsonNode *node, char **text, GError **error)
{
  if (JSON_NODE_HOLDS_NULL (node)) {
    g_clear_pointer (text, g_free);
    return TRUE;
  }
  if (holds (node, G_TYPE_STRING)) {
    g_free (*text);
    *text = g_strstrip (json_node_dup_string (node));
    return TRUE;
  }
  if (!(s->flags & TOOL_SETTING_SECRET))
    return refuse (s->name, node, "text", error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "the %s is no text", s->name);
  return FALSE;
}

/* As JSON or as text, both as the element takes it. */
static gboolean
read_json (const ToolSetting *s, JsonNode *node, char **text, GError **error)
{
  g_autofree char *expected = g_strconcat (s->form, ", text, or null", NULL);

  if (JSON_NODE_HOLDS_NULL (node) || holds (node, G_TYPE_STRING))
    return read_text (s, node, text, error);
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return refuse (s->name, node, expected, error);
  g_free (*text);
  *text = y10_json_to_text (node, FALSE);
  return TRUE;
}

static gboolean
read_count (const ToolSetting *s, JsonNode *node, guint *count, GError **error)
{
  const gint64 found = holds (node, G_TYPE_INT64) ? json_node_get_int (node)
                                                  : 0;
  g_autofree char *expected = g_strdup_printf ("a number from 1 to %u, or null",
      s->most);

  *count = (guint) CLAMP (found, 0, s->most);
  return JSON_NODE_HOLDS_NULL (node) || (found >= 1 && found <= s->most)
      || refuse (s->name, node, expected, error);
}

static gboolean
read_share (const ToolSetting *s, JsonNode *node, double *value, GError **error)
{
  *value = 0;
  if (JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (holds (node, G_TYPE_DOUBLE) || holds (node, G_TYPE_INT64))
    *value = json_node_get_double (node);
  return (*value > 0 && *value <= 1)
      || refuse (s->name, node, "a number above 0, at most 1, or null", error);
}

static gboolean
read_setting (const ToolSetting *s, JsonNode *node, ToolCameraSettings *camera,
    GError **error)
{
  switch (s->kind) {
    case TOOL_SETTING_JSON:
      return read_json (s, node, &TOOL_SETTING (camera, s, char *), error);
    case TOOL_SETTING_COUNT:
      return read_count (s, node, &TOOL_SETTING (camera, s, guint), error);
    case TOOL_SETTING_SHARE:
      return read_share (s, node, &TOOL_SETTING (camera, s, double), error);
    case TOOL_SETTING_SWITCH:
      if (!holds (node, G_TYPE_BOOLEAN))
        return refuse (s->name, node, "true or false", error);
      TOOL_SETTING (camera, s, gboolean) = json_node_get_boolean (node);
      return TRUE;
    default:
      return read_text (s, node, &TOOL_SETTING (camera, s, char *), error);
  }
}

static gboolean
read_member (const char *name, JsonNode *node, ToolCameraSettings *camera,
    GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (const ToolSetting *s = tool_camera_settings; s->name; s++) {
    if (!strcmp (name, s->name))
      return read_setting (s, node, camera, error);
    g_string_append_printf (known, "%s%s", known->len ? ", " : "", s->name);
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "found the field '%.*s'; expected some of %s",
      y10_text_fit (name, MAX_SHOWN), name, known->str);
  return FALSE;
}

ToolCameraSettings *
serve_change_read (const ServeConfig *config, const ToolCameraSettings *camera,
    JsonObject *members, GError **error)
{
  ToolCameraSettings *changed = tool_camera_settings_copy (camera);
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  gboolean ok = TRUE;

  json_object_iter_init (&iter, members);
  while (ok && json_object_iter_next (&iter, &name, &node))
    ok = read_member (name, node, changed, error);
  if (ok && serve_config_check (config, changed, error))
    return changed;
  tool_camera_settings_free (changed);
  return NULL;
}

char *
serve_change_list (const ToolCameraSettings *camera,
    const ToolCameraSettings *before)
{
  GString *list = g_string_new (NULL);

  for (const ToolSetting *s = tool_camera_settings; s->name; s++)
    if (!tool_setting_is_same (s, camera, before))
      g_string_append_printf (list, "%s%s", list->len ? ", " : "", s->name);
  return g_string_free (list, FALSE);
}

static void
add_json (JsonBuilder *builder, const char *name, const char *text)
{
  JsonNode *node = text && *text == '{' ? json_from_string (text, NULL) : NULL;

  if (!node) {
    tool_json_string (builder, name, text);
    return;
  }
  json_builder_set_member_name (builder, name);
  json_builder_add_value (builder, node);
}

static void
write_setting (JsonBuilder *builder, const ToolSetting *s,
    const ToolCameraSettings *camera)
{
  if (s->kind == TOOL_SETTING_JSON)
    add_json (builder, s->name, TOOL_SETTING (camera, s, char *));
  else if (s->kind == TOOL_SETTING_SWITCH)
    tool_json_bool (builder, s->name, TOOL_SETTING (camera, s, gboolean));
  else if (s->kind == TOOL_SETTING_COUNT && TOOL_SETTING (camera, s, guint))
    tool_json_int (builder, s->name, TOOL_SETTING (camera, s, guint));
  else if (s->kind == TOOL_SETTING_SHARE
      && TOOL_SETTING (camera, s, double) > 0)
    tool_json_double (builder, s->name, TOOL_SETTING (camera, s, double));
  else
    tool_json_string (builder, s->name,
        s->kind == TOOL_SETTING_TEXT ? TOOL_SETTING (camera, s, char *) : NULL);
}

void
serve_change_write (JsonBuilder *builder, const ToolCameraSettings *camera)
{
  for (const ToolSetting *s = tool_camera_settings; s->name; s++)
    if (!(s->flags & TOOL_SETTING_SECRET) && strcmp (s->name, "name") != 0)
      write_setting (builder, s, camera);
}

#endif
