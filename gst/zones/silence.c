/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides when time passes without frames. Of a live source that says nothing, the
 * clock tells how late it is: what would be known of a frame at that time, if one had
 * come, is told then. Other sources may be slower or faster than the clock, so only
 * their frames and gaps tell the time. */
#include "zones/element.h"

#define GST_CAT_DEFAULT gst_yolov10_zones_debug

/* Asks upstream for the latency, if it is not known. Call without locks: what answers may
 * itself send an event, or wait for a thread that sends frames. */
void
gst_y10_zones_find_latency (GstYolov10Zones *self)
{
  gboolean is_wanted, is_live = FALSE;
  GstClockTime latency = 0;
  g_autoptr (GstQuery) query = NULL;
  guint n_latencies;

  g_mutex_lock (&self->lock);
  is_wanted = self->playing && !self->latency_known;
  n_latencies = self->n_latencies;
  g_mutex_unlock (&self->lock);
  if (!is_wanted)
    return;
  query = gst_query_new_latency ();
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    gst_query_parse_latency (query, &is_live, &latency, NULL);
  g_mutex_lock (&self->lock);
  self->latency_known = self->n_latencies == n_latencies;
  self->is_live = is_live;
  self->latency = latency;
  g_mutex_unlock (&self->lock);
}

/* The time of the stream for which everything is known by now, or NONE. */
static GstClockTime
find_position (GstYolov10Zones *self, GstClock *clock)
{
  const GstClockTime now = gst_clock_get_time (clock),
                     late = gst_element_get_base_time (GST_ELEMENT (self))
      + self->latency + GST_Y10_ZONES_SLACK;

  /* The latency may have grown since. */
  return now < late ? GST_CLOCK_TIME_NONE
                    : gst_segment_position_from_running_time (&self->segment,
                        GST_FORMAT_TIME, now - late);
}

static gboolean
on_time (GstClock *clock, GstClockTime time, GstClockID id, gpointer user)
{
  GstYolov10Zones *self = user;
  GstClockTime position;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return FALSE;
  gst_y10_zones_find_latency (self);
  g_mutex_lock (&self->lock);
  if (self->wait == id) {
    g_clear_pointer (&self->wait, gst_clock_id_unref);
    position = find_position (self, clock);
    GST_LOG_OBJECT (self, "silence until %" GST_TIME_FORMAT,
        GST_TIME_ARGS (position));
    if (GST_CLOCK_TIME_IS_VALID (position))
      gst_y10_zones_advance (self->zones, position);
    gst_y10_zones_arm (self);
  }
  g_mutex_unlock (&self->lock);
  gst_y10_zones_tell_outside (self);
  return TRUE;
}

/* Call with the lock held, after gst_y10_zones_find_latency(). Takes care that what becomes
 * due is told if no frame comes until then. Played backwards, nothing does. */
void
gst_y10_zones_arm (GstYolov10Zones *self)
{
  const GstClockTime due = gst_y10_zones_get_deadline (self->zones);
  GstClockTime time;
  g_autoptr (GstClock) clock = NULL;

  if (!self->playing || !GST_CLOCK_TIME_IS_VALID (due)
      || self->segment.format != GST_FORMAT_TIME || self->segment.rate < 0)
    return;
  time = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME, due);
  if (!self->is_live || !GST_CLOCK_TIME_IS_VALID (time))
    return;
  time += gst_element_get_base_time (GST_ELEMENT (self)) + self->latency
      + GST_Y10_ZONES_SLACK;
  /* A wait that ends too early begins another one. */
  if (self->wait && self->wait_time <= time)
    return;
  gst_y10_zones_disarm (self);
  clock = gst_element_get_clock (GST_ELEMENT (self));
  if (!clock)
    return;
  self->wait = gst_clock_new_single_shot_id (clock, time);
  self->wait_time = time;
  gst_clock_id_wait_async (self->wait, on_time, gst_object_ref (self),
      gst_object_unref);
}

/* Call with the lock held. */
void
gst_y10_zones_disarm (GstYolov10Zones *self)
{
  if (!self->wait)
    return;
  gst_clock_id_unschedule (self->wait);
  g_clear_pointer (&self->wait, gst_clock_id_unref);
}
