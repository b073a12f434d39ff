/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which frames are inferred, and what the others show. Where inference is slower
 * than frames come, or downstream is late, it is inference that is left out,
 * never a frame. Then the latest boxes are held for a while, with their age: the
 * difference of two presentation times, so that it does not depend on when a
 * frame happened to come. What is decided while frames wait is gsty10flight.c's;
 * here is what can be said when one comes, or when it leaves. */
#include "gsty10pace.h"

#include <string.h>

/* Where nothing says how long a frame lasts. */
#define DEFAULT_DURATION (33 * GST_MSECOND)

/* The most frames that are held unasked: enough for an inference of half a
 * second at 60 frames a second, and not so many that decoders run out. */
#define MAX_AUTO_FRAMES 32

/**
 * gst_y10_pace_reset:
 * @self: a pace
 *
 * The next frame is the first.
 */
void
gst_y10_pace_reset (GstY10Pace * self)
{
  *self = (GstY10Pace) { 0 };
}

/**
 * gst_y10_pace_choose:
 * @self: a pace
 * @query: what is known of the frame that comes
 *
 * Returns: what may become of it
 */
GstY10Wish
gst_y10_pace_choose (GstY10Pace * self, const GstY10PaceQuery * query)
{
  gboolean due = !self->begun || self->since + 1 >= query->interval;

  self->since++;
  if (GST_CLOCK_TIME_IS_VALID (query->late_until)
      && GST_CLOCK_TIME_IS_VALID (query->running_time)
      && query->running_time < query->late_until)
    return GST_Y10_WISH_PASS;
  if (query->skip)
    return GST_Y10_WISH_IF_FREE;
  if (!due)
    return GST_Y10_WISH_PASS;
  self->begun = TRUE;
  self->since = 0;
  return GST_Y10_WISH_INFER;
}

/**
 * gst_y10_pace_auto_frames:
 * @skip: whether inference is skipped where it is late
 * @n_running: inferences under way at a time
 * @inference: how long one takes
 * @duration: how long a frame lasts, 0 where that is not known
 *
 * Returns: how many frames to hold at most: those that come while one is
 *   inferred, where nobody must wait; else those that keep it busy
 */
guint
gst_y10_pace_auto_frames (gboolean skip, guint n_running,
    GstClockTime inference, GstClockTime duration)
{
  guint64 n;

  if (!skip)
    return n_running + 2;
  if (!duration)
    duration = DEFAULT_DURATION;
  n = n_running + 2 + (inference + duration - 1) / duration;
  return (guint) MIN (n, MAX_AUTO_FRAMES);
}

/**
 * gst_y10_pace_patience:
 * @duration: how long a frame lasts, 0 where that is not known
 *
 * An inference ends just after a frame has come: that one is inferred rather
 * than the next, which would leave nothing to do for most of a frame. Later
 * than this it would be late itself.
 *
 * Returns: for how long a frame may have waited
 */
GstClockTime
gst_y10_pace_patience (GstClockTime duration)
{
  return (duration ? duration : DEFAULT_DURATION) / 4;
}

/**
 * gst_y10_hold_init:
 * @self: (out caller-allocates): one that holds nothing
 */
void
gst_y10_hold_init (GstY10Hold * self)
{
  *self = (GstY10Hold) {
    .detections = g_new (Y10Detection, GST_Y10_MAX_DETECTIONS)
  };
}

/**
 * gst_y10_hold_clear:
 * @self: one from gst_y10_hold_init()
 */
void
gst_y10_hold_clear (GstY10Hold * self)
{
  gst_y10_hold_forget (self);
  g_clear_pointer (&self->detections, g_free);
}

/**
 * gst_y10_hold_forget:
 * @self: a hold; nothing is held any more
 */
void
gst_y10_hold_forget (GstY10Hold * self)
{
  g_clear_pointer (&self->session, gst_y10_session_unref);
}

/**
 * gst_y10_hold_keep:
 * @self: a hold
 * @session: whose result it is
 * @pts: the frame's presentation time
 * @width: of the frame, pixels
 * @height: of the frame, pixels
 * @detections: (array length=n): copied
 * @n: at most %GST_Y10_MAX_DETECTIONS
 *
 * Keeps a result instead of an earlier one.
 */
void
gst_y10_hold_keep (GstY10Hold * self, GstY10Session * session,
    GstClockTime pts, guint width, guint height,
    const Y10Detection * detections, guint n)
{
  if (self->session != session) {
    gst_y10_hold_forget (self);
    self->session = gst_y10_session_ref (session);
  }
  self->pts = pts;
  self->width = width;
  self->height = height;
  self->n = n;
  memcpy (self->detections, detections, n * sizeof *detections);
}

/**
 * gst_y10_hold_find:
 * @self: a hold
 * @pts: a frame's presentation time
 * @max_age: how old a result may be
 * @width: of the frame, pixels
 * @height: of the frame, pixels
 * @age: (out): how old it is
 *
 * Times may run backwards, too. Without times nobody can say how old something
 * is, and boxes of a frame of another size lie elsewhere.
 *
 * Returns: whether what is held is for that frame, too
 */
gboolean
gst_y10_hold_find (const GstY10Hold * self, GstClockTime pts,
    GstClockTime max_age, guint width, guint height, GstClockTime * age)
{
  if (!self->session || !GST_CLOCK_TIME_IS_VALID (pts)
      || !GST_CLOCK_TIME_IS_VALID (self->pts) || self->width != width
      || self->height != height)
    return FALSE;
  *age = pts > self->pts ? pts - self->pts : self->pts - pts;
  return *age <= max_age;
}
