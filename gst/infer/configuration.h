/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>
#include <y10/y10.h>

#include "common/enums.h"
#include "common/settings.h"
#include "infer/partrules.h"

G_BEGIN_DECLS

/* Limit of detections per frame; memory is allocated for this many. */
#define GST_Y10_MAX_DETECTIONS 1000

/* Limit and automatic number of concurrent inferences. */
#define GST_Y10_MAX_IN_FLIGHT 8
#define GST_Y10_AUTO_IN_FLIGHT 2

/* Upper limit for queued frames, whatever the properties ask for. */
#define GST_Y10_MAX_FRAMES 64

/* Upper limit for jobs: one per queued frame, one for an arriving frame, and
 * those of detached frames for both the current and the previous session. */
#define GST_Y10_MAX_JOBS \
  (GST_Y10_MAX_FRAMES + 1 + 2 * (GST_Y10_MAX_IN_FLIGHT + 1))

/* The properties that are text; NULL: not set. */
typedef struct
{
  gchar *model_file, *label_file, *input_size, *engine_group;
  gchar *classes, *class_confidence, *encoder_hints;
  gchar *min_size, *max_size;
  gchar *tiles, *region, *roi_type;
} GstY10ConfigTexts;

/* All properties of yolov10detect at one time. Immutable once it is shared. */
typedef struct
{
  GstY10Settings settings;
  GstY10ConfigTexts text;

  /* What a session is made with. */
  Y10BackendKind backend;
  Y10Precision precision;
  Y10Head head;
  guint threads, max_batch, batch_timeout; /* 0: automatic */
  gint priority;
  gint device_id; /* -1: any */
  gboolean cuda_graphs, cuda_tune;

  /* Which frames are inferred, and how. */
  gboolean active;
  guint in_flight, max_queued_frames; /* 0: automatic */
  GstYolov10LatePolicy late_policy;
  guint inference_interval;
  gdouble confidence, iou_threshold;
  guint max_detections;
  gboolean class_agnostic;
  gboolean ignore_par;
  gdouble tile_overlap;
  Y10RegionAnchor region_anchor;
  GstYolov10RoiSource roi_source;

  /* What they carry. */
  GstYolov10Attach attach;
  GstYolov10SkippedBoxes skipped_boxes;
  GstClockTime max_hold;
  gboolean post_messages;

  /* Made from these, except for what names classes. */
  Y10HeadParams params;
  GstY10PartRules *part_rules; /* NULL: frames are inferred as a whole */
} GstY10Config;

GstY10Config *gst_y10_config_copy (const GstY10Config *from);
gboolean gst_y10_config_finish (GstY10Config *config, const GstY10Config *from,
    GError **error);
void gst_y10_config_clear (gpointer config);
gboolean gst_y10_config_check (const GstY10Config *config, GError **error);
gboolean gst_y10_config_suits (const GstY10Config *config,
    const Y10Image *image, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10Config, gst_y10_settings_unref)

G_END_DECLS
