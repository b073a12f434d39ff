/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Pads, events and queries. GstBaseTransform hands each buffer to
 * detect/input.c and gets nothing back; a task on the source pad
 * (detect/output.c) pushes the frames in order, each as soon as it is ready.
 * The base class does not know about that task. So this file drains the frame
 * queue before the base class forwards serialized events and queries. Only GAP
 * and TAG travel in the queue with the frames, because they neither change caps
 * nor end anything. Flushing and deactivation wake waiting threads before they
 * wait for the task.
 *
 * Joining the task takes time, and the core deactivates source pads first, so
 * the sink pad is still active meanwhile. common/sinkpad.c answers data that
 * arrives then, events included, with FLUSHING.
 *
 * The base class would also report position 0 and no latency. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/pads.h"

#include "common/classes.h"
#include "common/sinkpad.h"
#include "detect/input.h"
#include "detect/output.h"
#include "meta/inspection.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

static GstBaseTransformClass *parent_class;

/* Stops accepting frames and withdraws requests that wait for a turn. */
static void
begin_flush (GstYolov10Detect *self)
{
  g_autoptr (GstY10Session) session = gst_yolov10_detect_get_session (self);

  gst_y10_frame_queue_set_flushing (self->frame_queue, TRUE);
  if (session)
    gst_y10_session_withdraw (session);
}

static gboolean
begin_flow (GstYolov10Detect *self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (self);

  gst_y10_output_flush (self);
  gst_y10_input_flush (self);
  gst_y10_frame_queue_set_flushing (self->frame_queue, FALSE);
  return gst_pad_start_task (pad, (GstTaskFunction) gst_y10_output_loop, pad,
      NULL);
}

static gboolean
end_flow (GstYolov10Detect *self)
{
  gboolean ok;

  begin_flush (self);
  ok = gst_pad_stop_task (GST_BASE_TRANSFORM_SRC_PAD (self));
  gst_y10_output_drop_all (self);
  return ok;
}

static gboolean
activate_src (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  return active ? begin_flow (self) : end_flow (self);
}

/* The source pad is already inactive, unless only this pad changes. A
 * concurrent FLUSH_STOP may have reopened the queue and restarted the task
 * since, and an upstream thread may be blocked in the queue. So flush again,
 * wait for the stream lock, then stop the task. */
static gboolean
activate_sink (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (parent);

  if (active && GST_PAD_IS_ACTIVE (GST_BASE_TRANSFORM_SRC_PAD (self))
      && !begin_flow (self))
    return FALSE;
  if (!active) {
    begin_flush (self);
    GST_PAD_STREAM_LOCK (pad);
    GST_PAD_STREAM_UNLOCK (pad);
    end_flow (self);
  }
  return self->activate_sink (pad, parent, mode, active);
}

/* Posts no LATENCY message: an application that makes the pipeline live queries
 * latency again itself. */
static void
set_live (GstYolov10Detect *self, gboolean live)
{
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->live != live;
  self->live = live;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    GST_INFO_OBJECT (self, "upstream is %slive", live ? "" : "not ");
}

static void
ask_if_live (GstYolov10Detect *self)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live;

  if (gst_pad_peer_query (base->sinkpad, query)) {
    gst_query_parse_latency (query, &live, NULL, NULL);
    set_live (self, live);
  }
}

static gboolean
flush_start (GstYolov10Detect *self, GstEvent *event)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  gboolean ok;

  begin_flush (self);
  ok = parent_class->sink_event (base, event);
  gst_pad_pause_task (base->srcpad);
  return ok;
}

/* Stores a TAG on the source pad in case it was dropped with queued frames, so
 * that it still reaches downstream. One that already did is not sent again. */
static gboolean
keep_tag (GstPad *sinkpad, GstEvent **event, gpointer srcpad)
{
  if (GST_EVENT_TYPE (*event) == GST_EVENT_TAG)
    gst_pad_store_sticky_event (srcpad, *event);
  return TRUE;
}

static void
keep_tags (GstYolov10Detect *self)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);

  gst_pad_sticky_events_foreach (base->sinkpad, keep_tag, base->srcpad);
}

static gboolean
flush_stop (GstYolov10Detect *self, GstEvent *event)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  gboolean ok;

  gst_pad_pause_task (base->srcpad);
  begin_flush (self);
  gst_y10_output_drop_all (self);
  ok = parent_class->sink_event (base, event);
  keep_tags (self);
  if (GST_PAD_IS_ACTIVE (base->srcpad))
    begin_flow (self);
  return ok;
}

/* Whether frames behind @event may show something else than those before it. Live
 * sources often repeat their segment, and what is in @position differs by itself. */
static gboolean
begins_epoch (GstYolov10Detect *self, GstEvent *event)
{
  const GstSegment *before = &GST_BASE_TRANSFORM (self)->segment, *after;
  GstSegment same;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START;
  gst_event_parse_segment (event, &after);
  same = *after;
  same.position = before->position;
  return !gst_segment_is_equal (&same, before);
}

static gboolean
gst_y10_pads_sink_event (GstBaseTransform *base, GstEvent *event)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (base);
  GstEventType type = GST_EVENT_TYPE (event);
  gboolean ok;

  if (type == GST_EVENT_FLUSH_START)
    return flush_start (self, event);
  if (type == GST_EVENT_FLUSH_STOP)
    return flush_stop (self, event);
  if (!GST_EVENT_IS_SERIALIZED (event))
    return parent_class->sink_event (base, event);
  if ((type == GST_EVENT_GAP || type == GST_EVENT_TAG)
      && gst_y10_frame_queue_count (self->frame_queue)
      && gst_y10_input_push_event (self, event))
    return TRUE;
  if (!gst_y10_frame_queue_drain (self->frame_queue, FALSE)) {
    gst_event_unref (event);
    return FALSE;
  }
  if (type == GST_EVENT_EOS)
    gst_y10_input_end_stream (self);
  /* A new stream or segment restarts the flow after EOS. */
  if ((type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT)
      && gst_y10_frame_queue_get_stop (self->frame_queue) == GST_FLOW_EOS) {
    gst_y10_frame_queue_stop (self->frame_queue, 0);
    gst_y10_input_resume (self);
  }
  if (begins_epoch (self, event))
    gst_y10_input_begin_epoch (self);
  ok = parent_class->sink_event (base, event);
  if (type == GST_EVENT_SEGMENT) {
    gst_y10_output_set_segment (self, &base->segment);
    gst_y10_input_set_late (self, GST_CLOCK_TIME_NONE);
    ask_if_live (self);
  }
  return ok;
}

static void
handle_qos (GstYolov10Detect *self, GstEvent *event)
{
  GstClockTimeDiff late;
  GstClockTime time;

  gst_event_parse_qos (event, NULL, NULL, &late, &time);
  gst_y10_input_set_late (self,
      late > 0 && GST_CLOCK_TIME_IS_VALID (time) ? time + late
                                                 : GST_CLOCK_TIME_NONE);
}

static void
handle_privacy (GstYolov10Detect *self, GstEvent *event)
{
  gboolean active = FALSE;

  gst_structure_get_boolean (gst_event_get_structure (event), "active",
      &active);
  GST_DEBUG_OBJECT (self, "privacy downstream is %s", active ? "on" : "off");
  gst_y10_input_set_privacy (self, active);
}

static void
handle_weak (GstYolov10Detect *self, GstEvent *event)
{
  gboolean taken;

  GST_OBJECT_LOCK (self);
  taken = gst_y10_weak_requests_add (&self->weak_requests,
      gst_event_get_structure (event));
  GST_OBJECT_UNLOCK (self);
  GST_DEBUG_OBJECT (self, "%s %" GST_PTR_FORMAT, taken ? "took" : "ignored",
      event);
}

/* Forwards what overlays and trackers ask for, since every upstream detector needs
 * it. */
static gboolean
gst_y10_pads_src_event (GstBaseTransform *base, GstEvent *event)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (base);

  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS)
    handle_qos (self, event);
  else if (gst_event_has_name (event, GST_Y10_PRIVACY_EVENT))
    handle_privacy (self, event);
  else if (gst_event_has_name (event, GST_Y10_WEAK_EVENT))
    handle_weak (self, event);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE
      && gst_y10_frame_queue_get_stop (self->frame_queue)
          == GST_FLOW_NOT_LINKED) {
    keep_tags (self);
    gst_y10_frame_queue_stop (self->frame_queue, 0);
  }
  return parent_class->src_event (base, event);
}

static gboolean
answer_latency (GstYolov10Detect *self, GstQuery *query)
{
  GstY10Latency latency;
  GstClockTime duration;
  gboolean live, skip;
  guint max_frames;

  if (!gst_pad_peer_query (GST_BASE_TRANSFORM (self)->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, NULL, NULL);
  set_live (self, live);
  GST_OBJECT_LOCK (self);
  latency = self->latency;
  skip = gst_y10_policy_skips (self->config->late_policy, self->live);
  duration = self->frame_duration;
  max_frames = self->max_frames;
  GST_OBJECT_UNLOCK (self);
  gst_y10_latency_answer (query, &latency, skip, max_frames, duration);
  GST_DEBUG_OBJECT (self, "latency %" GST_PTR_FORMAT, query);
  return TRUE;
}

/* Returns FALSE if no frame has left; upstream may know the position. */
static gboolean
answer_position (GstYolov10Detect *self, GstQuery *query)
{
  GstClockTime time;
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  time = gst_y10_output_get_position (self);
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return FALSE;
  gst_query_set_position (query, format, time);
  return TRUE;
}

/* Whoever asks upstream for overlays with privacy is also told of those in other branches
 * behind this detector. */
static gboolean
is_about_privacy (GstQuery *query)
{
  const GstStructure *structure = GST_QUERY_TYPE (query) == GST_QUERY_CUSTOM
      ? gst_query_get_structure (query)
      : NULL;

  return structure && gst_structure_has_name (structure, GST_Y10_PRIVACY_QUERY);
}

static gboolean
is_about_classes (GstQuery *query)
{
  const GstStructure *structure = GST_QUERY_TYPE (query) == GST_QUERY_CUSTOM
      ? gst_query_get_structure (query)
      : NULL;

  return structure && gst_structure_has_name (structure, GST_Y10_CLASSES_QUERY);
}

static void
add_names (GstStructure *structure, const gchar *field,
    const gchar *const *names)
{
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  g_auto (GStrv) before = NULL, after = NULL;

  if (gst_structure_get (structure, field, G_TYPE_STRV, &before, NULL))
    g_strv_builder_addv (all, (const gchar **) before);
  g_strv_builder_addv (all, (const gchar **) names);
  after = g_strv_builder_end (all);
  gst_structure_set (structure, field, G_TYPE_STRV, after, NULL);
}

/* FALSE while there is no model. The classes of detectors upstream are asked for, too. */
static gboolean
answer_classes (GstYolov10Detect *self, GstQuery *query)
{
  g_autoptr (GstY10Session) session = gst_yolov10_detect_get_session (self);
  const gchar *paths[2] = { NULL, NULL }, **classes;
  GstStructure *structure;

  if (!session)
    return FALSE;
  paths[0] = y10_model_get_path (session->model);
  classes = gst_y10_classes_list (session->model);
  structure = gst_query_writable_structure (query);
  add_names (structure, "models", paths);
  add_names (structure, "classes", classes);
  g_free (classes);
  gst_pad_peer_query (GST_BASE_TRANSFORM (self)->sinkpad, query);
  return TRUE;
}

static gboolean
gst_y10_pads_query (GstBaseTransform *base, GstPadDirection direction,
    GstQuery *query)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (base);

  if (gst_y10_cuda_answer (self->cuda, query))
    return TRUE;
  if (direction == GST_PAD_SRC) {
    if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
      return answer_latency (self, query);
    if (GST_QUERY_TYPE (query) == GST_QUERY_POSITION)
      return answer_position (self, query)
          || gst_pad_peer_query (base->sinkpad, query);
    if (is_about_classes (query))
      return answer_classes (self, query);
    if (is_about_privacy (query) && gst_pad_peer_query (base->srcpad, query))
      return TRUE;
  } else if (GST_QUERY_IS_SERIALIZED (query)
      && !gst_y10_frame_queue_drain (self->frame_queue, FALSE)) {
    return FALSE;
  }
  return parent_class->query (base, direction, query);
}

static GstFlowReturn
gst_y10_pads_submit (GstBaseTransform *base, gboolean discont,
    GstBuffer *buffer)
{
  return gst_y10_input_push (GST_YOLOV10_DETECT (base), buffer);
}

static GstFlowReturn
gst_y10_pads_generate (GstBaseTransform *base, GstBuffer **buffer)
{
  *buffer = NULL;
  return GST_FLOW_OK;
}

/* Never called, because generate_output() never produces a buffer. Its presence
 * tells the base class that the element works in place. */
static GstFlowReturn
gst_y10_pads_in_place (GstBaseTransform *base, GstBuffer *buffer)
{
  g_return_val_if_reached (GST_FLOW_ERROR);
}

void
gst_y10_pads_begin (GstYolov10Detect *self)
{
  gst_y10_jobs_begin (&self->jobs, GST_Y10_MAX_JOBS);
  gst_y10_output_begin (self);
  gst_y10_input_begin (self);
}

void
gst_y10_pads_end (GstYolov10Detect *self)
{
  gst_y10_output_end (self);
  gst_y10_jobs_end (&self->jobs);
  gst_y10_input_end (self);
  GST_OBJECT_LOCK (self);
  self->live = FALSE;
  GST_OBJECT_UNLOCK (self);
}

void
gst_y10_pads_init (GstYolov10Detect *self)
{
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (self);

  self->frame_queue = gst_y10_frame_queue_new (GST_Y10_MAX_FRAMES,
      sizeof (GstY10QueuedFrame));
  gst_y10_jobs_init (&self->jobs);
  self->in = gst_y10_input_new ();
  self->out = gst_y10_output_new ();
  gst_pad_set_activatemode_function (GST_BASE_TRANSFORM_SRC_PAD (self),
      activate_src);
  self->activate_sink = GST_PAD_ACTIVATEMODEFUNC (sink);
  gst_pad_set_activatemode_function (sink, activate_sink);
  gst_y10_sink_pad_init (GST_BASE_TRANSFORM (self));
}

void
gst_y10_pads_clear (GstYolov10Detect *self)
{
  gst_y10_output_free (self->out);
  gst_y10_input_free (self->in);
  gst_y10_frame_queue_free (self->frame_queue);
  gst_y10_jobs_clear (&self->jobs);
}

void
gst_y10_pads_install (GstBaseTransformClass *class)
{
  parent_class = g_type_class_peek_parent (class);
  class->sink_event = GST_DEBUG_FUNCPTR (gst_y10_pads_sink_event);
  class->src_event = GST_DEBUG_FUNCPTR (gst_y10_pads_src_event);
  class->query = GST_DEBUG_FUNCPTR (gst_y10_pads_query);
  class->submit_input_buffer = GST_DEBUG_FUNCPTR (gst_y10_pads_submit);
  class->generate_output = GST_DEBUG_FUNCPTR (gst_y10_pads_generate);
  class->transform_ip = GST_DEBUG_FUNCPTR (gst_y10_pads_in_place);
}
