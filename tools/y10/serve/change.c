/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A camera's settings as JSON. A request has the members that it changes, null for the
 * default, and nothing else: what is not known is a typing error. All of it is checked
 * before any of it is applied. A source comes in here, and out nowhere. */

#include "config.h"

#ifdef HAVE_SERVE

#include <math.h>
#include <string.h>
#include <y10/y10.h>

#include "base/json.h"
#include "serve/change.h"

#define MAX_DEPTH 16

/* What a reader says of a value. */
typedef struct
{
  const char *name;
  Y10Json value;
  GError **error;
} Member;

/* Always FALSE. */
static gboolean
refuse (const Member *member, const char *expected)
{
  char *found = y10_json_show (member->value);

  g_set_error (member->error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s is %s; expected %s", member->name, found, expected);
  g_free (found);
  return FALSE;
}

static gboolean
read_text (const Member *member, char **text)
{
  char *read = y10_json_dup_text (member->value);

  if (!read && y10_json_get_kind (member->value) != Y10_JSON_NULL) {
    if (strcmp (member->name, "source") != 0)
      return refuse (member, "text");
    g_set_error (member->error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the source is no text");
    return FALSE;
  }
  g_free (*text);
  *text = read ? g_strstrip (read) : NULL;
  return TRUE;
}

static gboolean
read_stream (const Member *member, guint *stream)
{
  gint64 found = 0;

  y10_json_get_int (member->value, &found);
  *stream = (guint) CLAMP (found, 0, SERVE_MOST_STREAMS);
  return y10_json_get_kind (member->value) == Y10_JSON_NULL
      || (found >= 1 && found <= SERVE_MOST_STREAMS)
      || refuse (member, "a number from 1 to 64, or null");
}

static gboolean
read_confidence (const Member *member, double *value)
{
  *value = 0;
  y10_json_get_double (member->value, value);
  return y10_json_get_kind (member->value) == Y10_JSON_NULL
      || (*value > 0 && *value <= 1)
      || refuse (member, "a number above 0, at most 1, or null");
}

/* As JSON or as text, both as the element takes it. */
static gboolean
read_zones (const Member *member, char **zones)
{
  const Y10JsonKind kind = y10_json_get_kind (member->value);

  if (kind != Y10_JSON_OBJECT)
    return kind == Y10_JSON_NULL || kind == Y10_JSON_STRING
        ? read_text (member, zones)
        : refuse (member,
            "an object with version, zones and lines, text, or null");
  g_free (*zones);
  *zones = y10_json_dup_compact (member->value);
  return TRUE;
}

static gboolean
read_privacy (const Member *member, gboolean *privacy)
{
  *privacy = *member->value.text == 't';
  return y10_json_get_kind (member->value) == Y10_JSON_BOOLEAN
      || refuse (member, "true or false");
}

static gboolean
read_member (const Member *member, ServeCameraConfig *camera)
{
  const char *name = member->name;

  if (!strcmp (name, "name"))
    return read_text (member, &camera->name);
  if (!strcmp (name, "source"))
    return read_text (member, &camera->source);
  if (!strcmp (name, "transport"))
    return read_text (member, &camera->transport);
  if (!strcmp (name, "fingerprint"))
    return read_text (member, &camera->fingerprint);
  if (!strcmp (name, "stream"))
    return read_stream (member, &camera->stream);
  if (!strcmp (name, "classes"))
    return read_text (member, &camera->classes);
  if (!strcmp (name, "tiles"))
    return read_text (member, &camera->tiles);
  if (!strcmp (name, "confidence"))
    return read_confidence (member, &camera->confidence);
  if (!strcmp (name, "zones"))
    return read_zones (member, &camera->zones);
  return read_privacy (member, &camera->privacy);
}

ServeCameraConfig *
serve_change_read (const ServeConfig *config, const ServeCameraConfig *camera,
    Y10Json members, GError **error)
{
  static const char *const names[] = { "name", "source", "transport",
    "fingerprint", "stream", "classes", "confidence", "tiles", "zones",
    "privacy", NULL };
  const guint n = G_N_ELEMENTS (names) - 1;
  ServeCameraConfig *changed = serve_camera_config_copy (camera);
  Y10Json values[G_N_ELEMENTS (names)], other;
  gboolean ok = y10_json_find_all (members, names, n, values, &other);

  if (!ok) {
    char *name = y10_json_get_path (members, other, NULL);
    char *known = g_strjoinv (", ", (char **) names);

    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "found the field '%s'; expected some of %s", name, known);
    g_free (known);
    g_free (name);
  }
  for (guint i = 0; ok && i < n; i++) {
    const Member member = { names[i], values[i], error };

    ok = !values[i].text || read_member (&member, changed);
  }
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
write_zones (GString *json, const char *zones)
{
  Y10Json root;

  if (zones && *zones == '{'
      && y10_json_check (zones, strlen (zones), MAX_DEPTH, &root, NULL))
    y10_json_add_raw (json, "zones", zones);
  else
    y10_json_add_string (json, "zones", zones);
}

void
serve_change_write (GString *json, const ServeCameraConfig *camera)
{
  y10_json_add_string (json, "transport", camera->transport);
  y10_json_add_string (json, "fingerprint", camera->fingerprint);
  if (camera->stream)
    y10_json_add_int (json, "stream", camera->stream);
  else
    y10_json_add_string (json, "stream", NULL);
  y10_json_add_string (json, "classes", camera->classes);
  y10_json_add_double (json, "confidence",
      camera->confidence > 0 ? camera->confidence : (double) NAN);
  y10_json_add_string (json, "tiles", camera->tiles);
  write_zones (json, camera->zones);
  y10_json_add_bool (json, "privacy", camera->privacy);
}

#endif
