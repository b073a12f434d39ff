/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Instance structure of yolov10detect, private to gst/detect, and which thread
 * or lock owns each field. */

#include <gst/base/gstbasetransform.h>

#include "common/cuda.h"
#include "common/frame.h"
#include "detect/messages.h"
#include "infer/config.h"
#include "infer/framequeue.h"
#include "infer/latency.h"
#include "infer/policy.h"
#include "infer/queuedframe.h"
#include "infer/session.h"
#include "infer/stats.h"

G_BEGIN_DECLS

#define GST_TYPE_YOLOV10_DETECT (gst_yolov10_detect_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Detect, gst_yolov10_detect, GST,
    YOLOV10_DETECT, GstBaseTransform)

typedef struct _GstY10Recovery GstY10Recovery;
typedef struct _GstY10Reload GstY10Reload;

/* Upper limit for the bytes of queued frames; a single frame is always
 * accepted. Holds 21 NV12 frames of 3840x2160. */
#define GST_Y10_MAX_BYTES (256 << 20)

struct _GstYolov10Detect
{
  GstBaseTransform parent;
  GstPadActivateModeFunction activate_sink;     /* of GstBaseTransform */

  /* Held while @config or @image is changed, so that a new configuration suits
   * the frames and no change is lost. Taken before the object lock. */
  GMutex config_lock;

  /* Object lock. */
  GstY10Config *config;         /* what the properties say */
  Y10Image image;               /* format and size of frames; width 0: unknown */
  gboolean takes_cuda;          /* accepts CUDA memory; TRUE while in NULL */
  gboolean for_privacy;         /* an overlay asked to hold results */

  GstY10Cuda *cuda;             /* these do their own locking */
  GstY10FrameQueue *frame_queue;
  GstY10Jobs jobs;
  GstY10Recovery *recovery;
  GstY10Reload *reload;

  /* Object lock. Only start(), stop() and the input thread change the pointer,
   * so the input thread may read it without the lock. */
  GstY10Session *session;
  GstY10Stats stats;
  GstY10Latency latency;
  gboolean live;
  guint max_frames;             /* current limit */
  GstClockTime frame_duration;  /* from the caps; 0: unknown */
  GstClockTime late_until;      /* running time, from QoS events */
  GstSegment sent_segment;      /* of the last frame pushed */
  GstClockTime sent_pts;

  /* Input thread. The format changes only while the queue is empty, so the
   * output task may read it. */
  GstY10FrameFormat format;
  gboolean has_format;
  GstCaps *refused_caps;
  GstY10SkipPolicy policy;
  guint epoch;                  /* of the stream and segment; see GstY10Hold */
  gint skips, max_running;      /* last values used; -1: not set yet */
  gboolean stop_told;           /* upstream got the flow error */
  gpointer pool;                /* of the last frame; only compared */
  guint pool_frames;            /* how many it can spare; 0: any */
  GstY10Config *followed;       /* of the last frame; NULL: none yet */
  guint followed_by;            /* serial of its session */

  /* Output task. */
  GstY10Hold hold;
  GstY10Job *detached;          /* jobs of frames already pushed, in order */
  GstY10Tuning tuning;          /* of the engine of session @seen */
  guint seen;                   /* serial of the last session announced */
  GstY10DetectionList detections;       /* of one frame */
};

/* Returns a new reference to the session, or NULL below PAUSED. */
GstY10Session *gst_yolov10_detect_get_session (GstYolov10Detect * detect);
/* Returns a new reference to the current configuration. */
GstY10Config *gst_yolov10_detect_get_config (GstYolov10Detect * detect);
/* Goes back from the model of @from to that of @to, unless another one was set
 * meanwhile. */
void gst_yolov10_detect_reset_model (GstYolov10Detect * detect,
    const GstY10Config * from, const GstY10Config * to);
/* Tells the engine of @session how many parts frames will have. */
void gst_yolov10_detect_expect_parts (GstYolov10Detect * detect,
    GstY10Session * session);

G_END_DECLS
