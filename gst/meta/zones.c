/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How zones travel with a frame: fields of the frame meta that the detector attached,
 * or of one without records where there is none. Zones of several elements stand behind
 * each other, in the order of the elements. Readers check everything, as any element may
 * have written it. */
#include "meta/zones.h"

#include <math.h>
#include <string.h>

#include "meta/write.h"

/* Corners of all shapes that a reader accepts. */
#define MAX_POINTS (GST_Y10_ZONE_META_MAX * 250)

G_STATIC_ASSERT (sizeof (GstYolov10Zone) == 32);

static void
clear_texts (GstY10ZoneTexts *texts)
{
  g_clear_pointer (&texts->names, g_free);
  g_clear_pointer (&texts->shapes, g_bytes_unref);
  g_clear_pointer (&texts->points, g_bytes_unref);
}

void
gst_y10_zone_outlines_clear (GstY10ZoneOutlines *self)
{
  clear_texts (&self->own);
  clear_texts (&self->before);
  clear_texts (&self->joined);
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

/* Of a frame that has zones already, @views: what is the same for all frames with those.
 * Shapes that no zone has are left out. */
static void
join (GstY10ZoneOutlines *self, const GstStructure *structure,
    const GstY10ZoneViews *views)
{
  const GstY10ZoneTexts *own = &self->own;
  const gchar *names = gst_structure_get_string (structure, "zone-names");
  GByteArray *shapes = g_byte_array_new (), *points = g_byte_array_new ();
  gsize size;
  const guint8 *data;

  clear_texts (&self->before);
  clear_texts (&self->joined);
  self->before.names = g_strdup (names);
  gst_structure_get (structure, "zone-shapes", G_TYPE_BYTES,
      &self->before.shapes, "zone-points", G_TYPE_BYTES, &self->before.points,
      NULL);
  self->joined.names = g_strconcat (names,
      g_str_has_suffix (names, "\n") ? "" : "\n", own->names, NULL);
  if (views->n_shapes)
    g_byte_array_append (shapes, views->shapes,
        views->n_shapes * (guint) sizeof (guint32));
  if (views->n_points)
    g_byte_array_append (points, views->points,
        views->n_points * (guint) (2 * sizeof (gfloat)));
  if ((data = g_bytes_get_data (own->shapes, &size)))
    g_byte_array_append (shapes, data, (guint) size);
  if ((data = g_bytes_get_data (own->points, &size)))
    g_byte_array_append (points, data, (guint) size);
  self->joined.shapes = g_byte_array_free_to_bytes (shapes);
  self->joined.points = g_byte_array_free_to_bytes (points);
}

static GBytes *
peek_bytes (const GstStructure *structure, const gchar *name)
{
  const GValue *value = gst_structure_get_value (structure, name);

  return value && G_VALUE_HOLDS (value, G_TYPE_BYTES)
      ? g_value_get_boxed (value)
      : NULL;
}

/* Whether the zones of @structure are those of the frame before: the same elements have
 * written them, which share arrays among frames. */
static gboolean
is_joined (const GstY10ZoneOutlines *self, const GstStructure *structure,
    const GstY10ZoneViews *views)
{
  return self->joined.names
      && self->before.shapes == peek_bytes (structure, "zone-shapes")
      && self->before.points == peek_bytes (structure, "zone-points")
      && g_bytes_get_size (self->joined.shapes)
      == views->n_shapes * sizeof (guint32)
          + g_bytes_get_size (self->own.shapes)
      && g_bytes_get_size (self->joined.points)
      == views->n_points * 2 * sizeof (gfloat)
          + g_bytes_get_size (self->own.points)
      && !strcmp (self->before.names,
          gst_structure_get_string (structure, "zone-names"));
}

/* Sets the fields of zones, behind those that are there. What is there must be right as a
 * whole: otherwise a reader would take ours for something else, and so they replace it. At
 * most GST_Y10_ZONE_META_MAX have room. */
void
gst_y10_zone_meta_write (GstStructure *structure, GstY10ZoneOutlines *outlines,
    const GstYolov10Zone *zones, guint n)
{
  const GstY10ZoneTexts *texts = &outlines->own;
  GBytes *before = peek_bytes (structure, "zones");
  GValue value = G_VALUE_INIT;
  GstY10ZoneViews views;
  GstYolov10Zone *all;

  gst_y10_zone_views_read (&views, structure);
  if (!before || views.n * sizeof *all != g_bytes_get_size (before))
    views.n = 0;
  if (views.n) {
    if (!is_joined (outlines, structure, &views))
      join (outlines, structure, &views);
    texts = &outlines->joined;
    n = MIN (n, GST_Y10_ZONE_META_MAX - views.n);
  }
  all = g_new (GstYolov10Zone, views.n + n);
  for (guint i = 0; i < views.n; i++)
    all[i] = views.zones[i].zone;
  for (guint i = 0; i < n; i++) {
    all[views.n + i] = zones[i];
    all[views.n + i].name_offset += (guint32) (strlen (texts->names)
        - strlen (outlines->own.names));
  }
  n += views.n;
  gst_structure_set (structure, "zone-size", G_TYPE_UINT, (guint) sizeof *zones,
      "zone-names", G_TYPE_STRING, texts->names, "zone-shapes", G_TYPE_BYTES,
      texts->shapes, "zone-points", G_TYPE_BYTES, texts->points, NULL);
  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, g_bytes_new_take (all, n * sizeof *all));
  gst_structure_take_value (structure, "zones", &value);
}

static const guint8 *
get_bytes (const GstStructure *structure, const gchar *name, gsize *size)
{
  GBytes *bytes = peek_bytes (structure, name);

  *size = 0;
  return bytes ? g_bytes_get_data (bytes, size) : NULL;
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

  self->n = self->n_shapes = self->n_points = 0;
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
    self->n_shapes = shape;
    self->n_points = point;
  }
}
