/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Input side of yolov10detect. For each buffer it takes the current
 * configuration, so that later changes affect later frames only, decides whether
 * to infer the frame, submits it to the engine and waits for room in the frame
 * queue. A live source does not wait: the oldest queued frame leaves instead.
 * Anything that requires an empty queue, such as new caps or a new CUDA context,
 * happens here. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/input.h"

#include "common/elementerror.h"
#include "detect/lifecycle.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

/* Upper limit for the bytes of queued frames; a single frame is always
 * accepted. Holds 21 NV12 frames of 3840x2160. */
#define MAX_BYTES (256 << 20)

/* Input thread, unless noted. */
struct _GstY10Input
{
  GstY10FrameFormat format;
  gboolean has_format;
  GstCaps *refused_caps;
  GstY10SkipPolicy policy;
  guint epoch;               /* of the stream and segment; see GstY10Hold */
  gint skips, max_running;   /* last values used; -1: not set yet */
  gboolean flow_returned;    /* upstream got the flow error */
  gpointer pool;             /* of the last frame; only compared */
  guint pool_frames;         /* how many it can spare; 0: any */
  GstY10Config *last_config; /* of the last frame; NULL: none yet */
  guint last_serial;         /* of its session */

  /* Object lock. */
  GstClockTime late_until; /* running time, from QoS events */
  gboolean for_privacy;    /* an overlay asked to hold results */
};

GstY10Input *
gst_y10_input_new (void)
{
  GstY10Input *in = g_new0 (GstY10Input, 1);

  gst_y10_policy_reset (&in->policy);
  in->late_until = GST_CLOCK_TIME_NONE;
  return in;
}

void
gst_y10_input_free (GstY10Input *in)
{
  g_free (in);
}

/* Call before the first frame. */
void
gst_y10_input_begin (GstYolov10Detect *self)
{
  self->in->skips = self->in->max_running = -1;
  self->in->pool = NULL;
  GST_OBJECT_LOCK (self);
  self->max_frames = 0; /* of the last run; a latency query may come first */
  GST_OBJECT_UNLOCK (self);
}

/* Frames will come that have no relation to earlier ones in time. Call while none
 * comes. */
void
gst_y10_input_flush (GstYolov10Detect *self)
{
  gst_y10_policy_reset (&self->in->policy);
  self->in->flow_returned = FALSE;
  gst_y10_input_set_late (self, GST_CLOCK_TIME_NONE);
}

static void
set_image (GstYolov10Detect *self, const Y10Image *image)
{
  GST_OBJECT_LOCK (self);
  self->image = *image;
  GST_OBJECT_UNLOCK (self);
}

/* Call after the last frame. */
void
gst_y10_input_end (GstYolov10Detect *self)
{
  GstY10Input *in = self->in;

  g_clear_pointer (&in->last_config, gst_y10_settings_unref);
  gst_caps_replace (&in->refused_caps, NULL);
  in->has_format = FALSE;
  g_mutex_lock (&self->config_lock);
  set_image (self, &(Y10Image){ 0 });
  g_mutex_unlock (&self->config_lock);
  GST_OBJECT_LOCK (self);
  in->for_privacy = FALSE;
  gst_y10_weak_requests_clear (&self->weak_requests);
  self->frame_duration = 0;
  GST_OBJECT_UNLOCK (self);
}

/* Frames before running time @time, which may be NONE, would be too late. Any
 * thread. */
void
gst_y10_input_set_late (GstYolov10Detect *self, GstClockTime time)
{
  GST_OBJECT_LOCK (self);
  self->in->late_until = time;
  GST_OBJECT_UNLOCK (self);
}

/* Whether to hold results regardless of their age. Any thread. */
void
gst_y10_input_set_privacy (GstYolov10Detect *self, gboolean active)
{
  GST_OBJECT_LOCK (self);
  self->in->for_privacy = active;
  GST_OBJECT_UNLOCK (self);
}

/* The next frames are of another stream or segment. The first one is due, whatever
 * inference-interval is. */
void
gst_y10_input_begin_epoch (GstYolov10Detect *self)
{
  self->in->epoch++;
  self->in->policy.begun = FALSE;
}

/* The flow goes on after an error that upstream has seen. */
void
gst_y10_input_resume (GstYolov10Detect *self)
{
  self->in->flow_returned = FALSE;
}

static gboolean
is_fatal (GstFlowReturn flow)
{
  return flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS;
}

/* Posts a flow error at EOS if upstream has not seen it: no further buffer will
 * return it. */
void
gst_y10_input_end_stream (GstYolov10Detect *self)
{
  GstFlowReturn flow = gst_y10_frame_queue_get_stop (self->frame_queue);

  if (flow && is_fatal (flow) && !self->in->flow_returned)
    GST_ELEMENT_FLOW_ERROR (self, flow);
}

/* Posts an error for unsupported caps. Upstream resends a rejected event with the
 * next buffer; that must not post a second error. */
void
gst_y10_input_check_caps (GstYolov10Detect *self, GstCaps *caps)
{
  GstY10FrameFormat format;
  g_autoptr (GError) error = NULL;

  if (gst_y10_frame_format_init (&format, caps,
          gst_yolov10_detect_takes_cuda (self), &error)) {
    gst_caps_replace (&self->in->refused_caps, NULL);
  } else if (caps != self->in->refused_caps) {
    gst_caps_replace (&self->in->refused_caps, caps);
    GST_Y10_ELEMENT_ERROR (self, error);
  }
}

static gboolean
set_image_of_format (GstYolov10Detect *self)
{
  GstY10Input *in = self->in;
  Y10Image image = in->format.image;
  g_autoptr (GError) error = NULL;

  image.width = (guint) GST_VIDEO_INFO_WIDTH (&in->format.info);
  image.height = (guint) GST_VIDEO_INFO_HEIGHT (&in->format.info);
  g_mutex_lock (&self->config_lock);
  set_image (self, &image);
  in->has_format = gst_y10_config_suits (self->config, &image, &error);
  g_mutex_unlock (&self->config_lock);
  if (!in->has_format)
    GST_Y10_ELEMENT_ERROR (self, error);
  return in->has_format;
}

/* Call while the frame queue is empty. */
gboolean
gst_y10_input_set_caps (GstYolov10Detect *self, GstCaps *caps)
{
  GstY10Input *in = self->in;
  const GstVideoInfo *info = &in->format.info;
  GstClockTime duration = 0;

  in->has_format = gst_y10_frame_format_init (&in->format, caps,
      gst_yolov10_detect_takes_cuda (self), NULL);
  if (in->has_format && GST_VIDEO_INFO_FPS_N (info) > 0)
    duration = gst_util_uint64_scale_int (GST_SECOND,
        GST_VIDEO_INFO_FPS_D (info), GST_VIDEO_INFO_FPS_N (info));
  GST_OBJECT_LOCK (self);
  self->frame_duration = duration;
  GST_OBJECT_UNLOCK (self);
  if (!in->has_format || !set_image_of_format (self))
    return FALSE;
  if (self->session)
    gst_yolov10_detect_introduce (self, self->session);
  if (gst_y10_frame_format_is_odd (&in->format))
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The caps have a pixel-aspect-ratio of %d/%d, which is ignored; expected 1/%u to %u/1.",
            GST_VIDEO_INFO_PAR_N (info), GST_VIDEO_INFO_PAR_D (info),
            Y10_MAX_PIXEL_ASPECT_RATIO, Y10_MAX_PIXEL_ASPECT_RATIO),
        (NULL));
  return TRUE;
}

/* Returns the flow that stopped the output task, to pass upstream. */
static GstFlowReturn
stopped (GstYolov10Detect *self)
{
  GstFlowReturn flow = gst_y10_frame_queue_get_stop (self->frame_queue);

  if (!flow)
    return GST_FLOW_FLUSHING;
  self->in->flow_returned = TRUE;
  return flow;
}

/* Drains the queue and renegotiates if downstream asked for it. */
static GstFlowReturn
negotiate (GstYolov10Detect *self)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);

  if (GST_PAD_NEEDS_RECONFIGURE (base->srcpad)) {
    if (!gst_y10_frame_queue_drain (self->frame_queue, FALSE))
      return GST_FLOW_FLUSHING;
    if (!gst_base_transform_reconfigure (base))
      return GST_PAD_IS_FLUSHING (base->srcpad) ? GST_FLOW_FLUSHING
                                                : GST_FLOW_NOT_NEGOTIATED;
  }
  return self->in->has_format ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

static void
set_controlled_values (GstYolov10Detect *self, GstBuffer *buffer)
{
  GstClockTime time =
      gst_segment_to_stream_time (&GST_BASE_TRANSFORM (self)->segment,
          GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
}

/* The configuration of one frame, and what goes with it. */
typedef struct
{
  GstY10Config *config;
  gboolean for_privacy;
  gfloat weak_confidence;
  GstY10PolicyInput policy;
  gboolean live;
  GstClockTime inference, frame_interval;
  gint64 max_wait; /* for a turn, in nanoseconds */
} Snapshot;

static void
snapshot_properties (GstYolov10Detect *self, GstBuffer *buffer,
    gint64 arrived_at, Snapshot *now)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  gboolean qos = gst_base_transform_is_qos_enabled (base);
  GstClockTime duration;

  GST_OBJECT_LOCK (self);
  now->config = gst_y10_settings_ref (self->config);
  now->for_privacy = self->in->for_privacy;
  now->weak_confidence = gst_y10_weak_requests_next (&self->weak_requests);
  now->policy.skip = gst_y10_policy_skips (self->config->late_policy,
      self->live);
  now->policy.every_nth = self->config->inference_interval;
  now->policy.late_until = qos ? self->in->late_until : GST_CLOCK_TIME_NONE;
  now->live = self->live;
  now->inference = self->latency.reported;
  duration = self->frame_duration;
  GST_OBJECT_UNLOCK (self);
  now->frame_interval = gst_y10_policy_arrived (&self->in->policy, arrived_at,
      duration);
  now->max_wait = (gint64) gst_y10_policy_max_wait (now->frame_interval,
      duration);
  now->policy.running_time = gst_segment_to_running_time (&base->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
}

/* Looks at a new configuration, or session, with its first frame. The classes fit,
 * unless another model took over since they were set. */
static void
notice_config (GstYolov10Detect *self, GstY10Config *config)
{
  GstY10Input *in = self->in;
  GstY10Config *old = in->last_config;
  g_autoptr (GError) error = NULL;

  if (old == config && in->last_serial == self->session->serial)
    return;
  in->last_config = gst_y10_settings_ref (config);
  in->last_serial = self->session->serial;
  if (!old || old->part_rules != config->part_rules)
    gst_yolov10_detect_introduce (self, self->session);
  if (!gst_y10_session_use_classes (self->session, config, &error))
    GST_Y10_ELEMENT_WARNING (self, error);
  gst_y10_settings_unref (old);
}

/* Computes how many of its buffers upstream's pool can spare: all but the one
 * being filled and the one downstream holds. */
static void
check_pool (GstYolov10Detect *self, GstBuffer *buffer)
{
  GstY10Input *in = self->in;
  guint max = 0;

  if (buffer->pool == in->pool)
    return;
  in->pool = buffer->pool;
  if (buffer->pool) {
    g_autoptr (GstStructure) config = gst_buffer_pool_get_config (buffer->pool);

    gst_buffer_pool_config_get_params (config, NULL, NULL, NULL, &max);
  }
  in->pool_frames = max ? MAX (max, 3) - 2 : 0;
}

static guint
choose_max_frames (GstYolov10Detect *self, const Snapshot *now, guint running)
{
  gsize size = MAX (GST_VIDEO_INFO_SIZE (&self->in->format.info), 1);
  guint frames = now->config->max_queued_frames;

  if (!frames)
    frames = gst_y10_policy_auto_frames (now->policy.skip, running,
        now->inference, now->frame_interval);
  if (!now->policy.skip)
    return frames;
  if (self->in->pool_frames)
    frames = MIN (frames, self->in->pool_frames);
  return (guint) CLAMP (MAX_BYTES / size, 1, frames);
}

static void
set_limits (GstYolov10Detect *self, const Snapshot *now)
{
  guint running = gst_y10_policy_max_running (now->config->in_flight,
      now->policy.skip);
  guint frames = choose_max_frames (self, now, running);
  gboolean slower;

  GST_OBJECT_LOCK (self);
  slower = now->policy.skip
      && gst_y10_latency_wait (&self->latency, now->frame_interval);
  GST_OBJECT_UNLOCK (self);
  if (slower)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
  if (self->in->skips == now->policy.skip
      && self->in->max_running == (gint) running && self->max_frames == frames)
    return;
  GST_INFO_OBJECT (self, "up to %u queued frames, %u inferred concurrently; %s",
      frames, running,
      now->policy.skip ? "late frames skip inference"
                       : "every frame is inferred");
  self->in->skips = now->policy.skip;
  self->in->max_running = (gint) running;
  GST_OBJECT_LOCK (self);
  self->max_frames = frames;
  GST_OBJECT_UNLOCK (self);
  gst_y10_frame_queue_set_max_frames (self->frame_queue, frames);
}

static gboolean
is_lost (GstYolov10Detect *self, GstBuffer *buffer)
{
  return !gst_y10_session_has_engine (self->session)
      || (self->in->format.image.memory == Y10_MEMORY_CUDA
          && gst_y10_cuda_is_lost (self->cuda, buffer));
}

/* Engine callback; runs with an engine lock held. */
static void
request_changed (Y10EngineRequest *request, Y10EngineRequestState state,
    gpointer data)
{
  GstYolov10Detect *self = data;
  const GstY10Job *job = (const GstY10Job *) ((const guint8 *) request
      - G_STRUCT_OFFSET (GstY10Job, request));

  gst_y10_frame_queue_note (self->frame_queue, job->number,
      state == Y10_ENGINE_REQUEST_RUNNING ? GST_Y10_FRAME_QUEUE_RUNNING
                                          : GST_Y10_FRAME_QUEUE_OVER);
}

/* Returns TRUE if the engine took the frame. On failure, frame->job has the
 * error. */
static gboolean
begin_inference (GstYolov10Detect *self, GstY10QueuedFrame *frame,
    guint64 number, GstY10InferMode mode)
{
  GstY10Job *job = gst_y10_jobs_take (&self->jobs);
  gboolean submitted;

  if (!job)
    return FALSE;
  job->number = number;
  job->epoch = frame->epoch;
  job->session = gst_y10_session_ref (frame->session);
  job->config = gst_y10_settings_ref (frame->config);
  job->class_rules = gst_y10_class_rules_ref (frame->class_rules);
  job->weak_confidence = frame->weak_confidence;
  job->request.notify = request_changed;
  job->request.notify_data = self;
  if (!gst_y10_job_start (job, frame->buffer, &self->in->format,
          (guint) self->in->max_running, mode, &submitted)) {
    GST_DEBUG_OBJECT (self, "cannot infer a frame: %s", job->error->message);
    frame->job = job;
    return FALSE;
  }
  frame->lost = job->stream == NULL;
  if (job->is_empty) {
    /* An earlier frame's result would replace this one. */
    if (mode != GST_Y10_INFER_ALL)
      gst_y10_session_withdraw (frame->session);
    frame->job = job;
    gst_y10_policy_submitted (&self->in->policy);
  } else if (submitted) {
    frame->job = job;
    gst_y10_policy_submitted (&self->in->policy);
  } else {
    gst_y10_jobs_give (&self->jobs, job);
  }
  return submitted;
}

/* Warns when a live source falls behind because every frame is inferred. */
static void
warn_if_behind (GstYolov10Detect *self, const Snapshot *now)
{
  GstClockTime behind = gst_y10_policy_behind (&self->in->policy,
      gst_y10_frame_queue_now (), now->policy.running_time);

  if (behind && now->live && !now->policy.skip)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("the live source is %.1f "
         "seconds behind, because every frame is inferred "
         "(late-policy=infer-all)",
            (gdouble) behind / GST_SECOND),
        ("late-policy=auto skips inference instead"));
}

/* Puts a frame into the queue. Takes ownership of @buffer. */
static GstFlowReturn
queue_frame (GstYolov10Detect *self, GstBuffer *buffer, const Snapshot *now,
    GstY10InferMode mode, gboolean lost, gint64 arrived_at)
{
  guint64 number;
  GstY10QueuedFrame *frame = gst_y10_frame_queue_reserve (self->frame_queue,
      now->policy.skip, &number);
  gboolean is_inferred = FALSE, failed;

  if (!frame) {
    gst_buffer_unref (buffer);
    return stopped (self);
  }
  warn_if_behind (self, now);
  gst_y10_queued_frame_begin (frame, buffer, self->session, now->config,
      self->in->epoch, &self->in->format.info, arrived_at);
  frame->for_privacy = now->for_privacy;
  frame->weak_confidence = now->weak_confidence;
  frame->lost = lost;
  if (mode != GST_Y10_INFER_PASS)
    is_inferred = begin_inference (self, frame, number, mode);
  else if (now->policy.skip) /* its request has waited enough */
    gst_y10_session_withdraw (self->session);
  failed = frame->job && frame->job->error
      && !g_error_matches (frame->job->error, Y10_ERROR, Y10_ERROR_DEVICE_LOST);
  if (!gst_y10_frame_queue_commit (self->frame_queue, is_inferred,
          now->policy.skip ? gst_y10_frame_queue_now () + now->max_wait
                           : GST_Y10_FRAME_QUEUE_FOREVER)) {
    gst_y10_queued_frame_end (frame, &self->jobs);
    return stopped (self);
  }
  self->in->flow_returned = FALSE;
  if (!failed)
    return GST_FLOW_OK;
  /* The output task reports the error once earlier frames have left; upstream
   * gets it now. */
  gst_y10_frame_queue_drain (self->frame_queue, FALSE);
  return stopped (self);
}

/* Has the session compute in the CUDA context of @buffer, in which the next frames
 * are. Sets @error only if no session can be had there. */
static GstFlowReturn
enter_context (GstYolov10Detect *self, GstBuffer *buffer, GError **error)
{
  if (self->in->format.image.memory != Y10_MEMORY_CUDA
      || gst_y10_cuda_is_ours (self->cuda, buffer))
    return GST_FLOW_OK;
  if (!gst_y10_frame_queue_drain (self->frame_queue, TRUE))
    return stopped (self);
  return gst_y10_lifecycle_restart_in_context (self, buffer, error)
      ? GST_FLOW_OK
      : GST_FLOW_ERROR;
}

/* Takes ownership of @buffer. Returns the flow of earlier frames, as far as
 * known. */
GstFlowReturn
gst_y10_input_push (GstYolov10Detect *self, GstBuffer *buffer)
{
  gint64 arrived_at = gst_y10_frame_queue_now ();
  GstFlowReturn flow = negotiate (self);
  GstY10InferMode mode = GST_Y10_INFER_PASS;
  gboolean lost = FALSE;
  g_autoptr (GstBuffer) owned = buffer;
  g_autoptr (GstY10Config) config = NULL;
  g_autoptr (GError) error = NULL;
  Snapshot now = { NULL };

  if (flow != GST_FLOW_OK)
    return flow;
  if (!self->session) /* an earlier frame posted why */
    return GST_FLOW_ERROR;
  set_controlled_values (self, buffer);
  if (!gst_y10_lifecycle_apply_reload (self, self->in->skips))
    return stopped (self);
  snapshot_properties (self, buffer, arrived_at, &now);
  config = now.config;
  notice_config (self, config);
  check_pool (self, buffer);
  set_limits (self, &now);
  if (config->active) {
    lost = is_lost (self, buffer);
    if (!lost)
      flow = enter_context (self, buffer, &error);
    if (error)
      GST_Y10_ELEMENT_ERROR (self, error);
    if (flow != GST_FLOW_OK)
      return flow;
    if (!lost)
      mode = gst_y10_policy_choose (&self->in->policy, &now.policy);
  }
  return queue_frame (self, g_steal_pointer (&owned), &now, mode, lost,
      arrived_at);
}

/* Queues @event behind the frames that arrived before it. Takes ownership only
 * on success; returns FALSE when flushing or stopped. */
gboolean
gst_y10_input_push_event (GstYolov10Detect *self, GstEvent *event)
{
  guint64 number;
  GstY10QueuedFrame *frame = gst_y10_frame_queue_reserve (self->frame_queue,
      self->in->skips == TRUE, &number);

  if (!frame)
    return FALSE;
  frame->event = event;
  if (gst_y10_frame_queue_commit (self->frame_queue, FALSE,
          GST_Y10_FRAME_QUEUE_FOREVER))
    return TRUE;
  frame->event = NULL;
  return FALSE;
}
