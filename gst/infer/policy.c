/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which frames are inferred, and what the others show. Where inference is slower
 * than frames come, or downstream is late, inference is skipped, never a frame.
 * Then the latest boxes are held for a while, with their age: the difference of
 * two presentation times, so that it does not depend on when a frame happened to
 * come. A stream that skips asks the engine for one turn at a time, and has its
 * newest frame inferred when the turn comes. */
#include "infer/policy.h"

#include <string.h>

/* Where nothing says how long a frame lasts. */
#define DEFAULT_DURATION (33 * GST_MSECOND)

/* The most frames that are held unasked: enough for an inference of half a
 * second at 60 frames a second, and not so many that decoders run out. */
#define MAX_AUTO_FRAMES 32

/* What frames come too late by, and more does not matter. */
#define JITTER (10 * GST_MSECOND)

/* A source that is behind by less is not worth a warning. */
#define LEAST_BEHIND GST_SECOND

/**
 * gst_y10_policy_reset:
 * @self: a pace
 *
 * The next frame is the first.
 */
void
gst_y10_policy_reset (GstY10SkipPolicy * self)
{
  *self = (GstY10SkipPolicy) {.least_offset = G_MAXINT64 };
}

/**
 * gst_y10_policy_arrived:
 * @self: a pace
 * @now: when a frame came, nanoseconds
 * @duration: how long a frame lasts by the caps, 0 where they do not say
 *
 * Returns: the frame interval as observed over the latest frames; what the caps
 *   say until there are some
 */
GstClockTime
gst_y10_policy_arrived (GstY10SkipPolicy * self, gint64 now, GstClockTime duration)
{
  guint n = (guint) MIN (self->n_came, GST_Y10_POLICY_WINDOW);
  gint64 oldest = self->came_at[(self->n_came - n) % GST_Y10_POLICY_WINDOW];

  self->came_at[self->n_came++ % GST_Y10_POLICY_WINDOW] = now;
  if (n >= GST_Y10_POLICY_WINDOW / 2 && now > oldest)
    return (GstClockTime) (now - oldest) / n;
  return duration ? duration : DEFAULT_DURATION;
}

/**
 * gst_y10_policy_max_wait:
 * @interval: between two frames, as observed
 * @duration: how long a frame lasts by the caps, 0 where they do not say
 *
 * A frame whose turn has not come leaves when the next one comes, and at last
 * when this time is over. It is a little more than an interval, since frames
 * jitter, and one that leaves before it is replaced is copied if an element
 * behind us writes to it. In a burst, it is what the caps say.
 *
 * Returns: for how long a frame may wait for its turn
 */
GstClockTime
gst_y10_policy_max_wait (GstClockTime interval, GstClockTime duration)
{
  GstClockTime most = MAX (interval, duration ? duration : DEFAULT_DURATION);

  return most + MIN (most / 4, JITTER);
}

/**
 * gst_y10_policy_choose:
 * @self: a pace
 * @query: what is known of the frame that comes
 *
 * Returns: what may become of it
 */
GstY10InferMode
gst_y10_policy_choose (GstY10SkipPolicy * self, const GstY10PolicyQuery * query)
{
  gboolean due = !self->begun || self->since + 1 >= query->interval;

  self->since++;
  if (GST_CLOCK_TIME_IS_VALID (query->late_until)
      && GST_CLOCK_TIME_IS_VALID (query->running_time)
      && query->running_time < query->late_until)
    return GST_Y10_INFER_PASS;
  /* Behind a frame whose turn has not come nothing is too early. */
  if (query->skip)
    return due ? GST_Y10_INFER_NEWEST : GST_Y10_INFER_REPLACE;
  return due ? GST_Y10_INFER_ALL : GST_Y10_INFER_PASS;
}

/**
 * gst_y10_policy_queued:
 * @self: a pace
 *
 * The engine was given the frame that gst_y10_policy_choose() was asked about.
 */
void
gst_y10_policy_queued (GstY10SkipPolicy * self)
{
  self->begun = TRUE;
  self->since = 0;
}

/**
 * gst_y10_policy_behind:
 * @self: a pace
 * @now: the time, nanoseconds
 * @running_time: of a frame that has just found room
 *
 * How far a live source is behind: its frames come later, by their own times,
 * than the frame that was the least late.
 *
 * Returns: by how much, when that is worth saying: a second or more, and twice
 *   what was said before; else 0
 */
GstClockTime
gst_y10_policy_behind (GstY10SkipPolicy * self, gint64 now, GstClockTime running_time)
{
  gint64 offset, behind;

  if (!GST_CLOCK_TIME_IS_VALID (running_time))
    return 0;
  offset = now - (gint64) running_time;
  self->least_offset = MIN (self->least_offset, offset);
  behind = offset - self->least_offset;
  if (behind < (gint64) LEAST_BEHIND || behind < 2 * self->said_behind)
    return 0;
  self->said_behind = behind;
  return (GstClockTime) behind;
}

/**
 * gst_y10_policy_auto_frames:
 * @skip: whether inference is skipped where it is late
 * @n_running: inferences under way at a time
 * @inference: how long one takes
 * @interval: between two frames, 0 where that is not known
 *
 * Returns: how many frames to hold at most: those that come while one is
 *   inferred, where nobody must wait; else those that keep it busy
 */
guint
gst_y10_policy_auto_frames (gboolean skip, guint n_running,
    GstClockTime inference, GstClockTime interval)
{
  guint64 n;

  if (!skip)
    return n_running + 2;
  if (!interval)
    interval = DEFAULT_DURATION;
  n = n_running + 2 + (inference + interval - 1) / interval;
  return (guint) MIN (n, MAX_AUTO_FRAMES);
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
 * @job: one that is over, with a result; it is copied
 *
 * Keeps a result instead of an earlier one.
 */
void
gst_y10_hold_keep (GstY10Hold * self, const GstY10Job * job)
{
  if (self->session != job->session) {
    gst_y10_hold_forget (self);
    self->session = gst_y10_session_ref (job->session);
  }
  self->pts = job->pts;
  self->width = job->frame.width;
  self->height = job->frame.height;
  self->region = gst_y10_job_get_region (job);
  self->n = (guint) job->n;
  memcpy (self->detections, job->rows, self->n * sizeof *self->detections);
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
 * Returns: %GST_Y10_KNOWN_HELD, or why the result does not apply to the frame
 */
GstY10Knowledge
gst_y10_hold_find (const GstY10Hold * self, GstClockTime pts,
    GstClockTime max_age, guint width, guint height, GstClockTime * age)
{
  if (!self->session)
    return GST_Y10_UNKNOWN_NO_RESULT;
  if (!GST_CLOCK_TIME_IS_VALID (pts) || !GST_CLOCK_TIME_IS_VALID (self->pts))
    return GST_Y10_UNKNOWN_NO_TIME;
  if (self->width != width || self->height != height)
    return GST_Y10_UNKNOWN_OTHER_SIZE;
  *age = pts > self->pts ? pts - self->pts : self->pts - pts;
  return *age <= max_age ? GST_Y10_KNOWN_HELD : GST_Y10_UNKNOWN_EXPIRED;
}
