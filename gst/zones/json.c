/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads zones and lines as JSON, which docs/zones.schema.json describes. A syntax error
 * tells the line; wrong contents tell their path, such as zones[2].points[1], what was
 * found and what was expected. An unknown member is an error, too: it is a typing error,
 * and ignoring it would watch something else than was meant. */
#include "zones/json.h"

#include <math.h>
#include <string.h>

#include <y10/error.h>

#include "base/json-cursor.h"
#include "zones/zones.h"

#define VERSION 1

/* Zones need five: the document, an array, a zone, its points and one of them. */
#define MAX_DEPTH 16

typedef struct
{
  const gchar *what; /* name of the document */
  Y10Json root;
  GError **error;
} Document;

/* Always FALSE. @value may lack its @member; NULL: it is wrong itself. */
static gboolean
fail_member (const Document *document, Y10Json value, const gchar *member,
    const gchar *expected)
{
  g_autofree gchar *path = y10_json_get_path (document->root, value, member);
  g_autofree gchar *found = y10_json_show (
      member ? y10_json_find (value, member) : value);

  g_set_error (document->error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s: %s is %s; expected %s", document->what,
      *path ? path : "the document", found, expected);
  return FALSE;
}

static gboolean
fail (const Document *document, Y10Json value, const gchar *expected)
{
  return fail_member (document, value, NULL, expected);
}

static gboolean
read_number (const Document *document, Y10Json value, gdouble most,
    const gchar *expected, gdouble *number)
{
  return (y10_json_get_double (value, number) && *number >= 0
             && *number <= most)
      || fail (document, value, expected);
}

/* Returns: (transfer full) (nullable): text that is one line and not empty */
static gchar *
get_line (Y10Json value)
{
  gchar *text = y10_json_dup_text (value);

  if (text && (!*text || strpbrk (text, "\n\r")))
    g_clear_pointer (&text, g_free);
  return text;
}

/* Number of elements, or 0 after an error. */
static guint
read_array (const Document *document, Y10Json value, guint least, guint most,
    const gchar *expected, Y10JsonCursor *cursor)
{
  const guint n = y10_json_get_kind (value) == Y10_JSON_ARRAY
      ? y10_json_count (value)
      : 0;

  y10_json_enter (cursor, value);
  if (n >= least && n <= most)
    return n;
  fail (document, value, expected);
  return 0;
}

static gboolean
read_seconds (const Document *document, Y10Json value, GstClockTime *time)
{
  gdouble seconds = 0;

  if (!read_number (document, value, 1e6, "seconds from 0 to 1000000",
          &seconds))
    return FALSE;
  *time = (GstClockTime) (seconds * GST_SECOND + 0.5);
  return TRUE;
}

static gboolean
read_point (const Document *document, Y10Json value, GstY10Point *point)
{
  static const gchar *const expected = "a fraction of the frame from 0 to 1";
  Y10JsonCursor cursor;
  Y10Json x, y;

  return read_array (document, value, 2, 2,
             "[X, Y] with fractions of the frame from 0 to 1", &cursor)
      && y10_json_next (&cursor, &x) && y10_json_next (&cursor, &y)
      && read_number (document, x, 1, expected, &point->x)
      && read_number (document, y, 1, expected, &point->y);
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
finish_points (const Document *document, Y10Json value, GstY10Zone *zone)
{
  GstY10Point *p = zone->points;

  if (zone->is_line)
    return p[0].x != p[1].x || p[0].y != p[1].y
        || fail (document, value, "two different points");
  if (zone->n_points == 2) {
    const GstY10Point a = p[0], b = p[1];

    p[1] = (GstY10Point){ b.x, a.y };
    p[2] = b;
    p[3] = (GstY10Point){ a.x, b.y };
    zone->n_points = 4;
  }
  zone->n_shapes = 1;
  g_free (zone->shapes);
  zone->shapes = g_new (guint, 1);
  zone->shapes[0] = zone->n_points;
  return has_area (p, zone->n_points)
      || fail (document, value, "corners that are not in one line");
}

static gboolean
read_points (const Document *document, Y10Json value, GstY10Zone *zone)
{
  Y10JsonCursor cursor;
  const guint n = read_array (document, value, 2,
      zone->is_line ? 2 : GST_Y10_MAX_ZONE_POINTS,
      zone->is_line
          ? "the two ends of a line, such as [[0.1, 0.5], [0.9, 0.5]]"
          : "two opposite corners of a rectangle or 3 to 250 corners of a polygon, "
            "such as [[0, 0.5], [1, 1]]",
      &cursor);
  Y10Json element;

  if (!n)
    return FALSE;
  g_free (zone->points);
  zone->points = g_new0 (GstY10Point, MAX (n, 4));
  zone->n_points = n;
  for (guint i = 0; y10_json_next (&cursor, &element); i++)
    if (!read_point (document, element, &zone->points[i]))
      return FALSE;
  return finish_points (document, value, zone);
}

/* Names of at most @most bytes. */
static gboolean
read_names (const Document *document, Y10JsonCursor *cursor,
    const gchar *expected, gsize most, const gchar *too_long, gchar **names)
{
  Y10Json element;

  for (guint i = 0; y10_json_next (cursor, &element); i++) {
    g_free (names[i]);
    names[i] = get_line (element);
    if (!names[i])
      return fail (document, element, expected);
    if (strlen (names[i]) > most)
      return fail (document, element, too_long);
  }
  return TRUE;
}

static gboolean
read_classes (const Document *document, Y10Json value, GstY10Zone *zone)
{
  Y10JsonCursor cursor;
  const guint n = read_array (document, value, 1, GST_Y10_MAX_ZONE_CLASSES,
      "1 to 100 names of classes, such as [\"person\"]", &cursor);

  if (!n)
    return FALSE;
  g_strfreev (zone->classes);
  zone->classes = g_new0 (gchar *, n + 1);
  return read_names (document, &cursor, "the name of a class",
      GST_Y10_ZONES_LABEL_SIZE - 1, "at most 63 bytes", zone->classes);
}

static gboolean
read_anchor (const Document *document, Y10Json value, GstY10Zone *zone)
{
  g_autoptr (GEnumClass) class = g_type_class_ref (
      GST_TYPE_YOLOV10_ZONE_ANCHOR);
  g_autofree gchar *nick = get_line (value);
  const GEnumValue *found = nick ? g_enum_get_value_by_nick (class, nick)
                                 : NULL;

  if (found)
    zone->anchor = (GstYolov10ZoneAnchor) found->value;
  return found
      || fail (document, value,
          "\"bottom-center\", \"center\" or \"top-center\"");
}

/* One threshold, or several in ascending order. */
static gboolean
read_dwell (const Document *document, Y10Json value, GstY10Zone *zone)
{
  static const gchar *const expected =
      "seconds above 0, or up to 8 of them, each greater than the one before";
  Y10JsonCursor cursor;
  Y10Json element;

  if (y10_json_get_kind (value) != Y10_JSON_ARRAY) {
    zone->n_dwells = 1;
    return read_seconds (document, value, &zone->dwells[0])
        && (zone->dwells[0] > 0 || fail (document, value, expected));
  }
  zone->n_dwells = read_array (document, value, 1, GST_Y10_MAX_DWELLS, expected,
      &cursor);
  if (!zone->n_dwells)
    return FALSE;
  for (guint i = 0; y10_json_next (&cursor, &element); i++) {
    if (!read_seconds (document, element, &zone->dwells[i]))
      return FALSE;
    if (zone->dwells[i] <= (i ? zone->dwells[i - 1] : 0))
      return fail (document, element, expected);
  }
  return TRUE;
}

static gboolean
read_limit (const Document *document, Y10Json value, GstY10Zone *zone)
{
  static const gchar *const expected = "a whole number from 1 to 1024";
  gdouble limit = 0;

  if (!read_number (document, value, GST_Y10_ZONES_MAX_OBJECTS, expected,
          &limit))
    return FALSE;
  zone->limit = (guint) limit;
  return (limit == floor (limit) && limit >= 1)
      || fail (document, value, expected);
}

static gboolean
read_sides (const Document *document, Y10Json value, GstY10Zone *zone)
{
  Y10JsonCursor cursor;

  return read_array (document, value, 2, 2,
             "the names of the left and the right side, "
             "seen from the line's first point",
             &cursor)
      && read_names (document, &cursor, "the name of a side",
          GST_Y10_MAX_ZONE_NAME, "at most 255 bytes", zone->sides);
}

static gboolean
read_member (const Document *document, Y10Json name, Y10Json value,
    GstY10Zone *zone)
{
  if (y10_json_is_text (name, "name"))
    return TRUE;
  if (y10_json_is_text (name, "points"))
    return read_points (document, value, zone);
  if (y10_json_is_text (name, "classes"))
    return read_classes (document, value, zone);
  if (y10_json_is_text (name, "anchor"))
    return read_anchor (document, value, zone);
  if (y10_json_is_text (name, "hysteresis"))
    return read_seconds (document, value, &zone->hysteresis);
  if (y10_json_is_text (name, "grace"))
    return read_seconds (document, value, &zone->grace);
  if (!zone->is_line && y10_json_is_text (name, "dwell"))
    return read_dwell (document, value, zone);
  if (!zone->is_line && y10_json_is_text (name, "limit"))
    return read_limit (document, value, zone);
  if (zone->is_line && y10_json_is_text (name, "sides"))
    return read_sides (document, value, zone);
  return fail (document, value,
      zone->is_line
          ? "one of name, points, sides, classes, anchor, hysteresis, grace"
          : "one of name, points, dwell, limit, classes, anchor, hysteresis, grace");
}

/* Appends one of this name. NULL after an error. */
static GstY10Zone *
add_zone (const Document *document, Y10Json value,
    const GstY10ZoneDefaults *defaults, GArray *zones)
{
  g_autofree gchar *name = get_line (y10_json_find (value, "name"));
  g_autofree gchar *path = NULL;
  g_autoptr (GError) reason = NULL;
  GstY10Zone *zone;

  if (!name) {
    fail_member (document, value, "name", "a name");
    return NULL;
  }
  zone = gst_y10_zones_add (zones, name, defaults, &reason);
  if (!zone) {
    path = y10_json_get_path (document->root, value, "name");
    g_set_error (document->error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "%s: %s: %s", document->what, path, reason->message);
  }
  return zone;
}

static gboolean
read_zone (const Document *document, Y10Json value, gboolean is_line,
    const GstY10ZoneDefaults *defaults, GArray *zones)
{
  Y10JsonCursor cursor;
  GstY10Zone *zone;
  Y10Json member;

  if (y10_json_get_kind (value) != Y10_JSON_OBJECT)
    return fail (document, value, "an object with name and points");
  zone = add_zone (document, value, defaults, zones);
  if (!zone)
    return FALSE;
  zone->is_line = is_line;
  if (!is_line)
    gst_y10_zone_init_area (zone, defaults);
  y10_json_enter (&cursor, value);
  while (y10_json_next (&cursor, &member))
    if (!read_member (document, cursor.name, member, zone))
      return FALSE;
  return zone->points || fail_member (document, value, "points", "the points");
}

static gboolean
read_zones (const Document *document, Y10Json value, gboolean is_line,
    const GstY10ZoneDefaults *defaults, GArray *zones)
{
  Y10JsonCursor cursor;
  Y10Json element;

  if (!value.text)
    return TRUE;
  if (y10_json_get_kind (value) != Y10_JSON_ARRAY)
    return fail (document, value, "an array");
  y10_json_enter (&cursor, value);
  while (y10_json_next (&cursor, &element))
    if (!read_zone (document, element, is_line, defaults, zones))
      return FALSE;
  return TRUE;
}

static gboolean
read_document (const Document *document, const GstY10ZoneDefaults *defaults,
    GArray *zones)
{
  static const gchar *const names[] = { "zones", "lines", "version",
    "$schema" };
  Y10Json members[G_N_ELEMENTS (names)], other;
  gdouble version = 0;
  guint first;

  if (y10_json_get_kind (document->root) != Y10_JSON_OBJECT)
    return fail (document, document->root,
        "an object with version, zones and lines");
  y10_json_find_all (document->root, names, G_N_ELEMENTS (names), members,
      &other);
  if (!y10_json_get_double (members[2], &version) || version != VERSION)
    return fail_member (document, document->root, "version", "1");
  if (other.text)
    return fail (document, other, "one of version, zones, lines");
  /* In the document's order. */
  first = members[0].text > members[1].text;
  return read_zones (document, members[first], first == 1, defaults, zones)
      && read_zones (document, members[!first], first == 0, defaults, zones);
}

/* Appends the zones of @text to @zones; @what names it in errors. */
gboolean
gst_y10_zones_parse_json (GArray *zones, const gchar *what, const gchar *text,
    const GstY10ZoneDefaults *defaults, GError **error)
{
  Document document = { .what = what, .error = error };
  Y10JsonFault fault;

  if (y10_json_check (text, strlen (text), MAX_DEPTH, &document.root, &fault))
    return read_document (&document, defaults, zones);
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s: line %u is not JSON: %s", what, fault.line, fault.message);
  return FALSE;
}
