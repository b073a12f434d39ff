/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How zones travel with a frame: fields of the frame meta that the detector attached,
 * or of one without records where there is none. A frame has the zones of one element;
 * another one's replace them. Readers check everything, as any element may have written
 * it. */
#include "meta/zones.h"

#include <math.h>
#include <string.h>

#include "meta/write.h"

/* Corners of all shapes that a reader accepts. */
#define MAX_POINTS (GST_Y10_ZONE_META_MAX * 250)

G_STATIC_ASSERT (sizeof (GstYolov10Zone) == 32);

void
gst_y10_zone_outlines_clear (GstY10ZoneOutlines *self)
{
  g_clear_pointer (&self->names, g_free);
  g_clear_pointer (&self->shapes, g_bytes_unref);
  g_clear_pointer (&self->points, g_bytes_unref);
}

/* Returns the structure of the frame meta of @buffer, which is writable, to set fields
 * in. @width and @height may be 0, if not known. */
GstStructure *
gst_y10_zone_meta_open (GstBuffer *buffer, const gchar *producer, guint width,
    guint height)
{
  gpointer state = NULL;
  const GstStructure *found = gst_yolov10_frame_meta_find (buffer, &state);
  GstStructure *structure;

  if (found)
    return (GstStructure *) found;
  structure = gst_custom_meta_get_structure (
      gst_buffer_add_custom_meta (buffer, GST_YOLOV10_FRAME_META_NAME));
  gst_structure_set (structure, "version", G_TYPE_UINT, 1, "producer",
      G_TYPE_STRING, producer, "model", G_TYPE_STRING, "", "width", G_TYPE_UINT,
      width, "height", G_TYPE_UINT, height, "inference", G_TYPE_STRING,
      "skipped", "age", G_TYPE_UINT64, (guint64) 0, "count", G_TYPE_UINT, 0,
      "record-size", G_TYPE_UINT, (guint) sizeof (GstYolov10Record), "labels",
      G_TYPE_STRING, "", NULL);
  return structure;
}

/* Sets the fields of zones. */
void
gst_y10_zone_meta_write (GstStructure *structure,
    const GstY10ZoneOutlines *outlines, const GstYolov10Zone *zones, guint n)
{
  GValue value = G_VALUE_INIT;

  gst_structure_set (structure, "zone-size", G_TYPE_UINT, (guint) sizeof *zones,
      "zone-names", G_TYPE_STRING, outlines->names, "zone-shapes", G_TYPE_BYTES,
      outlines->shapes, "zone-points", G_TYPE_BYTES, outlines->points, NULL);
  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, g_bytes_new (zones, n * sizeof *zones));
  gst_structure_take_value (structure, "zones", &value);
}

static const guint8 *
get_bytes (const GstStructure *structure, const gchar *name, gsize *size)
{
  const GValue *value = gst_structure_get_value (structure, name);

  *size = 0;
  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES)
      || !g_value_get_boxed (value))
    return NULL;
  return g_bytes_get_data (g_value_get_boxed (value), size);
}

/* Number of corners of a shape that was read. */
guint
gst_y10_zone_views_get_shape (const GstY10ZoneViews *self, guint shape)
{
  guint32 n;

  memcpy (&n, self->shapes + shape * sizeof n, sizeof n);
  return n;
}

/* Fractions of the frame. */
void
gst_y10_zone_views_get_point (const GstY10ZoneViews *self, guint point,
    gfloat *xy)
{
  memcpy (xy, self->points + point * 2 * sizeof *xy, 2 * sizeof *xy);
}

/* Finds the shapes of a zone; those of a line are its two ends. Returns FALSE if they
 * are not there. */
static gboolean
find_shapes (const GstY10ZoneViews *self, const GstY10ZoneView *view,
    guint n_shapes, guint n_points, guint *next_shape, guint *next_point)
{
  guint corners = view->zone.n_shapes ? 0 : 2;

  if (view->zone.n_shapes > n_shapes - *next_shape)
    return FALSE;
  for (guint i = 0; i < view->zone.n_shapes && corners <= n_points; i++) {
    const guint n = gst_y10_zone_views_get_shape (self, *next_shape + i);

    corners += MIN (n, n_points + 1);
  }
  if (corners > n_points - *next_point)
    return FALSE;
  *next_shape += view->zone.n_shapes;
  *next_point += corners;
  return TRUE;
}

static gboolean
has_places (const GstY10ZoneViews *self, guint from, guint to)
{
  for (; from < to; from++) {
    gfloat xy[2];

    gst_y10_zone_views_get_point (self, from, xy);
    if (!(xy[0] >= 0 && xy[0] <= 1 && xy[1] >= 0 && xy[1] <= 1))
      return FALSE;
  }
  return TRUE;
}

/* Reads the zones of a frame meta: none if it has none, and of damaged ones those
 * before the damage. Allocates nothing. */
void
gst_y10_zone_views_read (GstY10ZoneViews *self, const GstStructure *structure)
{
  gsize size, shapes_size, points_size, names_length;
  const guint8 *zones = get_bytes (structure, "zones", &size);
  const gchar *names = gst_structure_get_string (structure, "zone-names");
  guint step = 0, n, shape = 0, point = 0;

  self->n = 0;
  self->shapes = get_bytes (structure, "zone-shapes", &shapes_size);
  self->points = get_bytes (structure, "zone-points", &points_size);
  if (!zones || !names
      || !gst_structure_get_uint (structure, "zone-size", &step)
      || step < sizeof (GstYolov10Zone))
    return;
  names_length = strlen (names);
  n = (guint) MIN (size / step, GST_Y10_ZONE_META_MAX);
  for (guint i = 0; i < n; i++) {
    GstY10ZoneView *view = &self->zones[i];

    memcpy (&view->zone, zones + (gsize) i * step, sizeof view->zone);
    view->first_shape = shape;
    view->first_point = point;
    if (view->zone.name_offset >= names_length
        || !find_shapes (self, view,
            (guint) MIN (shapes_size / sizeof (guint32), MAX_POINTS),
            (guint) MIN (points_size / (2 * sizeof (gfloat)), MAX_POINTS),
            &shape, &point)
        || !has_places (self, view->first_point, point))
      return;
    view->name = names + view->zone.name_offset;
    view->name_length = strcspn (view->name, "\n");
    self->n++;
  }
}
