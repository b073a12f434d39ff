/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Holds the zones and lines of one configuration, which never changes: another one
 * replaces it. zones/parse.c makes them. */
#include "zones/set.h"

#include <string.h>

#include <y10/error.h>

#include "common/classes.h"

/* Frees what @zone has, not itself; a GDestroyNotify for arrays of zones. */
void
gst_y10_zone_clear (GstY10Zone *zone)
{
  g_free (zone->name);
  g_strfreev (zone->classes);
  g_free (zone->points);
  g_free (zone->shapes);
  g_free (zone->sides[0]);
  g_free (zone->sides[1]);
  *zone = (GstY10Zone){ .n_points = 0 };
}

/* Opens @zone with what @defaults say. */
static void
init_zone (GstY10Zone *zone, const GstY10ZoneDefaults *defaults)
{
  *zone = (GstY10Zone){
    .anchor = defaults->anchor,
    .hysteresis = defaults->hysteresis,
    .grace = defaults->grace,
  };
  if (defaults->classes && *defaults->classes) {
    gchar **class;

    zone->classes = g_strsplit (defaults->classes, ",", -1);
    for (class = zone->classes; *class; class ++)
      g_strstrip (*class);
  }
}

/* Sets what only zones have. */
void
gst_y10_zone_init_area (GstY10Zone *zone, const GstY10ZoneDefaults *defaults)
{
  zone->limit = defaults->limit;
  zone->n_dwells = defaults->dwell > 0;
  zone->dwells[0] = defaults->dwell;
}

/* Whether @zones have room for one of that name, which is UTF-8. */
static gboolean
check_zone (GArray *zones, const gchar *name, GError **error)
{
  const gsize length = strlen (name);

  if (length > GST_Y10_MAX_ZONE_NAME)
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the name \"%.*s…\" has %" G_GSIZE_FORMAT " bytes; expected at most %u",
        (int) (g_utf8_offset_to_pointer (name, 30) - name), name, length,
        GST_Y10_MAX_ZONE_NAME);
  else if (zones->len == GST_Y10_MAX_ZONES)
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "there are too many; expected at most %u zones and lines",
        GST_Y10_MAX_ZONES);
  else
    return TRUE;
  return FALSE;
}

/* Returns NULL with an error if the set cannot have that zone. */
GstY10Zone *
gst_y10_zones_add (GArray *zones, const gchar *name,
    const GstY10ZoneDefaults *defaults, GError **error)
{
  GstY10Zone zone;

  for (guint i = 0; i < zones->len; i++)
    if (!strcmp (g_array_index (zones, GstY10Zone, i).name, name)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "there are two of the name \"%s\"; expected different names for all zones "
          "and lines",
          name);
      return NULL;
    }
  if (!check_zone (zones, name, error))
    return NULL;
  init_zone (&zone, defaults);
  zone.name = g_strdup (name);
  g_array_append_val (zones, zone);
  return &g_array_index (zones, GstY10Zone, zones->len - 1);
}

/* Takes the #GstY10Zone that are in @zones, and leaves it empty. */
GstY10ZoneSet *
gst_y10_zone_set_new (GArray *zones)
{
  GstY10ZoneSet *self = g_new0 (GstY10ZoneSet, 1);
  gsize n;

  self->refs = 1;
  self->zones = g_array_steal (zones, &n);
  self->n = (guint) n;
  return self;
}

GstY10ZoneSet *
gst_y10_zone_set_ref (GstY10ZoneSet *self)
{
  g_atomic_int_inc (&self->refs);
  return self;
}

/* @self may be NULL. */
void
gst_y10_zone_set_unref (GstY10ZoneSet *self)
{
  if (!self || !g_atomic_int_dec_and_test (&self->refs))
    return;
  for (guint i = 0; i < self->n; i++)
    gst_y10_zone_clear (&self->zones[i]);
  g_free (self->zones);
  g_free (self);
}

/* Index of the zone or line of that name, or -1. */
gint
gst_y10_zone_set_find (const GstY10ZoneSet *self, const gchar *name)
{
  for (guint i = 0; i < self->n; i++)
    if (!strcmp (self->zones[i].name, name))
      return (gint) i;
  return -1;
}

static gboolean
same_classes (gchar **a, gchar **b)
{
  return !a || !b
      ? a == b
      : g_strv_equal ((const gchar *const *) a, (const gchar *const *) b);
}

/* Whether both have the same objects in them. */
gboolean
gst_y10_zone_is_same_place (const GstY10Zone *a, const GstY10Zone *b)
{
  if (a->is_line != b->is_line || a->anchor != b->anchor
      || a->n_points != b->n_points || a->n_shapes != b->n_shapes
      || !same_classes (a->classes, b->classes))
    return FALSE;
  for (guint i = 0; i < a->n_points; i++)
    if (a->points[i].x != b->points[i].x || a->points[i].y != b->points[i].y)
      return FALSE;
  return a->n_shapes == 0
      || !memcmp (a->shapes, b->shapes, a->n_shapes * sizeof *a->shapes);
}

/* Whether objects of that class count. */
gboolean
gst_y10_zone_wants (const GstY10Zone *self, const gchar *label, gsize length)
{
  for (gchar **class = self->classes; class && *class; class ++)
    if (strlen (*class) == length && !memcmp (*class, label, length))
      return TRUE;
  return !self->classes;
}

/* Whether one of the shapes has @point in it. */
gboolean
gst_y10_zone_has_point (const GstY10Zone *self, GstY10Point point)
{
  guint first = 0;

  for (guint i = 0; i < self->n_shapes; i++) {
    if (gst_y10_polygon_has_point (&self->points[first], self->shapes[i],
            point))
      return TRUE;
    first += self->shapes[i];
  }
  return FALSE;
}

/* FALSE with an error if a zone is about a class that @model does not have; @what: where the
 * zones are from. */
gboolean
gst_y10_zone_set_check_classes (const GstY10ZoneSet *self, const gchar *what,
    const gchar *const *classes, const gchar *model, GError **error)
{
  gboolean ok = TRUE;

  for (guint z = 0; ok && z < self->n; z++) {
    const GstY10Zone *zone = &self->zones[z];
    g_autofree gchar *place = g_strdup_printf ("%s: the %s \"%s\"", what,
        zone->is_line ? "line" : "zone", zone->name);

    for (gchar **class = zone->classes; ok && class && *class; class ++)
      ok = gst_y10_classes_check (place, classes, model, *class, error);
  }
  return ok;
}
