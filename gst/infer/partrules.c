/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which parts of a frame are inferred, from the properties tiles, region
 * and so on. The rules own memory for the parts that each job has: it is allocated
 * when a property changes, so frames that arrived before keep their parts. The
 * kernel provides pages only for the jobs in use, which are always the same few. */
#include "infer/partrules.h"

#include <math.h>

#include <y10/error.h>

struct _GstY10PartRules
{
  gint refs;
  Y10Region *region;            /* NULL: the whole frame */
  Y10RegionAnchor anchor;
  gboolean tiled;
  Y10Tiles tiles;
  guint max_parts;              /* of a frame */

  GstY10FrameParts *frames;     /* one for each job, like @rows */
  Y10Detection *rows;
};

static gboolean
parse_tiles (GstY10PartRules * self, const GstY10PartSettings * settings,
    GError ** error)
{
  const gchar *text = settings->tiles;
  GError *reason = NULL;

  self->tiled = text && *text && g_strcmp0 (text, "none");
  if (!self->tiled)
    return TRUE;
  self->tiles.size = sizeof self->tiles;
  if (!y10_tiles_parse (text, &self->tiles, &reason)) {
    g_set_error (error, reason->domain, reason->code, "tiles: %s, or \"none\"",
        reason->message);
    g_error_free (reason);
    return FALSE;
  }
  self->tiles.overlap = settings->tile_overlap;
  return TRUE;
}

static gboolean
parse_region (GstY10PartRules * self, const GstY10PartSettings * settings,
    GError ** error)
{
  const gchar *text = settings->region;

  if (!text || !*text)
    return TRUE;
  self->region = y10_region_parse (text, error);
  if (!self->region)
    g_prefix_error (error, "region: ");
  self->anchor = settings->anchor;
  return self->region != NULL;
}

/* The most parts that a frame of any size can have. */
static guint
find_max_parts (const GstY10PartRules * self)
{
  if (!self->tiled)
    return 1;
  return self->tiles.columns ? self->tiles.columns * self->tiles.rows + 1
      : Y10_MAX_PARTS;
}

static void
free_rules (GstY10PartRules * self)
{
  y10_region_unref (self->region);
  g_free (self->frames);
  g_free (self->rows);
  g_free (self);
}

/* Sets @rules, to NULL if frames are inferred as a whole. @n_jobs is the size of
 * the pool of jobs. Returns FALSE if a property has a bad value. */
gboolean
gst_y10_part_rules_new (const GstY10PartSettings * settings, guint n_jobs,
    GstY10PartRules ** rules, GError ** error)
{
  GstY10PartRules *self = g_new0 (GstY10PartRules, 1);
  gboolean ok;

  *rules = NULL;
  self->refs = 1;
  ok = parse_tiles (self, settings, error)
      && parse_region (self, settings, error);
  if (!ok || (!self->tiled && !self->region)) {
    free_rules (self);
    return ok;
  }
  self->max_parts = find_max_parts (self);
  self->frames = g_new (GstY10FrameParts, n_jobs);
  self->rows = g_new (Y10Detection,
      (gsize) n_jobs * self->max_parts * Y10_MAX_PART_DETECTIONS);
  *rules = self;
  return TRUE;
}

GstY10PartRules *
gst_y10_part_rules_ref (GstY10PartRules * self)
{
  g_atomic_int_inc (&self->refs);
  return self;
}

/* No job may use the rules any more when the last reference is dropped. */
void
gst_y10_part_rules_unref (GstY10PartRules * self)
{
  if (self && g_atomic_int_dec_and_test (&self->refs))
    free_rules (self);
}

/* Returns NULL without a region. */
const Y10Region *
gst_y10_part_rules_get_region (const GstY10PartRules * self,
    Y10RegionAnchor * anchor)
{
  *anchor = self->anchor;
  return self->region;
}

static gboolean
plan (const GstY10PartRules * self, const Y10Image * image,
    guint input_width, guint input_height, Y10Part * parts, guint * n,
    GError ** error)
{
  if (y10_parts_plan (image, self->region, self->tiled ? &self->tiles : NULL,
          input_width, input_height, parts, Y10_MAX_PARTS, n, error))
    return TRUE;
  g_prefix_error (error, "tiles: ");
  return FALSE;
}

/* Counts the parts of frames like @image. Returns FALSE if there would be too
 * many. */
gboolean
gst_y10_part_rules_count (const GstY10PartRules * self,
    const Y10Image * image, guint input_width, guint input_height,
    guint * n_parts, GError ** error)
{
  Y10Part parts[Y10_MAX_PARTS];

  if (!plan (self, image, input_width, input_height, parts, n_parts, error))
    return FALSE;
  *n_parts = MAX (*n_parts, 1);
  return TRUE;
}

static gboolean
is_rectangle (const Y10Region * region)
{
  gdouble x[4], y[4];

  if (y10_region_get_n_shapes (region) != 1
      || y10_region_get_n_points (region, 0) != 4)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    y10_region_get_point (region, 0, i, &x[i], &y[i]);
  return (x[0] == x[1] && y[1] == y[2] && x[2] == x[3] && y[3] == y[0])
      || (y[0] == y[1] && x[1] == x[2] && y[2] == y[3] && x[3] == x[0]);
}

/* Sets the area of the frame in which all objects are reported, however small
 * the visible part of them, in pixels of the frame that @image is of. Returns
 * FALSE if there is none that is a rectangle. */
gboolean
gst_y10_part_rules_get_seen (const GstY10PartRules * self,
    const Y10Image * image, GstVideoRectangle * seen)
{
  gdouble x0 = 0, y0 = 0, x1 = 1, y1 = 1;
  gint left, upper;

  if (self->region && (self->anchor != Y10_REGION_ANCHOR_OVERLAP
          || !is_rectangle (self->region)))
    return FALSE;
  if (self->region)
    y10_region_get_bounds (self->region, &x0, &y0, &x1, &y1);
  left = (gint) ceil (x0 * image->width);
  upper = (gint) ceil (y0 * image->height);
  *seen = (GstVideoRectangle) {
    (gint) image->x + left, (gint) image->y + upper,
    MAX ((gint) (x1 * image->width) - left, 0),
    MAX ((gint) (y1 * image->height) - upper, 0)
  };
  return TRUE;
}

/* Returns the parts of @image for the job with this index, valid until its next
 * call. Allocates nothing. */
GstY10FrameParts *
gst_y10_part_rules_choose (GstY10PartRules * self, guint job,
    const Y10Image * image, guint input_width, guint input_height,
    GError ** error)
{
  GstY10FrameParts *parts = &self->frames[job];
  Y10Detection *rows = self->rows
      + (gsize) job * self->max_parts * Y10_MAX_PART_DETECTIONS;

  if (!plan (self, image, input_width, input_height, parts->parts, &parts->n,
          error))
    return NULL;
  for (guint i = 0; i < parts->n; i++) {
    parts->parts[i].detections = rows + i * Y10_MAX_PART_DETECTIONS;
    parts->parts[i].max_detections = Y10_MAX_PART_DETECTIONS;
  }
  return parts;
}
