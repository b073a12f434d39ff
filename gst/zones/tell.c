/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Events come up while the lock is held, and are told without it, in their order: by a
 * signal, a message, an event downstream, in order with the frames, and what DL Streamer
 * calls crossings in the frame meta. */
#include "zones/element.h"

#include "common/text.h"
#include "zones/report.h"

#define GST_CAT_DEFAULT gst_yolov10_zones_debug

/* How often a thread that waits looks whether the stream is flushed, in microseconds. */
#define LOOK_AGAIN 20000

enum
{
  SIGNAL_EVENT,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* Keeps what DL Streamer would tell of the frame at hand. */
static void
note_crossing (GstYolov10Zones *self, const GstY10ZoneEvent *event)
{
  g_string_append_printf (self->crossings,
      "%c{\"object_id\":%" G_GUINT64_FORMAT ",\"tripwire_id\":",
      self->crossings->len ? ',' : '[', event->id);
  gst_y10_text_append_json (self->crossings, event->zone->name);
  g_string_append_printf (self->crossings, ",\"direction\":%d}",
      event->direction);
}

/* A GstY10ZoneEventFunc; the lock is held. Keeps the event until it can be told. */
void
gst_y10_zones_keep_event (const GstY10ZoneEvent *event, gpointer user)
{
  GstYolov10Zones *self = user;
  GstStructure *structure = gst_y10_zone_event_describe (event,
      GST_OBJECT_NAME (self), "yolov10-event");

  GST_INFO_OBJECT (self, "%s", gst_structure_get_string (structure, "json"));
  if (event->kind == GST_Y10_ZONE_CROSS)
    note_crossing (self, event);
  g_queue_push_tail (&self->told, structure);
}

static gboolean
is_flushing (GstYolov10Zones *self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (self);
  gboolean flushing;

  GST_OBJECT_LOCK (pad);
  flushing = GST_PAD_IS_FLUSHING (pad);
  GST_OBJECT_UNLOCK (pad);
  return flushing;
}

/* Waits for another thread that tells events, with the lock held; that of the clock, say.
 * Returns whether this thread may tell them. Otherwise the other one goes on with them: where
 * this is called by a handler of an event, or where a handler stops or flushes the stream,
 * which waits for this thread. */
static gboolean
become_teller (GstYolov10Zones *self)
{
  while (
      self->teller && self->teller != g_thread_self () && !is_flushing (self))
    g_cond_wait_until (&self->told_all, &self->lock,
        g_get_monotonic_time () + LOOK_AGAIN);
  if (self->teller)
    return FALSE;
  self->teller = g_thread_self ();
  return TRUE;
}

/* Tells applications the events that have come up, in their order, by whatever threads. Call
 * without locks. */
static void
tell (GstYolov10Zones *self)
{
  GstStructure *structure;

  g_mutex_lock (&self->lock);
  if ((g_queue_is_empty (&self->told) && !self->teller)
      || !become_teller (self)) {
    g_mutex_unlock (&self->lock);
    return;
  }
  while ((structure = g_queue_pop_head (&self->told))) {
    g_queue_push_tail (&self->passed, gst_structure_copy (structure));
    g_mutex_unlock (&self->lock);
    g_signal_emit (self, signals[SIGNAL_EVENT], 0, structure);
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self), structure));
    g_mutex_lock (&self->lock);
  }
  self->teller = NULL;
  g_cond_broadcast (&self->told_all);
  g_mutex_unlock (&self->lock);
}

static GstStructure *
next_to_pass (GstYolov10Zones *self)
{
  GstStructure *structure;

  g_mutex_lock (&self->lock);
  structure = g_queue_pop_head (&self->passed);
  g_mutex_unlock (&self->lock);
  return structure;
}

/* Sends on what was told. Call with the stream lock of the sink pad, as for a frame. */
static void
pass (GstYolov10Zones *self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (self);
  GstStructure *structure;

  while ((structure = next_to_pass (self)))
    gst_pad_push_event (pad,
        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, structure));
}

/* Tells the events that have come up. Call without locks, in the streaming thread. */
void
gst_y10_zones_tell (GstYolov10Zones *self)
{
  tell (self);
  pass (self);
}

static void
pass_later (GstElement *element, gpointer user)
{
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (element);

  GST_PAD_STREAM_LOCK (pad);
  pass (GST_YOLOV10_ZONES (element));
  GST_PAD_STREAM_UNLOCK (pad);
}

/* Likewise, in any thread, which elements downstream must not hold up. */
void
gst_y10_zones_tell_outside (GstYolov10Zones *self)
{
  tell (self);
  gst_element_call_async (GST_ELEMENT (self), pass_later, NULL, NULL);
}

void
gst_y10_zones_install_signals (GstYolov10ZonesClass *klass)
{
  /**
   * GstYolov10Zones::event:
   * @zones: the element
   * @event: (transfer none): what happened, with the fields of the message
   *
   * Emitted for each event, in a streaming thread or, while no frames come, in that
   * of the clock, but by one thread at a time and in the order of messages. A slow handler
   * delays both.
   *
   * Since: 0.2
   */
  signals[SIGNAL_EVENT] = g_signal_new ("event", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
      GST_TYPE_STRUCTURE);
}
