/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Instance structure of yolov10detect, private to gst/detect, and which thread
 * or lock owns each field. */

#include <gst/base/gstbasetransform.h>

#include "common/cuda.h"
#include "common/frame.h"
#include "infer/configuration.h"
#include "infer/framequeue.h"
#include "infer/hold.h"
#include "infer/latency.h"
#include "infer/policy.h"
#include "infer/queuedframe.h"
#include "infer/session.h"
#include "infer/stats.h"
#include "infer/weakrequests.h"

G_BEGIN_DECLS

#define GST_TYPE_YOLOV10_DETECT (gst_yolov10_detect_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Detect, gst_yolov10_detect, GST, YOLOV10_DETECT,
    GstBaseTransform)

/* Each in its own file. */
typedef struct _GstY10Input GstY10Input;
typedef struct _GstY10Output GstY10Output;
typedef struct _GstY10Recovery GstY10Recovery;
typedef struct _GstY10Reload GstY10Reload;

struct _GstYolov10Detect
{
  GstBaseTransform parent;
  GstPadActivateModeFunction activate_sink; /* of GstBaseTransform */

  /* Held while @config or @image is changed, so that a new configuration suits
   * the frames and no change is lost. Taken before the object lock. */
  GMutex config_lock;

  /* Object lock. */
  GstY10Config *config; /* what the properties say */
  Y10Image image;       /* format and size of frames; width 0: unknown */
  gboolean takes_cuda;  /* accepts CUDA memory; TRUE while in NULL */

  GstY10Cuda *cuda; /* these do their own locking */
  GstY10FrameQueue *frame_queue;
  GstY10Jobs jobs;
  GstY10Recovery *recovery;
  GstY10Reload *reload;

  GstY10Input *in;   /* of the thread that brings frames */
  GstY10Output *out; /* of the task that sends them on */

  /* Object lock. Only start(), stop() and the input thread change the pointer,
   * so the input thread may read it without the lock. */
  GstY10Session *session;
  GstY10Stats stats;
  GstY10Latency latency;
  GstY10WeakRequests weak_requests;
  gboolean live;
  guint max_frames;            /* current limit */
  GstClockTime frame_duration; /* from the caps; 0: unknown */
};

/* Returns a new reference to the session, or NULL below PAUSED. */
GstY10Session *gst_yolov10_detect_get_session (GstYolov10Detect *detect);
/* Returns a new reference to the current configuration. */
GstY10Config *gst_yolov10_detect_get_config (GstYolov10Detect *detect);
/* Returns whether frames may be in CUDA memory. */
gboolean gst_yolov10_detect_takes_cuda (GstYolov10Detect *detect);
/* Tells the engine of @session what frames to expect, and its priority. */
void gst_yolov10_detect_introduce (GstYolov10Detect *detect,
    GstY10Session *session);

G_END_DECLS
