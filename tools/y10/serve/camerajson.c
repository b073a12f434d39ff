/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A camera's settings as JSON. A request has the members that it changes, null for the
 * default, and nothing else: what is not known is a typing error. All of it is checked
 * before any of it is applied. A source comes in here, and out nowhere. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>
#include <y10/y10.h>

#include "base/json.h"
#include "serve/camerajson.h"

#define MAX_DEPTH 16

/* Always FALSE. */
static gboolean
refuse (const ToolSetting *s, Y10Json value, const char *expected,
    GError **error)
{
  g_autofree char *found = y10_json_show (value);

  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s is %s; expected %s", s->name, found, expected);
  return FALSE;
}

static gboolean
is_null (Y10Json value)
{
  return y10_json_get_kind (value) == Y10_JSON_NULL;
}

static gboolean
read_text (const ToolSetting *s, Y10Json value, char **text, GError **error)
{
  char *read = y10_json_dup_text (value);

  if (read || is_null (value)) {
    g_free (*text);
    *text = read ? g_strstrip (read) : NULL;
    return TRUE;
  }
  if (!(s->flags & TOOL_SETTING_SECRET))
    return refuse (s, value, "text", error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "the %s is no text", s->name);
  return FALSE;
}

/* As JSON or as text, both as the element takes it. */
static gboolean
read_json (const ToolSetting *s, Y10Json value, char **text, GError **error)
{
  g_autofree char *expected = g_strconcat (s->form, ", text, or null", NULL);

  if (is_null (value) || y10_json_get_kind (value) == Y10_JSON_STRING)
    return read_text (s, value, text, error);
  if (y10_json_get_kind (value) != Y10_JSON_OBJECT)
    return refuse (s, value, expected, error);
  g_free (*text);
  *text = y10_json_dup_compact (value);
  return TRUE;
}

static gboolean
read_count (const ToolSetting *s, Y10Json value, guint *count, GError **error)
{
  g_autofree char *expected = g_strdup_printf ("a number from 1 to %u, or null",
      s->most);
  gint64 found = 0;

  y10_json_get_int (value, &found);
  *count = (guint) CLAMP (found, 0, s->most);
  return is_null (value) || (found >= 1 && found <= s->most)
      || refuse (s, value, expected, error);
}

static gboolean
read_share (const ToolSetting *s, Y10Json value, double *share, GError **error)
{
  *share = 0;
  y10_json_get_double (value, share);
  return is_null (value) || (*share > 0 && *share <= 1)
      || refuse (s, value, "a number above 0, at most 1, or null", error);
}

static gboolean
read_switch (const ToolSetting *s, Y10Json value, gboolean *on, GError **error)
{
  *on = *value.text == 't';
  return y10_json_get_kind (value) == Y10_JSON_BOOLEAN
      || refuse (s, value, "true or false", error);
}

static gboolean
read_setting (const ToolSetting *s, Y10Json value, ToolCameraSettings *camera,
    GError **error)
{
  switch (s->kind) {
    case TOOL_SETTING_JSON:
      return read_json (s, value, &TOOL_SETTING (camera, s, char *), error);
    case TOOL_SETTING_COUNT:
      return read_count (s, value, &TOOL_SETTING (camera, s, guint), error);
    case TOOL_SETTING_SHARE:
      return read_share (s, value, &TOOL_SETTING (camera, s, double), error);
    case TOOL_SETTING_SWITCH:
      return read_switch (s, value, &TOOL_SETTING (camera, s, gboolean), error);
    default:
      return read_text (s, value, &TOOL_SETTING (camera, s, char *), error);
  }
}

/* The member @name of @members. */
static gboolean
read_member (Y10Json members, Y10Json name, Y10Json value,
    ToolCameraSettings *camera, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  g_autofree char *path = NULL;

  for (const ToolSetting *s = tool_camera_settings; s->name; s++) {
    if (y10_json_is_text (name, s->name))
      return read_setting (s, value, camera, error);
    g_string_append_printf (known, "%s%s", known->len ? ", " : "", s->name);
  }
  path = y10_json_get_path (members, value, NULL);
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "found the field '%s'; expected some of %s", path, known->str);
  return FALSE;
}

ToolCameraSettings *
serve_camera_json_read (const ServeSettings *settings,
    const ToolCameraSettings *camera, Y10Json members, GError **error)
{
  g_autoptr (ToolCameraSettings) changed = tool_camera_settings_copy (camera);
  Y10JsonCursor cursor;
  Y10Json value;
  gboolean ok = TRUE;

  y10_json_enter (&cursor, members);
  while (ok && y10_json_next (&cursor, &value))
    ok = read_member (members, cursor.name, value, changed, error);
  if (ok && serve_settings_check (settings, changed, error))
    return g_steal_pointer (&changed);
  return NULL;
}

char *
serve_camera_json_list_changes (const ToolCameraSettings *camera,
    const ToolCameraSettings *before)
{
  GString *list = g_string_new (NULL);

  for (const ToolSetting *s = tool_camera_settings; s->name; s++)
    if (!tool_setting_is_same (s, camera, before))
      g_string_append_printf (list, "%s%s", list->len ? ", " : "", s->name);
  return g_string_free (list, FALSE);
}

static void
add_json (GString *json, const char *name, const char *text)
{
  Y10Json root;

  if (text && *text == '{'
      && y10_json_check (text, strlen (text), MAX_DEPTH, &root, NULL))
    y10_json_add_raw (json, name, text);
  else
    y10_json_add_string (json, name, text);
}

static void
write_setting (GString *json, const ToolSetting *s,
    const ToolCameraSettings *camera)
{
  if (s->kind == TOOL_SETTING_JSON)
    add_json (json, s->name, TOOL_SETTING (camera, s, char *));
  else if (s->kind == TOOL_SETTING_SWITCH)
    y10_json_add_bool (json, s->name, TOOL_SETTING (camera, s, gboolean));
  else if (s->kind == TOOL_SETTING_COUNT && TOOL_SETTING (camera, s, guint))
    y10_json_add_int (json, s->name, TOOL_SETTING (camera, s, guint));
  else if (s->kind == TOOL_SETTING_SHARE
      && TOOL_SETTING (camera, s, double) > 0)
    y10_json_add_double (json, s->name, TOOL_SETTING (camera, s, double));
  else
    y10_json_add_string (json, s->name,
        s->kind == TOOL_SETTING_TEXT ? TOOL_SETTING (camera, s, char *) : NULL);
}

void
serve_camera_json_write (GString *json, const ToolCameraSettings *camera)
{
  for (const ToolSetting *s = tool_camera_settings; s->name; s++)
    if (!(s->flags & TOOL_SETTING_SECRET) && strcmp (s->name, "name") != 0)
      write_setting (json, s, camera);
}

#endif
