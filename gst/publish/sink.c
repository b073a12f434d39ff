/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Makes a filter a sink where nothing follows it when it is started: buffers end there, none
 * passes before the pipeline plays, and the end of the stream is posted, which the
 * pipeline waits for. Like a sink without async, it changes its state at once. Once
 * something is linked to it, it is a filter. */
#include "publish/sink.h"

static gboolean
is_sink (GstY10Sink *self)
{
  gboolean is;

  g_mutex_lock (&self->lock);
  is = self->is_sink;
  g_mutex_unlock (&self->lock);
  return is;
}

static void
set_flag (GstObject *object, gboolean is_set)
{
  GST_OBJECT_LOCK (object);
  if (is_set)
    GST_OBJECT_FLAG_SET (object, GST_ELEMENT_FLAG_SINK);
  else
    GST_OBJECT_FLAG_UNSET (object, GST_ELEMENT_FLAG_SINK);
  GST_OBJECT_UNLOCK (object);
}

/* Bins wait for the end of those of their children that are sinks. */
static void
begin (GstY10Sink *self)
{
  GstObject *bin;

  set_flag (GST_OBJECT (self->element), TRUE);
  for (bin = GST_OBJECT_PARENT (self->element); GST_IS_BIN (bin);
       bin = GST_OBJECT_PARENT (bin)) {
    if (GST_OBJECT_FLAG_IS_SET (bin, GST_ELEMENT_FLAG_SINK)
        || gst_bin_get_suppressed_flags (GST_BIN (bin)) & GST_ELEMENT_FLAG_SINK)
      break;
    set_flag (bin, TRUE);
    self->bins = g_slist_prepend (self->bins, gst_object_ref (bin));
  }
}

static void
end (GstY10Sink *self)
{
  GSList *bins;

  g_mutex_lock (&self->lock);
  bins = self->is_sink ? g_steal_pointer (&self->bins) : NULL;
  if (self->is_sink)
    set_flag (GST_OBJECT (self->element), FALSE);
  self->is_sink = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  for (GSList *l = bins; l; l = l->next)
    set_flag (l->data, FALSE);
  g_slist_free_full (bins, gst_object_unref);
}

static void
on_linked (GstPad *pad, GstPad *peer, gpointer user)
{
  end (user);
}

void
gst_y10_sink_init (GstY10Sink *self, GstElement *element, GstPad *src)
{
  *self = (GstY10Sink){ .element = element, .src = src };
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  g_signal_connect (src, "linked", G_CALLBACK (on_linked), self);
}

void
gst_y10_sink_clear (GstY10Sink *self)
{
  end (self);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
}

/* Before the element changes its state, and after it where that goes down. */
void
gst_y10_sink_change_state (GstY10Sink *self, GstStateChange transition)
{
  g_mutex_lock (&self->lock);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->is_flushing = FALSE;
    self->is_sink = !gst_pad_is_linked (self->src);
    if (self->is_sink)
      begin (self);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    self->is_flushing = TRUE;
  }
  self->is_playing = transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    end (self);
}

void
gst_y10_sink_set_flushing (GstY10Sink *self, gboolean is_flushing)
{
  g_mutex_lock (&self->lock);
  self->is_flushing = is_flushing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/**
 * gst_y10_sink_wait:
 * @self: a sink
 * @result: (out): %GST_FLOW_FLUSHING where a buffer must not pass
 *
 * Waits until the pipeline plays, if this is a sink.
 *
 * Returns: whether it is
 */
gboolean
gst_y10_sink_wait (GstY10Sink *self, GstFlowReturn *result)
{
  gboolean is;

  g_mutex_lock (&self->lock);
  while (self->is_sink && !self->is_playing && !self->is_flushing)
    g_cond_wait (&self->changed, &self->lock);
  is = self->is_sink;
  *result = is && self->is_flushing ? GST_FLOW_FLUSHING : GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
  return is;
}

/* Posts what a sink says of an event, after it is through. */
void
gst_y10_sink_post (GstY10Sink *self, GstEvent *event)
{
  GstMessage *message;
  guint group;

  if (!is_sink (self))
    return;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    message = gst_message_new_eos (GST_OBJECT (self->element));
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    message = gst_message_new_stream_start (GST_OBJECT (self->element));
    if (gst_event_parse_group_id (event, &group))
      gst_message_set_group_id (message, group);
  } else {
    return;
  }
  gst_message_set_seqnum (message, gst_event_get_seqnum (event));
  gst_element_post_message (self->element, message);
}
