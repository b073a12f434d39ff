/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Stores areas as arrays in the frame meta. The reader does not trust them: it
 * ignores arrays of another size, clips coordinates to the frame, and drops what
 * is empty or no number. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/areas.h"

#include <math.h>
#include <string.h>

static guint
count_points (const GstY10Areas *self)
{
  guint n = 0;

  for (guint i = 0; i < self->n_shapes; i++)
    n += self->shapes[i];
  return n;
}

static void
set_bytes (GstStructure *structure, const gchar *name, gconstpointer data,
    gsize size)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, g_bytes_new (data, size));
  gst_structure_take_value (structure, name, &value);
}

/* Sets the fields `parts`, `region-shapes` and `region-points`, each unless it
 * would be empty. */
void
gst_y10_areas_write (const GstY10Areas *self, GstStructure *structure)
{
  if (self->n_parts)
    set_bytes (structure, "parts", self->parts,
        self->n_parts * sizeof *self->parts);
  if (!self->n_shapes)
    return;
  set_bytes (structure, "region-shapes", self->shapes,
      self->n_shapes * sizeof *self->shapes);
  set_bytes (structure, "region-points", self->points,
      count_points (self) * sizeof *self->points);
}

/* Copies an array. Returns the number of its items; 0 if there is none, or if it
 * has another size than whole items, up to @most. */
static guint
get_bytes (const GstStructure *structure, const gchar *name, gpointer items,
    gsize item_size, guint most)
{
  const GValue *value = gst_structure_get_value (structure, name);
  gconstpointer data;
  gsize size;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES)
      || !g_value_get_boxed (value))
    return 0;
  data = g_bytes_get_data (g_value_get_boxed (value), &size);
  if (!data || size % item_size || size / item_size > most)
    return 0;
  memcpy (items, data, size);
  return (guint) (size / item_size);
}

static gboolean
clip (gfloat *values, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (!isfinite (values[i]))
      return FALSE;
    values[i] = CLAMP (values[i], 0.0f, 1.0f);
  }
  return TRUE;
}

/* Reads the fields that gst_y10_areas_write() sets. Allocates nothing. */
void
gst_y10_areas_read (GstY10Areas *self, const GstStructure *structure)
{
  guint n, n_points;

  self->n_parts = self->n_shapes = 0;
  n = get_bytes (structure, "parts", self->parts, sizeof *self->parts,
      GST_Y10_MAX_AREA_PARTS);
  for (guint i = 0; i < n; i++) {
    gfloat *part = self->parts[self->n_parts];

    memmove (part, self->parts[i], sizeof self->parts[i]);
    if (clip (part, 4) && part[0] < part[2] && part[1] < part[3])
      self->n_parts++;
  }
  n = get_bytes (structure, "region-shapes", self->shapes, sizeof *self->shapes,
      GST_Y10_MAX_AREA_SHAPES);
  n_points = get_bytes (structure, "region-points", self->points,
      sizeof *self->points, GST_Y10_MAX_AREA_POINTS);
  if (!clip (self->points[0], 2 * n_points))
    return;
  for (; self->n_shapes < n; self->n_shapes++) {
    if (self->shapes[self->n_shapes] > n_points)
      return;
    n_points -= self->shapes[self->n_shapes];
  }
}
