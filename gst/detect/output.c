/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Output side of yolov10detect. The source pad's task takes the first queued
 * frame once its inference is over, or once it may wait no longer, attaches
 * metadata, notifies applications and pushes it. A frame's error is posted when
 * that frame is due. The flow return of a push reaches upstream with the next
 * buffer.
 *
 * The task collects the job of a detached frame when that job is over; its
 * result becomes the one that later frames hold. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/output.h"

#include "common/elementerror.h"
#include "detect/messages.h"
#include "detect/recovery.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

/* Output task, unless noted. */
struct _GstY10Output
{
  GstY10Hold hold;
  GstY10Job *detached;      /* jobs of frames already pushed, in order */
  GstY10Tuning tuning;      /* of the engine of session @announced */
  guint announced;          /* serial of the last session announced */
  GstY10Result result;      /* of one frame */
  GstY10DetectionList weak; /* likewise */

  /* Object lock. */
  GstSegment sent_segment; /* of the last frame pushed */
  GstClockTime sent_pts;
};

GstY10Output *
gst_y10_output_new (void)
{
  GstY10Output *out = g_new0 (GstY10Output, 1);

  out->sent_pts = GST_CLOCK_TIME_NONE;
  return out;
}

void
gst_y10_output_free (GstY10Output *out)
{
  g_free (out);
}

/* Call before the first frame. */
void
gst_y10_output_begin (GstYolov10Detect *self)
{
  GstY10Output *out = self->out;

  gst_y10_detection_list_init (&out->result.list, GST_Y10_MAX_DETECTIONS);
  gst_y10_detection_list_init (&out->weak, GST_Y10_MAX_DETECTIONS);
  gst_y10_hold_init (&out->hold);
  out->announced = 0;
  gst_segment_init (&out->sent_segment, GST_FORMAT_UNDEFINED);
}

/* Frames will come that have no relation to earlier ones. Call while the task
 * does not run. */
void
gst_y10_output_flush (GstYolov10Detect *self)
{
  gst_y10_output_forget (self);
  GST_OBJECT_LOCK (self);
  self->out->sent_pts = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
}

/* Call after the last frame. */
void
gst_y10_output_end (GstYolov10Detect *self)
{
  gst_y10_hold_clear (&self->out->hold);
  gst_y10_detection_list_clear (&self->out->result.list);
  gst_y10_detection_list_clear (&self->out->weak);
}

/* Drops the held result, and with it its session. Call with an empty frame
 * queue. */
void
gst_y10_output_forget (GstYolov10Detect *self)
{
  gst_y10_hold_forget (&self->out->hold);
}

/* The next frames are of @segment. Call with an empty frame queue. */
void
gst_y10_output_set_segment (GstYolov10Detect *self, const GstSegment *segment)
{
  GST_OBJECT_LOCK (self);
  self->out->sent_segment = *segment;
  self->out->sent_pts = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
}

/* Returns the stream time of the last frame pushed; NONE without one. Any
 * thread. */
GstClockTime
gst_y10_output_get_position (GstYolov10Detect *self)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  GST_OBJECT_LOCK (self);
  if (self->out->sent_segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (&self->out->sent_segment,
        GST_FORMAT_TIME, self->out->sent_pts);
  GST_OBJECT_UNLOCK (self);
  return time;
}

/* Returns FALSE if the stream must end. A lost GPU only starts a recovery. */
static gboolean
check_error (GstYolov10Detect *self, const GstY10Job *job)
{
  g_autoptr (GstY10Session) current = NULL;

  if (!job->error)
    return TRUE;
  if (!g_error_matches (job->error, Y10_ERROR, Y10_ERROR_DEVICE_LOST)) {
    GST_Y10_ELEMENT_ERROR (self, job->error);
    return FALSE;
  }
  current = gst_yolov10_detect_get_session (self);
  if (current == job->session) {
    gst_y10_recovery_start (self->recovery, current, job->stream, job->error);
    memset (&self->out->tuning, 0, sizeof self->out->tuning);
  }
  return TRUE;
}

/* Uses the result of a job that is over: messages, stats and latency. */
static void
use_result (GstYolov10Detect *self, const GstY10Job *job)
{
  GstClockTime now_reported;
  gboolean slower;

  if (self->out->announced != job->session->serial) {
    self->out->announced = job->session->serial;
    memset (&self->out->tuning, 0, sizeof self->out->tuning);
    gst_y10_messages_model (GST_ELEMENT (self), job->session);
  }
  gst_y10_messages_tuning (&self->out->tuning, GST_ELEMENT (self),
      y10_engine_stream_get_engine (job->stream));
  GST_OBJECT_LOCK (self);
  gst_y10_stats_inferred (&self->stats, &job->request);
  slower = gst_y10_latency_record (&self->latency,
      (guint64) job->request.step_time);
  now_reported = self->latency.reported;
  GST_OBJECT_UNLOCK (self);
  if (!slower)
    return;
  GST_INFO_OBJECT (self,
      "inference has become slower: reporting %" GST_TIME_FORMAT
      " of latency for it now",
      GST_TIME_ARGS (now_reported));
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_latency (GST_OBJECT (self)));
}

/* Waits for a job. Returns FALSE if the stream must end. */
static gboolean
finish (GstYolov10Detect *self, GstY10Job *job)
{
  gst_y10_job_finish (job);
  if (!check_error (self, job))
    return FALSE;
  if (job->n >= 0 && !job->is_empty)
    use_result (self, job);
  return TRUE;
}

/* Releases a detached job. */
static void
give_detached (GstYolov10Detect *self, GstY10Job **link)
{
  GstY10Job *job = *link;

  *link = job->next;
  gst_y10_jobs_give (&self->jobs, job);
  gst_y10_frame_queue_collected (self->frame_queue);
}

/* Collects detached jobs that are over. Results come in frame order, but a
 * withdrawn job may be over before a running one. Returns FALSE if the stream
 * must end. */
static gboolean
collect (GstYolov10Detect *self)
{
  GstY10Job **link = &self->out->detached;
  gboolean ok = TRUE;

  while (ok && *link) {
    GstY10Job *job = *link;

    if (!gst_y10_job_is_over (job)) {
      link = &job->next;
      continue;
    }
    ok = finish (self, job);
    if (job->n >= 0)
      gst_y10_hold_keep (&self->out->hold, job);
    else if (job->error)
      gst_y10_hold_forget (&self->out->hold);
    give_detached (self, link);
  }
  return ok;
}

/* Waits for all detached jobs and discards their results. */
static void
forget_detached (GstYolov10Detect *self)
{
  while (self->out->detached)
    give_detached (self, &self->out->detached);
}

/* Drops all queued frames while flushing or stopped. Call from the output task,
 * or when the task is not running. */
void
gst_y10_output_drop_all (GstYolov10Detect *self)
{
  GstY10QueuedFrame *frame;
  guint n = 0;

  while ((frame = gst_y10_frame_queue_drop (self->frame_queue))) {
    gst_y10_queued_frame_end (frame, &self->jobs);
    gst_y10_frame_queue_leave (self->frame_queue);
    n++;
  }
  forget_detached (self);
  if (n)
    GST_DEBUG_OBJECT (self, "dropped %u queued frames", n);
}

/* Keeps the job of a frame that leaves without its result. */
static void
detach (GstYolov10Detect *self, GstY10QueuedFrame *frame)
{
  GstY10Job *job = g_steal_pointer (&frame->job), **link = &self->out->detached;

  while (*link)
    link = &(*link)->next;
  job->next = NULL;
  *link = job;
}

/* Attaches metadata while the element is active. Returns FALSE if the stream
 * must end. */
static gboolean
attach_result (GstYolov10Detect *self, GstY10QueuedFrame *frame)
{
  GstY10Result *result = &self->out->result;
  GstY10Session *session;
  guint64 delay;

  if (frame->job) {
    if (!finish (self, frame->job))
      return FALSE;
    frame->lost |= frame->job->error != NULL;
  }
  session = gst_y10_queued_frame_attach (frame, &self->out->hold, result,
      &self->out->weak);
  gst_y10_messages_detections (GST_ELEMENT (self), frame->buffer, result,
      frame->config->post_messages ? session->model : NULL);
  delay = (guint64) (gst_y10_frame_queue_now () - frame->arrived_at);
  GST_OBJECT_LOCK (self);
  gst_y10_stats_attached (&self->stats, result, delay);
  GST_OBJECT_UNLOCK (self);
  GST_LOG_OBJECT (self,
      "%" GST_TIME_FORMAT " %s, %u detections, age %" G_GUINT64_FORMAT
      " us, %" G_GUINT64_FORMAT " us here",
      GST_TIME_ARGS (result->pts), gst_y10_state_get_name (result->state),
      result->list.n, (guint64) result->age / 1000, delay / 1000);
  return TRUE;
}

static GstFlowReturn
send (GstYolov10Detect *self, GstPad *pad, GstY10QueuedFrame *frame)
{
  GstFlowReturn flow;

  if (frame->event) {
    gst_pad_push_event (pad, g_steal_pointer (&frame->event));
    return GST_FLOW_OK;
  }
  if (!frame->config->active)
    gst_y10_hold_forget (&self->out->hold);
  else if (!attach_result (self, frame))
    return GST_FLOW_ERROR;
  GST_OBJECT_LOCK (self);
  gst_y10_stats_sent (&self->stats, gst_y10_frame_queue_now ());
  self->out->sent_pts = GST_BUFFER_PTS (frame->buffer);
  GST_OBJECT_UNLOCK (self);
  flow = gst_pad_push (pad, g_steal_pointer (&frame->buffer));
  return flow < GST_FLOW_OK ? flow : GST_FLOW_OK;
}

static GstFlowReturn
leave (GstYolov10Detect *self, GstPad *pad, GstY10QueuedFrame *frame,
    gboolean is_detached)
{
  GstFlowReturn flow;
  gboolean ok = collect (self);

  /* Not before: its job may be over by now, and would be collected as the result of
   * an earlier frame. */
  if (is_detached)
    detach (self, frame);
  flow = ok ? send (self, pad, frame) : GST_FLOW_ERROR;
  if (flow != GST_FLOW_OK) {
    GST_DEBUG_OBJECT (self, "stopping: %s", gst_flow_get_name (flow));
    gst_y10_frame_queue_stop (self->frame_queue, flow);
  }
  gst_y10_queued_frame_end (frame, &self->jobs);
  gst_y10_frame_queue_leave (self->frame_queue);
  return flow;
}

/* Source pad task: pushes one frame, or collects detached jobs. */
void
gst_y10_output_loop (GstPad *pad)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (GST_PAD_PARENT (pad));
  GstFlowReturn flow = GST_FLOW_OK;
  gpointer frame;

  switch (gst_y10_frame_queue_next (self->frame_queue, &frame)) {
    case GST_Y10_NEXT_FLUSHING:
      gst_pad_pause_task (pad);
      break;
    case GST_Y10_NEXT_COLLECT:
      flow = collect (self) ? GST_FLOW_OK : GST_FLOW_ERROR;
      if (flow != GST_FLOW_OK)
        gst_y10_frame_queue_stop (self->frame_queue, flow);
      break;
    case GST_Y10_NEXT_READY:
      flow = leave (self, pad, frame, FALSE);
      break;
    case GST_Y10_NEXT_DETACH:
      flow = leave (self, pad, frame, TRUE);
      break;
  }
  if (flow != GST_FLOW_OK)
    gst_y10_output_drop_all (self);
}
