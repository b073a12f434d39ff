/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the element yolov10detect is made of, for the files it is made of:
 * detect/detect.c, which begins and ends it; detect/pads.c, what flows
 * through it; detect/props.c, its properties; and those they call. */

#include "common/cuda.h"
#include "detect/reload.h"
#include "infer/framequeue.h"
#include "common/frame.h"
#include "infer/latency.h"
#include "infer/policy.h"
#include "infer/queuedframe.h"
#include "detect/recovery.h"
#include "infer/session.h"
#include "infer/stats.h"
#include "detect/tuning.h"
#include "common/enums.h"
#include "detect/detect.h"

G_BEGIN_DECLS

/* Frames here at most, whatever the properties say. */
#define GST_Y10_MAX_FRAMES 64

/* Bytes of frames here at most, whatever the properties say; one frame is always
 * let in. 21 frames of 3840x2160 in NV12. */
#define GST_Y10_MAX_BYTES (256 << 20)

/* Inferences there can be: of all frames that are here and one that comes, and of
 * frames that have left, with this model and the one before it. */
#define GST_Y10_MAX_JOBS \
  (GST_Y10_MAX_FRAMES + 1 + 2 * (GST_Y10_MAX_IN_FLIGHT + 1))

struct _GstYolov10Detect
{
  GstBaseTransform parent;
  GstPadActivateModeFunction activate_sink;     /* the base class's */

  /* Properties; object lock. */
  GstY10Settings settings;
  GstY10FrameParams wanted;          /* but for what is in the session */
  gdouble confidence, iou_threshold;
  GstYolov10LatePolicy late_policy;
  guint inference_interval, max_queued_frames;
  gboolean takes_cuda;          /* frames in CUDA memory; unknown in NULL: yes */

  GstY10Cuda *cuda;             /* these lock themselves */
  GstY10FrameQueue *frame_queue;
  GstY10Jobs jobs;
  GstY10Recovery *recovery;     /* from a lost device */
  GstY10Reload *reload;     /* of the model while playing */

  /* Object lock. Only start(), stop() and the thread that brings frames change
   * the pointer, and that thread reads it without the lock. */
  GstY10Session *session;
  GstY10Stats stats;
  GstY10Latency latency;
  gboolean live;
  guint max_frames;             /* the limit as it is now */
  GstClockTime frame_duration;  /* by the caps; 0: not known */
  GstClockTime late_until;      /* running time, from QoS events */
  GstSegment sent_segment;      /* of the latest frame that left */
  GstClockTime sent_pts;

  /* The thread that brings frames. What the caps say changes only while no
   * frame is here, so that the other one may read it. */
  GstY10FrameFormat format;
  gboolean has_format;
  GstCaps *refused_caps;
  GstY10SkipPolicy policy;
  gint skips, max_running;      /* as it was said last; -1: not yet */
  gboolean stop_told;           /* upstream knows why it has stopped */
  gpointer pool;                /* of the latest frame; only compared */
  guint pool_frames;            /* that upstream can spare of it; 0: any number */

  /* The thread that sends frames on. */
  GstY10Hold hold;
  GstY10Job *detached;          /* jobs whose frames have left, in order */
  GstY10Tuning tuning;          /* of the engine of session @seen */
  guint seen;                   /* its serial; it has been announced */
  gint *ids;                    /* of a frame's detections */
};

/* Whether inference is skipped where it is late; object lock. */
gboolean gst_yolov10_detect_skips (const GstYolov10Detect * detect);
/* A reference to the session, or NULL below PAUSED. */
GstY10Session *gst_yolov10_detect_get_session (GstYolov10Detect * detect);
/* Copies what a session is made from, so that loading runs without the lock. */
void gst_yolov10_detect_copy_settings (GstYolov10Detect * detect,
    GstY10Settings * settings);

G_END_DECLS
