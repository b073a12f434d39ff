/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>

#include "meta/result.h"

G_BEGIN_DECLS

/**
 * GstY10InspectionMeta:
 * @meta: parent
 * @state: where the objects come from, and whether all of them are known
 * @held_for_privacy: whether the detector has received %GST_Y10_PRIVACY_EVENT
 * @age: age of the result in nanoseconds; 0 unless it is held
 * @width: width of the picture in pixels
 * @height: height of the picture in pixels
 * @region: the part of the picture that was inferred, in pixels
 * @n_detections: number of detections attached
 * @first_id: the smallest id of these; all of them have different ids
 * @last_id: the largest one
 * @id_sum: their sum
 *
 * Proves that a detector inspected this very picture. Copies, scaling and
 * format conversion preserve the meta. Scaling that adds borders or distorts marks it
 * as %GST_Y10_STATE_MOVED, and any other change of the picture drops it.
 */
typedef struct
{
  GstMeta meta;
  GstY10State state;
  gboolean held_for_privacy;
  GstClockTime age;
  guint width, height;
  GstVideoRectangle region;
  guint n_detections;
  gint first_id, last_id;
  gint64 id_sum;
} GstY10InspectionMeta;

/* Name of the custom event that yolov10overlay sends upstream when privacy
 * starts or stops to depend on the detectors. Fields: `active` (gboolean), `element`, its
 * name. */
#define GST_Y10_PRIVACY_EVENT "yolov10-privacy"

/* Name of the custom query, in both directions, that finds overlays with privacy on. An
 * overlay answers it, with its name as `element`; upstream, `covered` (gboolean) tells
 * besides that frames have been covered. A detector asks for those downstream of it. */
#define GST_Y10_PRIVACY_QUERY "yolov10-privacy-query"

void gst_y10_inspection_register (void);
GstY10InspectionMeta *gst_y10_inspection_add (GstBuffer *buffer);
const GstY10InspectionMeta *gst_y10_inspection_next (GstBuffer *buffer,
    gpointer *state);

G_END_DECLS
