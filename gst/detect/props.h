/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "common/enums.h"
#include "detect/detect.h"
#include "infer/session.h"

G_BEGIN_DECLS

enum
{
  GST_Y10_PROP_0,
  GST_Y10_PROP_MODEL_FILE,
  GST_Y10_PROP_LABEL_FILE,
  GST_Y10_PROP_BACKEND,
  GST_Y10_PROP_PRECISION,
  GST_Y10_PROP_HEAD,
  GST_Y10_PROP_INPUT_SIZE,
  GST_Y10_PROP_THREADS,
  GST_Y10_PROP_ENGINE_GROUP,
  GST_Y10_PROP_MAX_BATCH,
  GST_Y10_PROP_BATCH_TIMEOUT,
  GST_Y10_PROP_PRIORITY,
  GST_Y10_PROP_CUDA_DEVICE_ID,
  GST_Y10_PROP_CUDA_GRAPHS,
  GST_Y10_PROP_CUDA_TUNE,
  GST_Y10_PROP_CLASS_AGNOSTIC_NMS,
  GST_Y10_PROP_CONFIDENCE,
  GST_Y10_PROP_IOU_THRESHOLD,
  GST_Y10_PROP_MAX_DETECTIONS,
  GST_Y10_PROP_CLASSES,
  GST_Y10_PROP_CLASS_CONFIDENCE,
  GST_Y10_PROP_MIN_SIZE,
  GST_Y10_PROP_MAX_SIZE,
  GST_Y10_PROP_TILES,
  GST_Y10_PROP_TILE_OVERLAP,
  GST_Y10_PROP_REGION,
  GST_Y10_PROP_REGION_ANCHOR,
  GST_Y10_PROP_ROI_SOURCE,
  GST_Y10_PROP_ROI_TYPE,
  GST_Y10_PROP_ATTACH,
  GST_Y10_PROP_ENCODER_HINTS,
  GST_Y10_PROP_ACTIVE,
  GST_Y10_PROP_IN_FLIGHT,
  GST_Y10_PROP_MAX_QUEUED_FRAMES,
  GST_Y10_PROP_LATE_POLICY,
  GST_Y10_PROP_INFERENCE_INTERVAL,
  GST_Y10_PROP_SKIPPED_BOXES,
  GST_Y10_PROP_MAX_HOLD,
  GST_Y10_PROP_POST_MESSAGES,
  GST_Y10_PROP_ACTIVE_BACKEND,
  GST_Y10_PROP_ACTIVE_DEVICE,
  GST_Y10_PROP_ACTIVE_PRECISION,
  GST_Y10_PROP_FALLBACK_REASON,
  GST_Y10_PROP_STATS,
  GST_Y10_PROP_ENGINE_STATS,
  GST_Y10_N_PROPS
};

void gst_y10_props_install (GObjectClass * class);
GParamSpec *gst_y10_props_get_pspec (guint id);
void gst_y10_props_notify_active (GstYolov10Detect * detect);
void gst_y10_props_init (GstYolov10Detect * self);
void gst_y10_props_set (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec);
void gst_y10_props_get (GObject * object, guint id, GValue * value,
    GParamSpec * pspec);
void gst_y10_props_clear (GstYolov10Detect * self);
void gst_y10_props_warn (GstYolov10Detect * self);

G_END_DECLS
