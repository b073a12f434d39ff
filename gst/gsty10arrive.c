/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A frame comes: what is wanted of it is written down, so that a property that
 * changes later changes later frames; whether it may be inferred is decided, and
 * begun if it can be at once; and it waits for room among the frames that are
 * here. Everything that must not happen while frames are here happens now: other
 * caps, another CUDA context. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsty10error.h"
#include "gsty10stream.h"
#include "gstyolov10detect-private.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

/**
 * gst_y10_arrive_stopped:
 * @self: the element, which takes no more frames
 *
 * Returns: what upstream is to know of it
 */
GstFlowReturn
gst_y10_arrive_stopped (GstYolov10Detect * self)
{
  GstFlowReturn flow = gst_y10_flight_get_stop (self->flight);

  if (!flow)
    return GST_FLOW_FLUSHING;
  self->stop_told = TRUE;
  return flow;
}

/* Downstream may ask for other caps at any time. */
static GstFlowReturn
negotiate (GstYolov10Detect * self)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);

  if (GST_PAD_NEEDS_RECONFIGURE (base->srcpad)) {
    if (!gst_y10_flight_drain (self->flight))
      return GST_FLOW_FLUSHING;
    if (!gst_base_transform_reconfigure (base))
      return GST_PAD_IS_FLUSHING (base->srcpad) ? GST_FLOW_FLUSHING
          : GST_FLOW_NOT_NEGOTIATED;
  }
  return self->has_format ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

static void
set_controlled_values (GstYolov10Detect * self, GstBuffer * buffer)
{
  GstClockTime time =
      gst_segment_to_stream_time (&GST_BASE_TRANSFORM (self)->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
}

static gboolean
has_engine (GstY10Session * session)
{
  Y10Engine *engine = gst_y10_session_get_engine (session);
  gboolean has = engine != NULL;

  g_clear_pointer (&engine, y10_engine_unref);
  return has;
}

/* Another model is ready. Frames that are here stay with the old one; only where
 * that has lost its GPU they leave first, so that nobody mends it any more. */
static void
take_over (GstYolov10Detect * self)
{
  GstY10Session *new = gst_y10_exchange_take (self->exchange), *old;
  gchar *classes = NULL, *hints = NULL;
  GError *error = NULL;
  gboolean slower;
  gint priority;

  if (!new)
    return;
  if (!has_engine (self->session)) {
    gst_y10_flight_drain (self->flight);
    gst_y10_recovery_stop (self->recovery);
  }
  GST_OBJECT_LOCK (self);
  old = self->session;
  self->session = new;
  slower = gst_y10_latency_expect (&self->latency, new->warm_ns);
  priority = self->settings.priority;
  if (g_strcmp0 (new->settings.classes, self->settings.classes))
    classes = g_strdup (self->settings.classes ? self->settings.classes : "");
  if (g_strcmp0 (new->settings.encoder_hints, self->settings.encoder_hints))
    hints = g_strdup (self->settings.encoder_hints
        ? self->settings.encoder_hints : "");
  GST_OBJECT_UNLOCK (self);
  /* Set while it was being made. */
  gst_y10_session_set_priority (new, priority);
  if (classes && !gst_y10_session_set_classes (new, classes, &error))
    GST_Y10_ELEMENT_WARNING (self, error);
  g_clear_error (&error);
  if (hints && !gst_y10_session_set_encoder_hints (new, hints, &error))
    GST_Y10_ELEMENT_WARNING (self, error);
  g_clear_error (&error);
  g_free (classes);
  g_free (hints);
  gst_y10_exchange_retire (self->exchange, old);
  gst_yolov10_detect_notify_active (self);
  if (slower)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

/* The properties, and what follows from them, as they are for one frame. */
typedef struct
{
  GstY10Wanted wanted;
  GstY10PaceQuery pace;
  guint in_flight, max_queued;
  GstClockTime inference, duration;
} Now;

static void
look_at_properties (GstYolov10Detect * self, GstBuffer * buffer, Now * now)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  gboolean qos = gst_base_transform_is_qos_enabled (base);

  GST_OBJECT_LOCK (self);
  now->wanted = self->wanted;
  now->wanted.params.confidence = (gfloat) self->confidence;
  now->wanted.params.iou = (gfloat) self->iou_threshold;
  now->pace.skip = self->late_policy == GST_YOLOV10_LATE_SKIP
      || (self->late_policy == GST_YOLOV10_LATE_AUTO && self->live);
  now->pace.interval = self->inference_interval;
  now->pace.late_until = qos ? self->late_until : GST_CLOCK_TIME_NONE;
  now->in_flight = self->session->settings.in_flight;
  now->max_queued = self->max_queued_frames;
  now->inference = self->latency.reported;
  now->duration = self->frame_duration;
  GST_OBJECT_UNLOCK (self);
  now->pace.running_time = gst_segment_to_running_time (&base->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
}

/* One inference at a time where frames are not to wait: a second one would only
 * begin to wait for the first. Who asks for more gets more. */
static void
set_limits (GstYolov10Detect * self, const Now * now)
{
  guint running = now->in_flight ? now->in_flight
      : now->pace.skip ? 1 : GST_Y10_AUTO_IN_FLIGHT;
  guint frames = now->max_queued ? now->max_queued
      : gst_y10_pace_auto_frames (now->pace.skip, running, now->inference,
      now->duration);

  if (self->skips == now->pace.skip && self->max_running == (gint) running
      && self->max_frames == frames)
    return;
  GST_INFO_OBJECT (self, "up to %u frames here, %u of them inferred at a time; "
      "%s", frames, running, now->pace.skip
      ? "inference is skipped where it is late"
      : "all are inferred, however long that takes");
  self->skips = now->pace.skip;
  self->max_running = (gint) running;
  GST_OBJECT_LOCK (self);
  self->max_frames = frames;
  GST_OBJECT_UNLOCK (self);
  gst_y10_flight_set_limits (self->flight, frames, running);
  gst_y10_flight_set_patience (self->flight,
      (gint64) gst_y10_pace_patience (now->duration));
}

static gboolean
is_lost (GstYolov10Detect * self, GstBuffer * buffer)
{
  return !has_engine (self->session)
      || (self->format.image.memory == Y10_MEMORY_CUDA
      && gst_y10_cuda_is_lost (self->cuda, buffer));
}

/* Where downstream holds up the frames that are ready, inference goes on. */
static void
look_in (GstYolov10Detect * self)
{
  GstY10Passage *passage;

  while ((passage = gst_y10_flight_poll (self->flight))) {
    GstY10Passage *next;

    if (!gst_y10_passage_poll (passage)) {
      gst_y10_flight_unpoll (self->flight, passage);
      return;
    }
    gst_y10_passage_wait (passage);
    /* Nobody was there when it ended. */
    passage->took = passage->request.times.preprocess
        + passage->request.times.inference + passage->request.times.postprocess;
    next = gst_y10_flight_finish (self->flight, passage,
        gst_y10_passage_now ());
    if (next) {
      gst_y10_stream_start (self, next);
      gst_y10_flight_started (self->flight, next);
    }
  }
}

/* @buffer is taken. */
static GstFlowReturn
enter (GstYolov10Detect * self, GstBuffer * buffer, const Now * now,
    GstY10Wish wish, gboolean lost, gint64 came_at)
{
  GstY10Passage *passage = gst_y10_flight_reserve (self->flight);
  GstY10Commit commit;
  gboolean failed;

  if (!passage) {
    gst_buffer_unref (buffer);
    return gst_y10_arrive_stopped (self);
  }
  look_in (self);               /* that there is room may have taken a while */
  gst_y10_passage_begin (passage, buffer, self->session, &now->wanted,
      &self->format.info, came_at);
  passage->lost = lost;
  passage->rows = self->rows + (gsize) GST_Y10_MAX_DETECTIONS
      * gst_y10_flight_index (self->flight, passage);
  commit = gst_y10_flight_commit (self->flight, wish, now->pace.interval,
      came_at, gst_y10_passage_now ());
  if (commit == GST_Y10_COMMIT_REFUSED) {
    gst_y10_passage_end (passage);
    return gst_y10_arrive_stopped (self);
  }
  self->stop_told = FALSE;
  if (commit == GST_Y10_COMMIT_QUEUED)
    return GST_FLOW_OK;
  gst_y10_stream_start (self, passage);
  failed = passage->error != NULL
      && !g_error_matches (passage->error, Y10_ERROR, Y10_ERROR_DEVICE_LOST);
  gst_y10_flight_started (self->flight, passage);
  if (!failed)
    return GST_FLOW_OK;
  /* It is told when those before it have left; upstream hears of it at once. */
  gst_y10_flight_drain (self->flight);
  return gst_y10_arrive_stopped (self);
}

/**
 * gst_y10_arrive:
 * @self: the element
 * @buffer: (transfer full): a frame
 *
 * Returns: what became of the frames before it, as far as that is known
 */
GstFlowReturn
gst_y10_arrive (GstYolov10Detect * self, GstBuffer * buffer)
{
  gint64 came_at = gst_y10_passage_now ();
  GstFlowReturn flow = negotiate (self);
  GstY10Wish wish = GST_Y10_WISH_PASS;
  gboolean lost = FALSE;
  GError *error = NULL;
  Now now;

  if (flow != GST_FLOW_OK)
    goto refused;
  flow = GST_FLOW_ERROR;
  if (!self->session)           /* following frames failed, which was told */
    goto refused;
  set_controlled_values (self, buffer);
  take_over (self);
  look_at_properties (self, buffer, &now);
  set_limits (self, &now);
  if (now.wanted.active) {
    lost = is_lost (self, buffer);
    if (!lost && self->format.image.memory == Y10_MEMORY_CUDA
        && !gst_y10_cuda_is_ours (self->cuda, buffer)
        && (!gst_y10_flight_drain (self->flight)
            || !gst_yolov10_detect_follow (self, buffer, &error)))
      goto refused;
    if (!lost)
      wish = gst_y10_pace_choose (&self->pace, &now.pace);
  }
  return enter (self, buffer, &now, wish, lost, came_at);

refused:
  if (error)
    GST_Y10_ELEMENT_ERROR (self, error);
  g_clear_error (&error);
  gst_buffer_unref (buffer);
  return flow;
}

/**
 * gst_y10_arrive_event:
 * @self: the element
 * @event: one that may go with the frames; taken where it can
 *
 * It leaves after the frames that came before it.
 *
 * Returns: %FALSE when no more frames are taken
 */
gboolean
gst_y10_arrive_event (GstYolov10Detect * self, GstEvent * event)
{
  GstY10Passage *passage = gst_y10_flight_reserve (self->flight);
  gint64 now = gst_y10_passage_now ();

  if (!passage)
    return FALSE;
  passage->event = event;
  if (gst_y10_flight_commit (self->flight, GST_Y10_WISH_PASS, 1, now, now)
      != GST_Y10_COMMIT_REFUSED)
    return TRUE;
  passage->event = NULL;
  return FALSE;
}
