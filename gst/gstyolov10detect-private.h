/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the element yolov10detect is made of, for the files it is made of:
 * gstyolov10detect.c and, for the properties, gsty10props.c. */

#include "gsty10cuda.h"
#include "gsty10frame.h"
#include "gsty10recover.h"
#include "gsty10session.h"
#include "gsty10stats.h"
#include "gsty10tuning.h"
#include "gsty10types.h"
#include "gstyolov10detect.h"

G_BEGIN_DECLS

struct _GstYolov10Detect
{
  GstBaseTransform parent;

  /* Properties; object lock. */
  GstY10Settings settings;
  gboolean class_agnostic;
  gdouble confidence, iou_threshold;
  guint max_detections;
  GstYolov10Attach attach;
  gboolean active;
  gboolean takes_cuda;          /* frames in CUDA memory; unknown in NULL: yes */

  GstY10Cuda *cuda;             /* locks itself */

  /* start() and stop() change the pointer under the object lock; in between
   * the streaming thread may read it without, and its engine once it has seen
   * under the lock that there is one. */
  GstY10Session *session;
  GstY10Stats stats;            /* object lock */
  GstY10Recovery *recovery;     /* from a lost device */

  /* Streaming thread only. */
  GstY10FrameFormat format;
  GstCaps *refused_caps;
  GstY10Tuning tuning;          /* of the session's engine */
  gboolean frame_active;
};

/* The active-… properties have changed. */
void gst_yolov10_detect_notify_active (GstYolov10Detect * detect);

G_END_DECLS
