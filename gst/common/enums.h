/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Enum and flags types of the elements' properties. */

#include <gst/gst.h>
#include <y10/engine.h>
#include <y10/image.h>
#include <y10/parts.h>

G_BEGIN_DECLS

/**
 * GstYolov10Attach:
 * @GST_YOLOV10_ATTACH_ROI: a #GstVideoRegionOfInterestMeta for each detection
 * @GST_YOLOV10_ATTACH_ANALYTICS: a GstAnalyticsODMtd for each detection, if the
 *   plugin was built with GStreamer 1.24 or later
 * @GST_YOLOV10_ATTACH_FRAME: one GstYolov10FrameMeta for each frame
 *
 * Which metadata yolov10detect attaches.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_YOLOV10_ATTACH_ROI = 1 << 0,
  GST_YOLOV10_ATTACH_ANALYTICS = 1 << 1,
  GST_YOLOV10_ATTACH_FRAME = 1 << 2,
} GstYolov10Attach;

#define GST_YOLOV10_ATTACH_ALL \
  (GST_YOLOV10_ATTACH_ROI | GST_YOLOV10_ATTACH_ANALYTICS \
      | GST_YOLOV10_ATTACH_FRAME)

/**
 * GstYolov10LatePolicy:
 * @GST_YOLOV10_LATE_AUTO: skip when live, else infer all
 * @GST_YOLOV10_LATE_INFER_ALL: frames wait until they have been inferred
 * @GST_YOLOV10_LATE_SKIP: pass without inference while the engine is busy
 *
 * What to do when inference is slower than the frame rate.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_YOLOV10_LATE_AUTO,
  GST_YOLOV10_LATE_INFER_ALL,
  GST_YOLOV10_LATE_SKIP,
} GstYolov10LatePolicy;

/**
 * GstYolov10SkippedBoxes:
 * @GST_YOLOV10_BOXES_HOLD: boxes of the latest frame that was inferred
 * @GST_YOLOV10_BOXES_NONE: none
 *
 * Which boxes to attach to frames that are not inferred.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_YOLOV10_BOXES_HOLD,
  GST_YOLOV10_BOXES_NONE,
} GstYolov10SkippedBoxes;

/**
 * GstYolov10RoiSource:
 * @GST_YOLOV10_ROI_SOURCE_NONE: infer frames regardless of regions of interest
 * @GST_YOLOV10_ROI_SOURCE_META: infer the regions of interest that are attached
 *   to a frame as #GstVideoRegionOfInterestMeta
 *
 * Whether yolov10detect infers regions of interest.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_YOLOV10_ROI_SOURCE_NONE,
  GST_YOLOV10_ROI_SOURCE_META,
} GstYolov10RoiSource;

/**
 * GstYolov10ZoneAnchor:
 * @GST_YOLOV10_ZONE_ANCHOR_BOTTOM_CENTER: the middle of the lower edge, where an
 *   object stands on the ground
 * @GST_YOLOV10_ZONE_ANCHOR_CENTER: the middle of the box
 * @GST_YOLOV10_ZONE_ANCHOR_TOP_CENTER: the middle of the upper edge
 *
 * The point of a box that is in a zone, or crosses a line.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_YOLOV10_ZONE_ANCHOR_BOTTOM_CENTER,
  GST_YOLOV10_ZONE_ANCHOR_CENTER,
  GST_YOLOV10_ZONE_ANCHOR_TOP_CENTER,
} GstYolov10ZoneAnchor;

/**
 * GstYolov10PublishContent:
 * @GST_YOLOV10_PUBLISH_FRAMES: results of yolov10detect, one for each frame
 * @GST_YOLOV10_PUBLISH_EVENTS: events of yolov10zones
 * @GST_YOLOV10_PUBLISH_ALL: both
 * @GST_YOLOV10_PUBLISH_NONE: nothing; the spool's lines are sent all the same
 *
 * What yolov10publish writes.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_YOLOV10_PUBLISH_FRAMES,
  GST_YOLOV10_PUBLISH_EVENTS,
  GST_YOLOV10_PUBLISH_ALL,
  GST_YOLOV10_PUBLISH_NONE,
} GstYolov10PublishContent;

/**
 * GstYolov10RecordMode:
 * @GST_YOLOV10_RECORD_CONTINUOUS: all of the stream
 * @GST_YOLOV10_RECORD_EVENTS: clips of events
 * @GST_YOLOV10_RECORD_BOTH: both, each in files of its own
 *
 * What yolov10record records.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_YOLOV10_RECORD_CONTINUOUS,
  GST_YOLOV10_RECORD_EVENTS,
  GST_YOLOV10_RECORD_BOTH,
} GstYolov10RecordMode;

/**
 * GstYolov10Privacy:
 * @GST_YOLOV10_PRIVACY_NONE: show what is in the boxes
 * @GST_YOLOV10_PRIVACY_BLUR: make it unrecognizable
 * @GST_YOLOV10_PRIVACY_FILL: hide it
 *
 * What yolov10overlay does to the insides of the boxes it draws, and to the
 * whole picture while the boxes are unknown.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_YOLOV10_PRIVACY_NONE,
  GST_YOLOV10_PRIVACY_BLUR,
  GST_YOLOV10_PRIVACY_FILL,
} GstYolov10Privacy;

#define GST_TYPE_YOLOV10_BACKEND (gst_yolov10_backend_get_type ())
#define GST_TYPE_YOLOV10_PRECISION (gst_yolov10_precision_get_type ())
#define GST_TYPE_YOLOV10_HEAD (gst_yolov10_head_get_type ())
#define GST_TYPE_YOLOV10_ATTACH (gst_yolov10_attach_get_type ())
#define GST_TYPE_YOLOV10_LATE_POLICY (gst_yolov10_late_policy_get_type ())
#define GST_TYPE_YOLOV10_SKIPPED_BOXES (gst_yolov10_skipped_boxes_get_type ())
#define GST_TYPE_YOLOV10_REGION_ANCHOR (gst_yolov10_region_anchor_get_type ())
#define GST_TYPE_YOLOV10_ROI_SOURCE (gst_yolov10_roi_source_get_type ())
#define GST_TYPE_YOLOV10_ZONE_ANCHOR (gst_yolov10_zone_anchor_get_type ())
#define GST_TYPE_YOLOV10_PRIVACY (gst_yolov10_privacy_get_type ())
#define GST_TYPE_YOLOV10_PUBLISH_CONTENT \
  (gst_yolov10_publish_content_get_type ())
#define GST_TYPE_YOLOV10_RECORD_MODE (gst_yolov10_record_mode_get_type ())
GType gst_yolov10_backend_get_type (void);
GType gst_yolov10_precision_get_type (void);
GType gst_yolov10_head_get_type (void);
GType gst_yolov10_attach_get_type (void);
GType gst_yolov10_late_policy_get_type (void);
GType gst_yolov10_skipped_boxes_get_type (void);
GType gst_yolov10_region_anchor_get_type (void);
GType gst_yolov10_roi_source_get_type (void);
GType gst_yolov10_zone_anchor_get_type (void);
GType gst_yolov10_privacy_get_type (void);
GType gst_yolov10_publish_content_get_type (void);
GType gst_yolov10_record_mode_get_type (void);

G_END_DECLS
