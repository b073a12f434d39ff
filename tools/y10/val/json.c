/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads members of JSON whose types nobody has checked. */

#include "config.h"

#include <math.h>

#include <y10/y10.h>

#include "val/data.h"
#include "val/json.h"

#define MAX_DEPTH 100

gboolean
val_json_open (ValJson *json, const char *path, GError **error)
{
  Y10JsonFault fault;
  gsize size = 0;

  *json = (ValJson){ .path = path, .error = error };
  json->text = val_read_file (path, &size, error);
  if (!json->text
      || y10_json_check (json->text, size, MAX_DEPTH, &json->root, &fault))
    return json->text != NULL;
  if (size == 0)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: is empty", path);
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: is no JSON: line %u, column %u: %s", path, fault.line,
        fault.column, fault.message);
  return FALSE;
}

void
val_json_clear (ValJson *json)
{
  g_clear_pointer (&json->text, g_free);
}

gboolean
val_json_enter (ValJson *json, const char *name, Y10JsonCursor *cursor,
    guint *n)
{
  const Y10Json list = y10_json_find (json->root, name);

  y10_json_enter (cursor, list);
  *n = y10_json_count (list);
  if (y10_json_get_kind (list) == Y10_JSON_ARRAY)
    return TRUE;
  g_set_error (json->error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: has no list \"%s\"; expected COCO's JSON with images, annotations and "
      "categories",
      json->path, name);
  return FALSE;
}

gboolean
val_json_is_object (ValJson *json, Y10Json entry)
{
  g_autofree char *place = NULL;

  if (y10_json_get_kind (entry) == Y10_JSON_OBJECT)
    return TRUE;
  place = y10_json_get_path (json->root, entry, NULL);
  g_set_error (json->error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: %s is not an object", json->path, place);
  return FALSE;
}

/* Always FALSE. */
static gboolean
refuse (ValJson *json, Y10Json entry, const char *name, const char *expected)
{
  const Y10Json value = y10_json_find (entry, name);
  g_autofree char *place = y10_json_get_path (json->root, entry, name);
  g_autofree char *found = value.text ? y10_json_show (value) : NULL;

  g_set_error (json->error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: %s is %s; expected %s", json->path, place, found ? found : "missing",
      expected);
  return FALSE;
}

static gboolean
is_number (Y10Json value, double *number)
{
  return y10_json_get_double (value, number) && isfinite (*number);
}

static gboolean
is_whole (Y10Json value, gint64 *number)
{
  double real;

  if (y10_json_get_int (value, number))
    return TRUE;
  /* As programs write them that keep ids in floats. */
  if (!is_number (value, &real) || fabs (real) >= 1e15)
    return FALSE;
  *number = (gint64) real;
  return (double) *number == real;
}

gboolean
val_json_get_int (ValJson *json, Y10Json entry, const char *name, gint64 *value)
{
  return is_whole (y10_json_find (entry, name), value)
      || refuse (json, entry, name, "a whole number");
}

gboolean
val_json_get_double (ValJson *json, Y10Json entry, const char *name,
    double *value)
{
  return is_number (y10_json_find (entry, name), value)
      || refuse (json, entry, name, "a number");
}

char *
val_json_get_text (ValJson *json, Y10Json entry, const char *name)
{
  char *text = y10_json_dup_text (y10_json_find (entry, name));

  if (!text)
    refuse (json, entry, name, "a string");
  return text;
}

char *
val_json_get_id (ValJson *json, Y10Json entry, const char *name)
{
  const Y10Json value = y10_json_find (entry, name);
  gint64 number;
  char *text;

  if (is_whole (value, &number))
    return g_strdup_printf ("%" G_GINT64_FORMAT, number);
  text = y10_json_dup_text (value);
  if (!text)
    refuse (json, entry, name, "a whole number or a name");
  return text;
}

gboolean
val_json_get_box (ValJson *json, Y10Json entry, double box[4])
{
  const Y10Json list = y10_json_find (entry, "bbox");
  Y10JsonCursor cursor;
  Y10Json number;

  if (y10_json_get_kind (list) != Y10_JSON_ARRAY || y10_json_count (list) != 4)
    return refuse (json, entry, "bbox", "x, y, width and height");
  y10_json_enter (&cursor, list);
  for (guint i = 0; y10_json_next (&cursor, &number); i++)
    if (!is_number (number, &box[i]))
      return refuse (json, entry, "bbox", "four numbers");
  return TRUE;
}
