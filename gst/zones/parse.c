/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads zones and lines in the short form, the syntax of a detector's region with a
 * name before it:
 *
 *   zones = zone *( ";" zone )
 *   zone  = [ name "=" ] ( shape | line )    a shape without a name is one more of
 *                                            the zone before
 *   line  = point "->" point
 *
 * and JSON, which zones/json.c reads. Nothing is guessed: whatever is not expected is
 * an error that says where it is. */
#include "zones/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <y10/error.h>
#include <y10/parts.h>

#include "zones/json.h"

/* Bytes of a file. 64 zones with all that they may have take half of that. */
#define MAX_FILE (4 << 20)

/* Takes the shapes of @region. */
static void
set_shapes (GstY10Zone *zone, const Y10Region *region)
{
  zone->n_shapes = y10_region_get_n_shapes (region);
  zone->shapes = g_new (guint, zone->n_shapes);
  for (guint i = 0; i < zone->n_shapes; i++)
    zone->n_points += zone->shapes[i] = y10_region_get_n_points (region, i);
  zone->points = g_new (GstY10Point, zone->n_points);
  for (guint i = 0, at = 0; i < zone->n_shapes; i++)
    for (guint k = 0; k < zone->shapes[i]; k++, at++)
      y10_region_get_point (region, i, k, &zone->points[at].x,
          &zone->points[at].y);
}

static gboolean
parse_end (const gchar *text, GstY10Point *point)
{
  gdouble *const values[] = { &point->x, &point->y };

  for (guint i = 0; i < 2; i++) {
    gchar *end;

    while (*text == ' ')
      text++;
    if (!g_ascii_isdigit (*text) && *text != '.')
      return FALSE;
    *values[i] = g_ascii_strtod (text, &end);
    if (end == text || memchr (text, 'x', (gsize) (end - text))
        || *values[i] > 1 || (i == 0 && *end++ != ','))
      return FALSE;
    text = end;
  }
  return text[strspn (text, " \t\n")] == '\0';
}

static gboolean
parse_line (GstY10Zone *zone, const gchar *text, GError **error)
{
  g_auto (GStrv) ends = g_strsplit (text, "->", -1);

  zone->is_line = TRUE;
  zone->n_points = 2;
  zone->points = g_new0 (GstY10Point, 2);
  if (g_strv_length (ends) == 2 && parse_end (ends[0], &zone->points[0])
      && parse_end (ends[1], &zone->points[1])
      && (zone->points[0].x != zone->points[1].x
          || zone->points[0].y != zone->points[1].y))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "the line \"%s\" is \"%s\"; expected two different points as fractions of the "
      "frame, such as \"0.1,0.5 -> 0.9,0.5\"",
      zone->name, text);
  return FALSE;
}

/* @defaults: for what only zones have. */
static gboolean
parse_area (GstY10Zone *zone, const gchar *text,
    const GstY10ZoneDefaults *defaults, GError **error)
{
  g_autoptr (Y10Region) region = y10_region_parse (text, error);

  if (!region) {
    g_prefix_error (error, "the zone \"%s\": ", zone->name);
    return FALSE;
  }
  set_shapes (zone, region);
  gst_y10_zone_init_area (zone, defaults);
  return TRUE;
}

/* Parses one zone, of all of its shapes; @text begins with its name. */
static gboolean
parse_zone (GArray *zones, const gchar *text,
    const GstY10ZoneDefaults *defaults, GError **error)
{
  const gchar *equals = strchr (text, '=');
  g_autofree gchar *name = equals
      ? g_strstrip (g_strndup (text, (gsize) (equals - text)))
      : NULL;
  GstY10Zone *zone;

  if (!name || !*name) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "\"%s\" has no name; expected NAME=X,Y X,Y … for a zone or NAME=X,Y -> X,Y "
        "for a line, such as \"yard=0,0.5 1,1\"",
        text);
    return FALSE;
  }
  zone = gst_y10_zones_add (zones, name, defaults, error);
  if (!zone)
    return FALSE;
  text = equals + 1;
  return strstr (text, "->") ? parse_line (zone, text, error)
                             : parse_area (zone, text, defaults, error);
}

static gboolean
parse_text (GArray *zones, const gchar *text,
    const GstY10ZoneDefaults *defaults, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  g_autoptr (GString) zone = g_string_new (NULL);
  gboolean ok = TRUE;

  for (gchar **part = parts; *part && ok; part++) {
    g_string_append (zone, *part);
    /* What follows without a name belongs to it. */
    if (part[1] && !strchr (part[1], '=')) {
      g_string_append_c (zone, ';');
      continue;
    }
    ok = parse_zone (zones, g_strstrip (zone->str), defaults, error);
    g_string_truncate (zone, 0);
  }
  return ok;
}

/* @what names the text in errors. */
static GstY10ZoneSet *
parse_utf8 (const gchar *what, const gchar *text,
    const GstY10ZoneDefaults *defaults, GError **error)
{
  g_autoptr (GArray) zones = g_array_new (FALSE, TRUE, sizeof (GstY10Zone));
  GstY10ZoneSet *set = NULL;
  gboolean ok = TRUE;

  g_array_set_clear_func (zones, (GDestroyNotify) gst_y10_zone_clear);
  while (g_ascii_isspace (*text))
    text++;
  if (*text == '{')
    ok = gst_y10_zones_parse_json (zones, what, text, defaults, error);
  else if (*text) {
    ok = parse_text (zones, text, defaults, error);
    if (!ok)
      g_prefix_error (error, "%s: ", what);
  }
  if (ok)
    set = gst_y10_zone_set_new (zones);
  return set;
}

/* @length: of @text, which should have no NUL. */
static GstY10ZoneSet *
parse (const gchar *what, const gchar *text, gsize length,
    const GstY10ZoneDefaults *defaults, GError **error)
{
  if (g_utf8_validate (text, (gssize) length, NULL))
    return parse_utf8 (what, text, defaults, error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s: not UTF-8; expected zones as text or JSON", what);
  return NULL;
}

/**
 * gst_y10_zones_parse:
 * @text: zones in the short form or as JSON; empty: no zones
 * @defaults: what applies to zones that do not say so themselves
 * @error: return location for a #GError
 *
 * Returns: (transfer full): the zones, or %NULL with %Y10_ERROR_INVALID_ARGUMENT
 */
GstY10ZoneSet *
gst_y10_zones_parse (const gchar *text, const GstY10ZoneDefaults *defaults,
    GError **error)
{
  return parse ("zones", text, strlen (text), defaults, error);
}

/* Returns NULL with the reason if it is no regular file: others may block or never end. */
static FILE *
open_regular (const gchar *path, const gchar **why)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat info;

  *why = fd < 0 || fstat (fd, &info) ? g_strerror (errno)
      : S_ISREG (info.st_mode)       ? NULL
      : S_ISDIR (info.st_mode) ? "it is a directory; expected a regular file"
                               : "it is no regular file";
  if (!*why)
    return fdopen (fd, "rb");
  if (fd >= 0)
    close (fd);
  return NULL;
}

/* Returns the contents, with a NUL behind them, or NULL with the reason. */
static gchar *
read_file (const gchar *path, gsize *length, const gchar **why)
{
  FILE *file = open_regular (path, why);
  gchar *text;

  if (!file)
    return NULL;
  text = g_malloc (MAX_FILE + 2);
  *length = fread (text, 1, MAX_FILE + 1, file);
  text[*length] = '\0';
  if (ferror (file))
    *why = g_strerror (errno);
  else if (*length > MAX_FILE)
    *why = "it has more than 4 MiB";
  fclose (file);
  if (*why)
    g_clear_pointer (&text, g_free);
  return text;
}

/**
 * gst_y10_zones_load:
 * @path: a file of what gst_y10_zones_parse() reads
 * @defaults: what applies to zones that do not say so themselves
 * @error: return location for a #GError
 *
 * Returns: (transfer full): the zones, or %NULL
 */
GstY10ZoneSet *
gst_y10_zones_load (const gchar *path, const GstY10ZoneDefaults *defaults,
    GError **error)
{
  g_autofree gchar *name = g_filename_display_name (path), *text = NULL;
  const gchar *why;
  gsize length;

  text = read_file (path, &length, &why);
  if (text)
    return parse (name, text, length, defaults, error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
      "cannot read the zones: %s: %s", name, why);
  return NULL;
}
