/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads members of JSON whose types nobody has checked. The text is looked through before
 * the parser sees it. */

#include "config.h"

#include <math.h>

#include <y10/y10.h>

#include "base/json-scan.h"
#include "base/json-text.h"
#include "val/data.h"
#include "val/json.h"

#define MAX_DEPTH 100

/* FALSE with an error if the parser should not see @text. */
static gboolean
check_text (const char *path, const char *text, gsize size, GError **error)
{
  Y10JsonScan scan;

  if (y10_json_scan (text, size, MAX_DEPTH, &scan))
    return TRUE;
  if (scan.danger == Y10_JSON_DEEP)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: has lists in lists, more than %d deep, in line %u", path,
        MAX_DEPTH, scan.line);
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: is no JSON: line %u, column %u: %s", path, scan.line, scan.column,
        y10_json_danger_get_text (scan.danger));
  return FALSE;
}

JsonNode *
val_json_read (const char *path, GError **error)
{
  JsonParser *parser = json_parser_new_immutable ();
  GError *failure = NULL;
  JsonNode *root = NULL;
  gsize size = 0;
  char *text = val_read_file (path, &size, error);
  const gboolean is_safe = text && check_text (path, text, size, error);

  if (is_safe
      && !json_parser_load_from_data (parser, text, (gssize) size, &failure)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: is no JSON: %s", path,
        failure->message);
    g_error_free (failure);
  } else if (is_safe && !(root = json_parser_steal_root (parser))) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: is empty", path);
  }
  g_object_unref (parser);
  g_free (text);
  return root;
}

JsonArray *
val_json_get_list (JsonNode *root, const char *file, const char *name,
    GError **error)
{
  JsonNode *node = JSON_NODE_HOLDS_OBJECT (root)
      ? json_object_get_member (json_node_get_object (root), name)
      : NULL;

  if (node && JSON_NODE_HOLDS_ARRAY (node))
    return json_node_get_array (node);
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: has no list \"%s\"; expected COCO's JSON with images, annotations and "
      "categories",
      file, name);
  return NULL;
}

JsonObject *
val_json_get_entry (JsonArray *list, const ValPlace *place, GError **error)
{
  JsonNode *node = json_array_get_element (list, place->index);

  if (JSON_NODE_HOLDS_OBJECT (node))
    return json_node_get_object (node);
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: %s[%u] is not an object", place->file, place->list, place->index);
  return NULL;
}

static gboolean
refuse (const ValPlace *place, const char *name, JsonNode *node,
    const char *expected, GError **error)
{
  char *text = node ? y10_json_to_text (node, FALSE) : NULL;

  if (text && g_utf8_strlen (text, -1) > 40)
    *g_utf8_offset_to_pointer (text, 40) = 0;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: %s[%u].%s is %s; expected %s", place->file, place->list,
      place->index, name, text ? text : "missing", expected);
  g_free (text);
  return FALSE;
}

static gboolean
is_whole (JsonNode *node, gint64 *value)
{
  double number;

  if (!node || !JSON_NODE_HOLDS_VALUE (node))
    return FALSE;
  if (json_node_get_value_type (node) == G_TYPE_INT64) {
    *value = json_node_get_int (node);
    return TRUE;
  }
  if (json_node_get_value_type (node) != G_TYPE_DOUBLE)
    return FALSE;
  /* As programs write them that keep ids in floats. */
  number = json_node_get_double (node);
  *value = fabs (number) < 1e15 ? (gint64) number : 0;
  return (double) *value == number;
}

static gboolean
is_number (JsonNode *node, double *value)
{
  if (!node || !JSON_NODE_HOLDS_VALUE (node)
      || (json_node_get_value_type (node) != G_TYPE_INT64
          && json_node_get_value_type (node) != G_TYPE_DOUBLE))
    return FALSE;
  *value = json_node_get_double (node);
  return isfinite (*value);
}

gboolean
val_json_get_int (JsonObject *object, const ValPlace *place, const char *name,
    gint64 *value, GError **error)
{
  JsonNode *node = json_object_get_member (object, name);

  return is_whole (node, value)
      || refuse (place, name, node, "a whole number", error);
}

gboolean
val_json_get_double (JsonObject *object, const ValPlace *place,
    const char *name, double *value, GError **error)
{
  JsonNode *node = json_object_get_member (object, name);

  return is_number (node, value)
      || refuse (place, name, node, "a number", error);
}

const char *
val_json_get_string (JsonObject *object, const ValPlace *place,
    const char *name, GError **error)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING)
    return json_node_get_string (node);
  refuse (place, name, node, "a string", error);
  return NULL;
}

char *
val_json_get_id (JsonObject *object, const ValPlace *place, const char *name,
    GError **error)
{
  JsonNode *node = json_object_get_member (object, name);
  gint64 number;

  if (is_whole (node, &number))
    return g_strdup_printf ("%" G_GINT64_FORMAT, number);
  if (node && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));
  refuse (place, name, node, "a whole number or a name", error);
  return NULL;
}

gboolean
val_json_get_box (JsonObject *object, const ValPlace *place, double box[4],
    GError **error)
{
  JsonNode *node = json_object_get_member (object, "bbox");
  JsonArray *list = node && JSON_NODE_HOLDS_ARRAY (node)
      ? json_node_get_array (node)
      : NULL;

  if (!list || json_array_get_length (list) != 4)
    return refuse (place, "bbox", node, "x, y, width and height", error);
  for (guint i = 0; i < 4; i++)
    if (!is_number (json_array_get_element (list, i), &box[i]))
      return refuse (place, "bbox", node, "four numbers", error);
  return TRUE;
}
