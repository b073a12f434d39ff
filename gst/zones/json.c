/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads zones and lines as JSON, which docs/zones.schema.json describes. A syntax error
 * tells the line; wrong contents tell their path, such as zones[2].points[1], what was
 * found and what was expected. An unknown member is an error, too: it is a typing error,
 * and ignoring it would watch something else than was meant. The text is looked through
 * before the parser sees it. */
#include "zones/json.h"

#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>
#include <y10/error.h>

#include "base/json-scan.h"
#include "base/json-text.h"
#include "base/text.h"
#include "zones/zones.h"

#define VERSION 1

/* Zones need five: the document, an array, a zone, its points and one of them. */
#define MAX_DEPTH 16 /* as its error says */

/* A place in the document. */
typedef struct
{
  const gchar *what; /* name of the document */
  gchar path[128];
  GError **error;
} Place;

static Place at_member (const Place *place,
    const gchar *name) G_GNUC_WARN_UNUSED_RESULT;

static Place
at_member (const Place *place, const gchar *name)
{
  Place member = *place;

  g_snprintf (member.path, sizeof member.path, "%s%s%.*s", place->path,
      *place->path ? "." : "", y10_text_fit (name, 60), name);
  member.path[y10_text_fit (member.path, sizeof member.path)] = '\0';
  return member;
}

static Place
at_element (const Place *place, guint i)
{
  Place element = *place;

  g_snprintf (element.path, sizeof element.path, "%s[%u]", place->path, i);
  return element;
}

/* Always FALSE. @node: what was found; NULL: nothing. */
static gboolean
fail (const Place *place, JsonNode *node, const gchar *expected)
{
  gchar *found = node ? y10_json_to_text (node, FALSE) : g_strdup ("nothing");

  if (g_utf8_strlen (found, -1) > 60)
    strcpy (g_utf8_offset_to_pointer (found, 56), "…");
  g_set_error (place->error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s: %s is %s; expected %s", place->what,
      *place->path ? place->path : "the document", found, expected);
  g_free (found);
  return FALSE;
}

static gboolean
read_number (const Place *place, JsonNode *node, gdouble most,
    const gchar *expected, gdouble *value)
{
  const GType type = node ? json_node_get_value_type (node) : G_TYPE_INVALID;

  if (!node || !JSON_NODE_HOLDS_VALUE (node)
      || (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE))
    return fail (place, node, expected);
  *value = json_node_get_double (node);
  return (isfinite (*value) && *value >= 0 && *value <= most)
      || fail (place, node, expected);
}

/* The text is not empty. */
static gboolean
read_string (const Place *place, JsonNode *node, const gchar *expected,
    gchar **text)
{
  if (!node || !JSON_NODE_HOLDS_VALUE (node)
      || json_node_get_value_type (node) != G_TYPE_STRING
      || !*json_node_get_string (node)
      || strpbrk (json_node_get_string (node), "\n\r"))
    return fail (place, node, expected);
  g_free (*text);
  *text = g_strdup (json_node_get_string (node));
  return TRUE;
}

/* Number of elements, or 0 after an error. */
static guint
read_array (const Place *place, JsonNode *node, guint least, guint most,
    const gchar *expected, JsonArray **array)
{
  if (node && JSON_NODE_HOLDS_ARRAY (node)) {
    *array = json_node_get_array (node);
    if (json_array_get_length (*array) >= least
        && json_array_get_length (*array) <= most)
      return json_array_get_length (*array);
  }
  fail (place, node, expected);
  return 0;
}

static gboolean
read_seconds (const Place *place, JsonNode *node, GstClockTime *time)
{
  gdouble seconds = 0;

  if (!read_number (place, node, 1e6, "seconds from 0 to 1000000", &seconds))
    return FALSE;
  *time = (GstClockTime) (seconds * GST_SECOND + 0.5);
  return TRUE;
}

static gboolean
read_point (const Place *place, JsonNode *node, GstY10Point *point)
{
  static const gchar *const expected =
      "[X, Y] with fractions of the frame from 0 to 1";
  JsonArray *pair;

  if (!read_array (place, node, 2, 2, expected, &pair))
    return FALSE;
  return read_number (place, json_array_get_element (pair, 0), 1, expected,
             &point->x)
      && read_number (place, json_array_get_element (pair, 1), 1, expected,
          &point->y);
}

static gboolean
has_area (const GstY10Point *p, guint n)
{
  for (guint i = 2; i < n; i++)
    if ((p[1].x - p[0].x) * (p[i].y - p[0].y)
        != (p[1].y - p[0].y) * (p[i].x - p[0].x))
      return TRUE;
  return FALSE;
}

/* Two points of a zone are opposite corners of a rectangle. */
static gboolean
finish_points (const Place *place, JsonNode *node, GstY10Zone *zone)
{
  GstY10Point *p = zone->points;

  if (zone->is_line)
    return p[0].x != p[1].x || p[0].y != p[1].y
        || fail (place, node, "two different points");
  if (zone->n_points == 2) {
    const GstY10Point a = p[0], b = p[1];

    p[1] = (GstY10Point){ b.x, a.y };
    p[2] = b;
    p[3] = (GstY10Point){ a.x, b.y };
    zone->n_points = 4;
  }
  zone->n_shapes = 1;
  zone->shapes = g_new (guint, 1);
  zone->shapes[0] = zone->n_points;
  return has_area (p, zone->n_points)
      || fail (place, node, "corners that are not in one line");
}

static gboolean
read_points (const Place *place, JsonNode *node, GstY10Zone *zone)
{
  JsonArray *array;
  const guint n = read_array (place, node, 2,
      zone->is_line ? 2 : GST_Y10_MAX_ZONE_POINTS,
      zone->is_line
          ? "the two ends of a line, such as [[0.1, 0.5], [0.9, 0.5]]"
          : "two opposite corners of a rectangle or 3 to 250 corners of a polygon, "
            "such as [[0, 0.5], [1, 1]]",
      &array);

  if (!n)
    return FALSE;
  zone->points = g_new0 (GstY10Point, MAX (n, 4));
  zone->n_points = n;
  for (guint i = 0; i < n; i++) {
    const Place element = at_element (place, i);

    if (!read_point (&element, json_array_get_element (array, i),
            &zone->points[i]))
      return FALSE;
  }
  return finish_points (place, node, zone);
}

static gboolean
read_classes (const Place *place, JsonNode *node, GstY10Zone *zone)
{
  JsonArray *array;
  const guint n = read_array (place, node, 1, GST_Y10_MAX_ZONE_CLASSES,
      "1 to 100 names of classes, such as [\"person\"]", &array);

  if (!n)
    return FALSE;
  g_strfreev (zone->classes);
  zone->classes = g_new0 (gchar *, n + 1);
  for (guint i = 0; i < n; i++) {
    const Place element = at_element (place, i);
    JsonNode *name = json_array_get_element (array, i);

    if (!read_string (&element, name, "the name of a class", &zone->classes[i]))
      return FALSE;
    if (strlen (zone->classes[i]) >= GST_Y10_ZONES_LABEL_SIZE)
      return fail (&element, name, "at most 63 bytes");
  }
  return TRUE;
}

static gboolean
read_anchor (const Place *place, JsonNode *node, GstY10Zone *zone)
{
  static const gchar *const expected =
      "\"bottom-center\", \"center\" or \"top-center\"";
  GEnumClass *class;
  const GEnumValue *value;
  gchar *nick = NULL;

  if (!read_string (place, node, expected, &nick))
    return FALSE;
  class = g_type_class_ref (GST_TYPE_YOLOV10_ZONE_ANCHOR);
  value = g_enum_get_value_by_nick (class, nick);
  if (value)
    zone->anchor = (GstYolov10ZoneAnchor) value->value;
  g_type_class_unref (class);
  g_free (nick);
  return value || fail (place, node, expected);
}

/* One threshold, or several in ascending order. */
static gboolean
read_dwell (const Place *place, JsonNode *node, GstY10Zone *zone)
{
  static const gchar *const expected =
      "seconds above 0, or up to 8 of them, each greater than the one before";
  JsonArray *array;

  if (!JSON_NODE_HOLDS_ARRAY (node)) {
    zone->n_dwells = 1;
    return read_seconds (place, node, &zone->dwells[0])
        && (zone->dwells[0] > 0 || fail (place, node, expected));
  }
  zone->n_dwells = read_array (place, node, 1, GST_Y10_MAX_DWELLS, expected,
      &array);
  for (guint i = 0; i < zone->n_dwells; i++) {
    const Place element = at_element (place, i);
    JsonNode *threshold = json_array_get_element (array, i);

    if (!read_seconds (&element, threshold, &zone->dwells[i]))
      return FALSE;
    if (zone->dwells[i] <= (i ? zone->dwells[i - 1] : 0))
      return fail (&element, threshold, expected);
  }
  return zone->n_dwells > 0;
}

static gboolean
read_limit (const Place *place, JsonNode *node, GstY10Zone *zone)
{
  static const gchar *const expected = "a whole number from 1 to 1024";
  gdouble limit = 0;

  if (!read_number (place, node, GST_Y10_ZONES_MAX_OBJECTS, expected, &limit))
    return FALSE;
  zone->limit = (guint) limit;
  return (limit == floor (limit) && limit >= 1) || fail (place, node, expected);
}

static gboolean
read_sides (const Place *place, JsonNode *node, GstY10Zone *zone)
{
  JsonArray *array;

  if (!read_array (place, node, 2, 2,
          "the names of the left and the right side, "
          "seen from the line's first point",
          &array))
    return FALSE;
  for (guint i = 0; i < 2; i++) {
    const Place element = at_element (place, i);

    if (!read_string (&element, json_array_get_element (array, i),
            "the name of a side", &zone->sides[i]))
      return FALSE;
    if (strlen (zone->sides[i]) > GST_Y10_MAX_ZONE_NAME)
      return fail (&element, json_array_get_element (array, i),
          "at most 255 bytes");
  }
  return TRUE;
}

static gboolean
read_member (const Place *place, const gchar *name, JsonNode *node,
    GstY10Zone *zone)
{
  if (!strcmp (name, "name"))
    return TRUE;
  if (!strcmp (name, "points"))
    return read_points (place, node, zone);
  if (!strcmp (name, "classes"))
    return read_classes (place, node, zone);
  if (!strcmp (name, "anchor"))
    return read_anchor (place, node, zone);
  if (!strcmp (name, "hysteresis"))
    return read_seconds (place, node, &zone->hysteresis);
  if (!strcmp (name, "grace"))
    return read_seconds (place, node, &zone->grace);
  if (!zone->is_line && !strcmp (name, "dwell"))
    return read_dwell (place, node, zone);
  if (!zone->is_line && !strcmp (name, "limit"))
    return read_limit (place, node, zone);
  if (zone->is_line && !strcmp (name, "sides"))
    return read_sides (place, node, zone);
  return fail (place, node,
      zone->is_line
          ? "one of name, points, sides, classes, anchor, hysteresis, grace"
          : "one of name, points, dwell, limit, classes, anchor, hysteresis, grace");
}

static gboolean
read_zone (const Place *place, JsonNode *node, gboolean is_line,
    const GstY10ZoneDefaults *defaults, GArray *zones)
{
  GError *reason = NULL;
  JsonObjectIter iter;
  JsonObject *object;
  GstY10Zone *zone;
  const gchar *name;
  gchar *own = NULL;
  Place member;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return fail (place, node, "an object with name and points");
  object = json_node_get_object (node);
  member = at_member (place, "name");
  if (!read_string (&member, json_object_get_member (object, "name"), "a name",
          &own))
    return FALSE;
  zone = gst_y10_zones_add (zones, own, defaults, &reason);
  if (!zone) {
    g_set_error (place->error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "%s: %s: %s", place->what, member.path, reason->message);
    g_error_free (reason);
    return FALSE;
  }
  zone->is_line = is_line;
  if (!is_line)
    gst_y10_zone_init_area (zone, defaults);
  json_object_iter_init (&iter, object);
  while (json_object_iter_next (&iter, &name, &node)) {
    member = at_member (place, name);
    if (!read_member (&member, name, node, zone))
      return FALSE;
  }
  member = at_member (place, "points");
  return zone->points || fail (&member, NULL, "the points");
}

static gboolean
read_zones (const Place *place, JsonNode *node, gboolean is_line,
    const GstY10ZoneDefaults *defaults, GArray *zones)
{
  JsonArray *array;

  if (!JSON_NODE_HOLDS_ARRAY (node))
    return fail (place, node, "an array");
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    const Place element = at_element (place, i);

    if (!read_zone (&element, json_array_get_element (array, i), is_line,
            defaults, zones))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_document (const Place *place, JsonNode *root,
    const GstY10ZoneDefaults *defaults, GArray *zones)
{
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *node;
  gdouble version = 0;
  Place member = at_member (place, "version");

  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return fail (place, root, "an object with version, zones and lines");
  node = json_object_get_member (json_node_get_object (root), "version");
  if (!read_number (&member, node, G_MAXDOUBLE, "1", &version))
    return FALSE;
  if (version != VERSION)
    return fail (&member, node, "1");
  json_object_iter_init (&iter, json_node_get_object (root));
  while (json_object_iter_next (&iter, &name, &node)) {
    member = at_member (place, name);
    if (!strcmp (name, "zones") || !strcmp (name, "lines")) {
      if (!read_zones (&member, node, *name == 'l', defaults, zones))
        return FALSE;
    } else if (strcmp (name, "version") && strcmp (name, "$schema")) {
      return fail (&member, node, "one of version, zones, lines");
    }
  }
  return TRUE;
}

/* FALSE with an error if the parser should not see @text. */
static gboolean
check_text (const gchar *what, const gchar *text, GError **error)
{
  Y10JsonScan scan;

  if (y10_json_scan (text, strlen (text), MAX_DEPTH, &scan) && !scan.nul_line)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s: line %u is not JSON: %s", what,
      scan.nul_line ? scan.nul_line : scan.line,
      scan.nul_line ? "a string has an escape that is no text"
          : scan.danger == Y10_JSON_DEEP
          ? "it nests more than 16 deep"
          : y10_json_danger_get_text (scan.danger));
  return FALSE;
}

/* Only during this signal does the parser know the line. */
static void
keep_line (JsonParser *parser, const GError *error, guint *line)
{
  *line = json_parser_get_current_line (parser);
}

/* What is wrong, without json-glib's own name of the place. */
static const gchar *
find_reason (const GError *error)
{
  const gchar *text = strstr (error->message, "Parse error: ");

  return text ? text + strlen ("Parse error: ") : error->message;
}

/* Appends the zones of @text to @zones; @what names it in errors. */
gboolean
gst_y10_zones_parse_json (GArray *zones, const gchar *what, const gchar *text,
    const GstY10ZoneDefaults *defaults, GError **error)
{
  const Place place = { .what = what, .error = error };
  JsonParser *parser;
  GError *reason = NULL;
  guint line = 1;
  gboolean ok;

  if (!check_text (what, text, error))
    return FALSE;
  parser = json_parser_new ();
  g_signal_connect (parser, "error", G_CALLBACK (keep_line), &line);
  ok = json_parser_load_from_data (parser, text, -1, &reason);
  if (ok) {
    ok = read_document (&place, json_parser_get_root (parser), defaults, zones);
  } else {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "%s: line %u is not JSON: %s", what, line, find_reason (reason));
    g_error_free (reason);
  }
  g_object_unref (parser);
  return ok;
}
