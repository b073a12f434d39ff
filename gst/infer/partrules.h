/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>
#include <y10/parts.h>

#include "common/enums.h"

G_BEGIN_DECLS

/* Limit of regions of interest that are inferred in a frame. */
#define GST_Y10_MAX_ROIS 64
G_STATIC_ASSERT (GST_Y10_MAX_ROIS <= Y10_MAX_PARTS);

/* Limit of types in `roi-type`. */
#define GST_Y10_MAX_ROI_TYPES 32

/* The properties that select parts of frames; strings may be NULL. */
typedef struct
{
  const gchar *tiles; /* "none": no tiles */
  gdouble tile_overlap;
  const gchar *region; /* empty: the whole frame */
  Y10RegionAnchor anchor;
  GstYolov10RoiSource roi_source;
  const gchar *roi_type; /* separated by commas; empty: all */
} GstY10PartSettings;

/* Rules by which parts of frames are inferred. Reference counted; any thread may use
 * them. They do not change, but own a buffer for each job, which only the job with
 * that index uses. */
typedef struct _GstY10PartRules GstY10PartRules;

/* The parts of one frame. They have buffers for their detections. */
typedef struct
{
  guint n;
  gboolean are_rois; /* else 0 parts: infer the frame as a whole */
  Y10Part parts[Y10_MAX_PARTS];
  gint ids[GST_Y10_MAX_ROIS]; /* of the regions of interest */
} GstY10FrameParts;

gboolean gst_y10_part_rules_new (const GstY10PartSettings *settings,
    guint n_jobs, GstY10PartRules **rules, GError **error);
GstY10PartRules *gst_y10_part_rules_ref (GstY10PartRules *rules);
void gst_y10_part_rules_unref (GstY10PartRules *rules);

gboolean gst_y10_part_rules_ignore_tiles (const GstY10PartRules *rules);
const Y10Region *gst_y10_part_rules_get_region (const GstY10PartRules *rules,
    Y10RegionAnchor *anchor);
gboolean gst_y10_part_rules_count (const GstY10PartRules *rules,
    const Y10Image *image, guint input_width, guint input_height,
    guint *n_parts, GError **error);
gboolean gst_y10_part_rules_get_seen (const GstY10PartRules *rules,
    const Y10Image *image, GstVideoRectangle *seen);

GstY10FrameParts *gst_y10_part_rules_choose (GstY10PartRules *rules, guint job,
    GstBuffer *buffer, const Y10Image *image, guint input_width,
    guint input_height, GError **error);
gint gst_y10_frame_parts_find_parent (const GstY10FrameParts *parts, gdouble x,
    gdouble y);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10PartRules, gst_y10_part_rules_unref)

G_END_DECLS
