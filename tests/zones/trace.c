/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs scenes through the zones and prints their events, for tracing.py. Reads
 * commands from stdin, a line each; times are nanoseconds:
 *
 *   new HYSTERESIS GRACE DWELL LIMIT     another stream, with these defaults
 *   zones TEXT                           another set; prints "error: …" if it is wrong
 *   see ID X0 Y0 X1 Y1 LABEL             an object of the next observation
 *   observe TIME | advance TIME | end
 *   deadline                             prints it
 *   counts                               prints those of all zones: count in out
 *   point X0 Y0 … -- X Y                 prints whether the polygon has the point, and
 *                                        whether a detector's region has
 *   load FILE                            like zones
 *
 * and prints the events of each as JSON, then a line with a dot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <y10/y10.h>

#include "zones/parse.h"
#include "zones/report.h"

static GstY10ZoneDefaults defaults;
static GstY10Zones *zones;
static GstY10ZoneObject objects[2 * GST_Y10_ZONES_MAX_OBJECTS];
static guint n_objects;

static void
print (const GstY10ZoneEvent *event, gpointer user)
{
  g_autofree gchar *json = gst_y10_zone_event_to_json (event, NULL);

  puts (json);
}

static void
change (const char *text, gboolean is_file)
{
  GError *error = NULL;
  GstY10ZoneSet *set = is_file ? gst_y10_zones_load (text, &defaults, &error)
                               : gst_y10_zones_parse (text, &defaults, &error);

  if (set)
    gst_y10_zones_change (zones, set);
  else
    printf ("error: %s\n", error->message);
  g_clear_error (&error);
  gst_y10_zone_set_unref (set);
}

static void
see (char **words)
{
  GstY10ZoneObject *object = &objects[n_objects++];

  g_assert_cmpuint (n_objects, <=, G_N_ELEMENTS (objects));
  *object = (GstY10ZoneObject){
    .id = g_ascii_strtoull (words[0], NULL, 10),
    .x0 = g_ascii_strtod (words[1], NULL),
    .y0 = g_ascii_strtod (words[2], NULL),
    .x1 = g_ascii_strtod (words[3], NULL),
    .y1 = g_ascii_strtod (words[4], NULL),
    .confidence = -1,
    .label = g_intern_string (words[5]),
    .label_length = strlen (words[5]),
  };
}

static void
print_point (char **words)
{
  GstY10Point corners[64], point;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (Y10Region) region = NULL;
  guint n = 0;

  for (; strcmp (*words, "--"); words += 2) {
    corners[n].x = g_ascii_strtod (words[0], NULL);
    corners[n++].y = g_ascii_strtod (words[1], NULL);
    g_string_append_printf (text, "%s,%s ", words[0], words[1]);
  }
  point.x = g_ascii_strtod (words[1], NULL);
  point.y = g_ascii_strtod (words[2], NULL);
  region = y10_region_parse (text->str, NULL);
  g_assert_nonnull (region);
  printf ("%d %d\n", gst_y10_polygon_has_point (corners, n, point),
      y10_region_has_box (region, Y10_REGION_ANCHOR_BOTTOM, point.x, point.y,
          point.x, point.y));
}

static void
run (const char *line)
{
  char **words = g_strsplit (line, " ", -1);
  const char *rest = strchr (line, ' ');
  const GstClockTime number = rest ? g_ascii_strtoull (rest + 1, NULL, 10) : 0;

  if (!strcmp (words[0], "new")) {
    g_clear_pointer (&zones, gst_y10_zones_free);
    zones = gst_y10_zones_new (print, NULL);
    defaults = (GstY10ZoneDefaults){
      .hysteresis = number,
      .grace = g_ascii_strtoull (words[2], NULL, 10),
      .dwell = g_ascii_strtoull (words[3], NULL, 10),
      .limit = (guint) atoi (words[4]),
    };
  } else if (!strcmp (words[0], "zones")) {
    change (rest ? rest + 1 : "", FALSE);
  } else if (!strcmp (words[0], "load")) {
    change (rest + 1, TRUE);
  } else if (!strcmp (words[0], "see")) {
    see (words + 1);
  } else if (!strcmp (words[0], "observe")) {
    gst_y10_zones_observe (zones, number, objects, n_objects);
    n_objects = 0;
  } else if (!strcmp (words[0], "advance")) {
    gst_y10_zones_advance (zones, number);
  } else if (!strcmp (words[0], "end")) {
    gst_y10_zones_end (zones);
  } else if (!strcmp (words[0], "deadline")) {
    printf ("%" G_GINT64_FORMAT "\n",
        (gint64) gst_y10_zones_get_deadline (zones));
  } else if (!strcmp (words[0], "counts")) {
    for (guint z = 0; z < gst_y10_zones_get_set (zones)->n; z++) {
      const GstY10ZoneCount *count = gst_y10_zones_get_count (zones, z);

      printf ("%u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", count->count,
          count->n_in, count->n_out);
    }
  } else if (!strcmp (words[0], "point")) {
    print_point (words + 1);
  } else {
    g_error ("unknown command: %s", line);
  }
  if (strcmp (words[0], "see"))
    puts (".");
  g_strfreev (words);
}

int
main (int argc, char **argv)
{
  char *line = NULL;
  size_t size = 0;

  while (getline (&line, &size, stdin) > 0) {
    g_strchomp (line);
    run (line);
  }
  g_clear_pointer (&zones, gst_y10_zones_free);
  free (line);
  return fflush (stdout) ? 1 : 0;
}
