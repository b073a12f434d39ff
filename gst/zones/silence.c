/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides when time passes without frames. Of a live source that says nothing, the
 * clock tells how late it is: what would be known of a frame at that time, if one had
 * come, is told then. Other sources may be slower or faster than the clock, so only
 * their frames and gaps tell the time. */
#include "zones/element.h"

#define GST_CAT_DEFAULT gst_yolov10_zones_debug

static void
find_latency (GstYolov10Zones *self)
{
  GstQuery *query = gst_query_new_latency ();

  self->latency_known = TRUE;
  self->is_live = FALSE;
  self->latency = 0;
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    gst_query_parse_latency (query, &self->is_live, &self->latency, NULL);
  gst_query_unref (query);
}

static gboolean
on_time (GstClock *clock, GstClockTime time, GstClockID id, gpointer user)
{
  GstYolov10Zones *self = user;
  GstClockTime position, running;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return FALSE;
  g_mutex_lock (&self->lock);
  if (self->wait == id) {
    g_clear_pointer (&self->wait, gst_clock_id_unref);
    running = gst_clock_get_time (clock)
        - gst_element_get_base_time (GST_ELEMENT (self));
    position = gst_segment_position_from_running_time (&self->segment,
        GST_FORMAT_TIME, running - self->latency - GST_Y10_ZONES_SLACK);
    GST_LOG_OBJECT (self, "silence until %" GST_TIME_FORMAT,
        GST_TIME_ARGS (position));
    if (GST_CLOCK_TIME_IS_VALID (position))
      gst_y10_zones_advance (self->zones, position);
    gst_y10_zones_arm (self);
  }
  g_mutex_unlock (&self->lock);
  gst_y10_zones_tell (self);
  return TRUE;
}

/* Call with the lock held. Takes care that what becomes due is told if no frame comes
 * until then. */
void
gst_y10_zones_arm (GstYolov10Zones *self)
{
  const GstClockTime due = gst_y10_zones_get_deadline (self->zones);
  GstClockTime time;
  GstClock *clock;

  if (!self->playing || !GST_CLOCK_TIME_IS_VALID (due)
      || self->segment.format != GST_FORMAT_TIME)
    return;
  if (!self->latency_known)
    find_latency (self);
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
  gst_object_unref (clock);
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
