/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The skip policy: which frames are inferred. If inference is slower than the frame
 * rate, or downstream is late, inference is skipped, never a frame; infer/hold.c
 * decides what the others show. A stream that skips has at most one request with
 * the engine, and replaces its frame by newer ones until the turn comes. */
#include "infer/policy.h"

/* Used if neither caps nor arrivals give a frame duration. */
#define DEFAULT_DURATION (33 * GST_MSECOND)

/* Limit of the automatic queue size: enough for half a second of inference at
 * 60 fps, but few enough for decoder pools. */
#define MAX_AUTO_FRAMES 32

/* Upper limit for the jitter allowance. */
#define JITTER (10 * GST_MSECOND)

/* Shorter lags of a live source are not worth a warning. */
#define LEAST_BEHIND GST_SECOND

/* Returns whether late frames skip inference. */
gboolean
gst_y10_policy_skips (GstYolov10LatePolicy policy, gboolean live)
{
  return policy == GST_YOLOV10_LATE_SKIP
      || (policy == GST_YOLOV10_LATE_AUTO && live);
}

void
gst_y10_policy_reset (GstY10SkipPolicy *self)
{
  *self = (GstY10SkipPolicy){ .least_offset = G_MAXINT64 };
}

/* Records an arrival and returns the observed frame interval. Until enough
 * frames have arrived, this is @duration (from the caps, or 0). */
GstClockTime
gst_y10_policy_arrived (GstY10SkipPolicy *self, gint64 now,
    GstClockTime duration)
{
  guint n = (guint) MIN (self->n_arrived, GST_Y10_POLICY_WINDOW);
  gint64 oldest =
      self->arrived_at[(self->n_arrived - n) % GST_Y10_POLICY_WINDOW];

  self->arrived_at[self->n_arrived++ % GST_Y10_POLICY_WINDOW] = now;
  if (n >= GST_Y10_POLICY_WINDOW / 2 && now > oldest)
    return (GstClockTime) (now - oldest) / n;
  return duration ? duration : DEFAULT_DURATION;
}

/* Returns the max wait of a frame for a turn. Normally a frame leaves when the
 * next one replaces it; this is the fallback, slightly longer than the interval
 * because of jitter. A frame that leaves with its request still pending would
 * be copied if a downstream element writes to it. In a burst, the caps'
 * @duration counts. */
GstClockTime
gst_y10_policy_max_wait (GstClockTime interval, GstClockTime duration)
{
  GstClockTime most = MAX (interval, duration ? duration : DEFAULT_DURATION);

  return most + MIN (most / 4, JITTER);
}

GstY10InferMode
gst_y10_policy_choose (GstY10SkipPolicy *self, const GstY10PolicyInput *input)
{
  gboolean due = !self->begun || self->since + 1 >= input->every_nth;

  self->since++;
  if (GST_CLOCK_TIME_IS_VALID (input->late_until)
      && GST_CLOCK_TIME_IS_VALID (input->running_time)
      && input->running_time < input->late_until)
    return GST_Y10_INFER_PASS;
  /* Any frame may replace a pending request, even before it is due. */
  if (input->skip)
    return due ? GST_Y10_INFER_NEWEST : GST_Y10_INFER_REPLACE;
  return due ? GST_Y10_INFER_ALL : GST_Y10_INFER_PASS;
}

/* Call when the engine accepted the frame passed to gst_y10_policy_choose(). */
void
gst_y10_policy_submitted (GstY10SkipPolicy *self)
{
  self->begun = TRUE;
  self->since = 0;
}

/* Returns how far a live source lags behind its least late frame, if worth a
 * warning: a second or more and twice the last value; else 0. */
GstClockTime
gst_y10_policy_behind (GstY10SkipPolicy *self, gint64 now,
    GstClockTime running_time)
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

/* Returns how many frames may be inferred at a time, by the property in-flight (0:
 * automatic). When skipping, a second one would only wait for the first. */
guint
gst_y10_policy_max_running (guint in_flight, gboolean skip)
{
  return in_flight ? in_flight : skip ? 1 : GST_Y10_AUTO_IN_FLIGHT;
}

/* Returns the automatic queue size: when skipping, the frames that arrive
 * during one inference; else enough to keep the engine busy. @interval 0 means
 * unknown. */
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
