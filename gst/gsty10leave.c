/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A frame leaves: the source pad's task takes the first one that is here, waits
 * for its result where it is inferred, begins the next inference in its place,
 * writes down what was found, tells whoever wants to hear of it, and pushes it.
 * What went wrong with a frame is said now, in its turn. What downstream answers
 * is for the next frame that comes. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsty10error.h"
#include "gsty10stream.h"
#include "gsty10tell.h"
#include "gstyolov10detect-private.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

static void
finish (GstYolov10Detect * self, GstY10Passage * passage)
{
  GstY10Passage *next;

  gst_y10_passage_wait (passage);
  next = gst_y10_flight_finish (self->flight, passage,
      gst_y10_passage_now ());
  if (next) {
    gst_y10_stream_start (self, next);
    gst_y10_flight_started (self->flight, next);
  }
}

/* FALSE: the stream ends with it. A GPU that is lost ends nothing. */
static gboolean
look_at_error (GstYolov10Detect * self, GstY10Passage * passage)
{
  GstY10Session *current;

  if (!passage->error)
    return TRUE;
  if (!g_error_matches (passage->error, Y10_ERROR, Y10_ERROR_DEVICE_LOST)) {
    GST_Y10_ELEMENT_ERROR (self, passage->error);
    return FALSE;
  }
  current = gst_yolov10_detect_get_session (self);
  if (current == passage->session) {
    gst_y10_recovery_start (self->recovery, current, passage->stream,
        passage->error);
    memset (&self->tuning, 0, sizeof self->tuning);
  }
  g_clear_pointer (&current, gst_y10_session_unref);
  passage->lost = TRUE;
  return TRUE;
}

static void
record (GstYolov10Detect * self, const GstY10Passage * passage,
    GstY10Inference inference, GstClockTime age)
{
  gboolean slower = FALSE;
  GstClockTime now_reported;

  GST_OBJECT_LOCK (self);
  self->stats.frames[inference]++;
  gst_y10_stats_record (&self->stats, GST_Y10_STAGE_DELAY,
      gst_y10_passage_now () - passage->came_at);
  if (inference != GST_Y10_SKIPPED)
    gst_y10_stats_record (&self->stats, GST_Y10_STAGE_AGE, (gint64) age);
  if (inference == GST_Y10_FRESH) {
    const Y10StepTimes *times = &passage->request.times;

    gst_y10_stats_record (&self->stats, GST_Y10_STAGE_WAIT,
        passage->request.waited);
    self->stats.most_turns = MAX (self->stats.most_turns,
        passage->request.turns);
    gst_y10_stats_record (&self->stats, GST_Y10_STAGE_PREPROCESS,
        times->preprocess);
    gst_y10_stats_record (&self->stats, GST_Y10_STAGE_INFERENCE,
        times->inference);
    gst_y10_stats_record (&self->stats, GST_Y10_STAGE_POSTPROCESS,
        times->postprocess);
    slower = gst_y10_latency_record (&self->latency, (guint64) passage->took);
  }
  now_reported = self->latency.reported;
  GST_OBJECT_UNLOCK (self);
  if (!slower)
    return;
  GST_INFO_OBJECT (self, "inference takes longer: the latency is %"
      GST_TIME_FORMAT " now", GST_TIME_ARGS (now_reported));
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_latency (GST_OBJECT (self)));
}

/* A frame that an active detector has looked at, or would have. */
static gboolean
look (GstYolov10Detect * self, GstY10Passage * passage)
{
  GstY10Findings findings = {.ids = self->ids };
  GstY10Inference inference;
  GstY10Session *session;

  if (!look_at_error (self, passage))
    return FALSE;
  inference = gst_y10_passage_attach (passage, &self->hold, &findings,
      &session);
  if (inference == GST_Y10_FRESH) {
    if (self->seen != passage->session->serial) {
      self->seen = passage->session->serial;
      memset (&self->tuning, 0, sizeof self->tuning);
      gst_y10_tell_model (GST_ELEMENT (self), passage->session);
    }
    gst_y10_tuning_look (&self->tuning, GST_ELEMENT (self),
        y10_engine_stream_get_engine (passage->stream));
  }
  gst_y10_tell_detections (GST_ELEMENT (self), passage, session, &findings);
  record (self, passage, inference, findings.age);
  GST_LOG_OBJECT (self, "%" GST_TIME_FORMAT " %s, %u detections, age %"
      G_GUINT64_FORMAT " us, %" G_GINT64_FORMAT " us here",
      GST_TIME_ARGS (GST_BUFFER_PTS (passage->buffer)), findings.inference,
      findings.n_detections, (guint64) findings.age / 1000,
      (gst_y10_passage_now () - passage->came_at) / 1000);
  return TRUE;
}

static GstFlowReturn
send (GstYolov10Detect * self, GstPad * pad, GstY10Passage * passage)
{
  GstFlowReturn flow;

  if (passage->event) {
    gst_pad_push_event (pad, g_steal_pointer (&passage->event));
    return GST_FLOW_OK;
  }
  if (!passage->wanted.active)
    gst_y10_hold_forget (&self->hold);
  else if (!look (self, passage))
    return GST_FLOW_ERROR;
  GST_OBJECT_LOCK (self);
  gst_y10_stats_sent (&self->stats, gst_y10_passage_now ());
  self->sent_pts = GST_BUFFER_PTS (passage->buffer);
  GST_OBJECT_UNLOCK (self);
  flow = gst_pad_push (pad, g_steal_pointer (&passage->buffer));
  return flow < GST_FLOW_OK ? flow : GST_FLOW_OK;
}

/**
 * gst_y10_leave:
 * @pad: the element's source pad
 *
 * Its task's function: one frame.
 */
void
gst_y10_leave (GstPad * pad)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (GST_PAD_PARENT (pad));
  gboolean to_start, to_wait;
  GstY10Passage *passage = gst_y10_flight_next (self->flight, &to_start,
      &to_wait);
  GstFlowReturn flow;

  if (!passage) {
    gst_pad_pause_task (pad);
    return;
  }
  if (to_start)
    gst_y10_stream_start (self, passage);
  if (to_wait)
    finish (self, passage);
  flow = send (self, pad, passage);
  if (flow != GST_FLOW_OK) {
    GST_DEBUG_OBJECT (self, "no more frames: %s", gst_flow_get_name (flow));
    gst_y10_flight_stop (self->flight, flow);
  }
  gst_y10_passage_end (passage);
  gst_y10_flight_leave (self->flight);
  if (flow != GST_FLOW_OK)
    gst_y10_stream_drop_all (self);
}
