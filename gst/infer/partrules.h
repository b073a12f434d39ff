/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>
#include <y10/parts.h>

G_BEGIN_DECLS

/* The properties that select parts of frames; strings may be NULL. */
typedef struct
{
  gchar *tiles;                 /* "none": no tiles */
  gdouble tile_overlap;
  gchar *region;                /* empty: the whole frame */
  Y10RegionAnchor anchor;
} GstY10PartSettings;

/* Rules by which parts of frames are inferred. Immutable and reference counted;
 * any thread may use them. */
typedef struct _GstY10PartRules GstY10PartRules;

/* The parts of one frame. They have buffers for their detections. */
typedef struct
{
  guint n;                      /* 0: infer the frame as a whole */
  Y10Part parts[Y10_MAX_PARTS];
} GstY10FrameParts;

gboolean gst_y10_part_rules_new (const GstY10PartSettings * settings,
    guint n_jobs, GstY10PartRules ** rules, GError ** error);
GstY10PartRules *gst_y10_part_rules_ref (GstY10PartRules * rules);
void gst_y10_part_rules_unref (GstY10PartRules * rules);

const Y10Region *gst_y10_part_rules_get_region (const GstY10PartRules * rules,
    Y10RegionAnchor * anchor);
gboolean gst_y10_part_rules_count (const GstY10PartRules * rules,
    const Y10Image * image, guint input_width, guint input_height,
    guint * n_parts, GError ** error);
gboolean gst_y10_part_rules_get_seen (const GstY10PartRules * rules,
    const Y10Image * image, GstVideoRectangle * seen);

GstY10FrameParts *gst_y10_part_rules_choose (GstY10PartRules * rules,
    guint job, const Y10Image * image, guint input_width, guint input_height,
    GError ** error);

G_END_DECLS
