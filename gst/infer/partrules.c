/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which parts of a frame are inferred, from the properties tiles, region
 * and so on. The rules own memory for the parts that each job has: it is allocated
 * when a property changes, so frames that arrived before keep their parts. The
 * kernel provides pages only for the jobs in use, which are always the same few.
 *
 * Regions of interest come from any element and are not trusted: they are
 * clipped to the frame, and only the first ones are inferred. */
#include "infer/partrules.h"

#include <y10/error.h>

#include "common/seen.h"

struct _GstY10PartRules
{
  gint refs;
  Y10Region *region; /* NULL: the whole frame */
  Y10RegionAnchor anchor;
  gboolean tiled;
  Y10Tiles tiles;
  gboolean rois;     /* infer these, not the frame */
  guint n_roi_types; /* 0: all types */
  GQuark roi_types[GST_Y10_MAX_ROI_TYPES];
  guint max_parts; /* of a frame */

  GstY10FrameParts *frames; /* one for each job, like @rows */
  Y10Detection *rows;
};

static gboolean
parse_tiles (GstY10PartRules *self, const GstY10PartSettings *settings,
    GError **error)
{
  const gchar *text = settings->tiles;
  g_autoptr (GError) reason = NULL;

  self->tiled = text && *text && g_strcmp0 (text, "none");
  if (!self->tiled)
    return TRUE;
  self->tiles.size = sizeof self->tiles;
  if (!y10_tiles_parse (text, &self->tiles, &reason)) {
    g_set_error (error, reason->domain, reason->code, "tiles: %s, or \"none\"",
        reason->message);
    return FALSE;
  }
  self->tiles.overlap = settings->tile_overlap;
  return TRUE;
}

static gboolean
parse_region (GstY10PartRules *self, const GstY10PartSettings *settings,
    GError **error)
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

static gboolean
parse_roi_types (GstY10PartRules *self, const GstY10PartSettings *settings,
    GError **error)
{
  g_auto (GStrv)
      types = g_strsplit (settings->roi_type ? settings->roi_type : "", ",",
          -1);

  self->rois = settings->roi_source == GST_YOLOV10_ROI_SOURCE_META;
  if (g_strv_length (types) > GST_Y10_MAX_ROI_TYPES) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "roi-type: found %u types; expected at most %u", g_strv_length (types),
        GST_Y10_MAX_ROI_TYPES);
    return FALSE;
  }
  for (guint i = 0; types[i]; i++)
    if (*g_strstrip (types[i]))
      self->roi_types[self->n_roi_types++] = g_quark_from_string (types[i]);
  return TRUE;
}

/* The most parts that a frame of any size can have. */
static guint
find_max_parts (const GstY10PartRules *self)
{
  if (self->rois)
    return GST_Y10_MAX_ROIS;
  if (!self->tiled)
    return 1;
  return self->tiles.columns ? self->tiles.columns * self->tiles.rows + 1
                             : Y10_MAX_PARTS;
}

static void
free_rules (GstY10PartRules *self)
{
  y10_region_unref (self->region);
  g_free (self->frames);
  g_free (self->rows);
  g_free (self);
}

/* Sets @rules, to NULL if frames are inferred as a whole. @n_jobs is the size of
 * the pool of jobs. Returns FALSE if a property has a bad value. */
gboolean
gst_y10_part_rules_new (const GstY10PartSettings *settings, guint n_jobs,
    GstY10PartRules **rules, GError **error)
{
  GstY10PartRules *self = g_new0 (GstY10PartRules, 1);
  gboolean ok;

  *rules = NULL;
  self->refs = 1;
  ok = parse_tiles (self, settings, error)
      && parse_region (self, settings, error)
      && parse_roi_types (self, settings, error);
  if (!ok || (!self->tiled && !self->region && !self->rois)) {
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
gst_y10_part_rules_ref (GstY10PartRules *self)
{
  g_atomic_int_inc (&self->refs);
  return self;
}

/* No job may use the rules any more when the last reference is dropped. */
void
gst_y10_part_rules_unref (GstY10PartRules *self)
{
  if (self && g_atomic_int_dec_and_test (&self->refs))
    free_rules (self);
}

/* Returns whether `tiles` is set but not used. */
gboolean
gst_y10_part_rules_ignore_tiles (const GstY10PartRules *self)
{
  return self->tiled && self->rois;
}

/* Returns NULL without a region. */
const Y10Region *
gst_y10_part_rules_get_region (const GstY10PartRules *self,
    Y10RegionAnchor *anchor)
{
  *anchor = self->anchor;
  return self->region;
}

static gboolean
plan (const GstY10PartRules *self, const Y10Image *image, guint input_width,
    guint input_height, Y10Part *parts, guint *n, GError **error)
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
gst_y10_part_rules_count (const GstY10PartRules *self, const Y10Image *image,
    guint input_width, guint input_height, guint *n_parts, GError **error)
{
  Y10Part parts[Y10_MAX_PARTS];

  *n_parts = 1;
  if (self->rois)
    return TRUE;
  if (!plan (self, image, input_width, input_height, parts, n_parts, error))
    return FALSE;
  *n_parts = MAX (*n_parts, 1);
  return TRUE;
}

/* Sets the area of the frame in which all objects are reported, however small
 * the visible part of them, in pixels of the frame that @image is of. Returns
 * FALSE if there is none that is a rectangle. */
gboolean
gst_y10_part_rules_get_seen (const GstY10PartRules *self, const Y10Image *image,
    GstVideoRectangle *seen)
{
  return !self->rois
      && gst_y10_seen_find (self->region, self->anchor, image, seen);
}

static gboolean
wants (const GstY10PartRules *self, const GstVideoRegionOfInterestMeta *roi)
{
  for (guint i = 0; i < self->n_roi_types; i++)
    if (roi->roi_type == self->roi_types[i])
      return TRUE;
  return self->n_roi_types == 0;
}

/* Adds a region of interest, clipped to @image and to the region's rectangle. */
static void
add_roi (const GstY10PartRules *self, GstY10FrameParts *parts,
    const Y10Image *image, const GstVideoRegionOfInterestMeta *roi)
{
  /* The fields are unsigned, but producers store negative numbers. */
  gdouble x0 = (gint) roi->x, y0 = (gint) roi->y;
  gdouble x1 = x0 + MAX ((gint) roi->w, 0), y1 = y0 + MAX ((gint) roi->h, 0);
  gdouble bounds[4] = { 0, 0, 1, 1 };

  if (self->region)
    y10_region_get_bounds (self->region, &bounds[0], &bounds[1], &bounds[2],
        &bounds[3]);
  x0 = MAX (x0 - image->x, bounds[0] * image->width);
  y0 = MAX (y0 - image->y, bounds[1] * image->height);
  x1 = MIN (x1 - image->x, bounds[2] * image->width);
  y1 = MIN (y1 - image->y, bounds[3] * image->height);
  if (!(x0 < x1 && y0 < y1))
    return;
  y10_part_set (&parts->parts[parts->n], image, x0, y0, x1, y1);
  parts->ids[parts->n++] = roi->id;
}

static void
collect_rois (const GstY10PartRules *self, GstY10FrameParts *parts,
    GstBuffer *buffer, const Y10Image *image)
{
  gpointer state = NULL;
  GstMeta *meta;

  parts->n = 0;
  while (parts->n < GST_Y10_MAX_ROIS
      && (meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi = (gpointer) meta;

    if (wants (self, roi))
      add_roi (self, parts, image, roi);
  }
}

/* Returns the id of the smallest region of interest that contains a point of the
 * image, or -1. */
gint
gst_y10_frame_parts_find_parent (const GstY10FrameParts *self, gdouble x,
    gdouble y)
{
  gdouble least = G_MAXDOUBLE;
  gint id = -1;

  for (guint i = 0; self->are_rois && i < self->n; i++) {
    const Y10Part *part = &self->parts[i];
    const gdouble area = (gdouble) part->width * part->height;

    if (x < part->x || y < part->y || x > part->x + part->width
        || y > part->y + part->height || area >= least)
      continue;
    least = area;
    id = self->ids[i];
  }
  return id;
}

/* Returns the parts of @image for the job with this index, valid until its next
 * call. @buffer has the regions of interest. Allocates nothing. */
GstY10FrameParts *
gst_y10_part_rules_choose (GstY10PartRules *self, guint job, GstBuffer *buffer,
    const Y10Image *image, guint input_width, guint input_height,
    GError **error)
{
  GstY10FrameParts *parts = &self->frames[job];
  Y10Detection *rows = self->rows
      + (gsize) job * self->max_parts * Y10_MAX_PART_DETECTIONS;

  parts->are_rois = self->rois;
  if (self->rois)
    collect_rois (self, parts, buffer, image);
  else if (!plan (self, image, input_width, input_height, parts->parts,
               &parts->n, error))
    return NULL;
  for (guint i = 0; i < parts->n; i++) {
    parts->parts[i].detections = rows + i * Y10_MAX_PART_DETECTIONS;
    parts->parts[i].max_detections = Y10_MAX_PART_DETECTIONS;
  }
  return parts;
}
