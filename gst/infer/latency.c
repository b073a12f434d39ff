/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How long a live pipeline has to wait for us: what 95 of 100 inferences take,
 * and a frame interval, for which a frame may wait for its turn with the engine.
 * It must be known before the first frame, because the LATENCY query comes
 * together with that; later it only rises, and in steps that are worth it, since
 * each makes the whole pipeline adjust its delay. Not locked: the owner does
 * that. */
#include "infer/latency.h"

#include <string.h>

/**
 * gst_y10_latency_begin:
 * @self: (out caller-allocates): a latency
 * @first: what an inference took when the engine was warmed up
 */
void
gst_y10_latency_begin (GstY10Latency * self, GstClockTime first)
{
  memset (self, 0, sizeof *self);
  self->reported = first;
}

/**
 * gst_y10_latency_expect:
 * @self: a latency
 * @inference: what an inference takes from now on
 *
 * Returns: %TRUE when downstream has to be told: it is a fifth more, or more
 */
gboolean
gst_y10_latency_expect (GstY10Latency * self, GstClockTime inference)
{
  if (inference < self->reported + self->reported / 5
      || inference == self->reported)
    return FALSE;
  self->reported = inference;
  return TRUE;
}

/* By nearest rank. Sorts by insertion, since qsort() may allocate. */
static guint64
percentile (const guint64 * values, guint n, guint percent)
{
  guint64 sorted[GST_Y10_LATENCY_WINDOW];

  for (guint i = 0; i < n; i++) {
    guint k = i;

    for (; k > 0 && sorted[k - 1] > values[i]; k--)
      sorted[k] = sorted[k - 1];
    sorted[k] = values[i];
  }
  return sorted[(n * percent + 99) / 100 - 1];
}

/**
 * gst_y10_latency_record:
 * @self: a latency
 * @ns: what an inference took
 *
 * The first few already tell whether others have steps under way at the same time,
 * which the warm-up cannot know; of these the median counts, because the very first
 * may be slow.
 *
 * Returns: %TRUE when downstream has to be told that the latency has risen
 */
gboolean
gst_y10_latency_record (GstY10Latency * self, guint64 ns)
{
  self->ns[self->n++ % GST_Y10_LATENCY_WINDOW] = ns;
  if (self->n == GST_Y10_LATENCY_FIRST)
    return gst_y10_latency_expect (self, percentile (self->ns,
            GST_Y10_LATENCY_FIRST, 50));
  return self->n % GST_Y10_LATENCY_EVERY == 0
      && gst_y10_latency_expect (self, percentile (self->ns,
          (guint) MIN (self->n, GST_Y10_LATENCY_WINDOW), 95));
}

/**
 * gst_y10_latency_wait:
 * @self: a latency
 * @interval: for how long a frame may wait for its turn from now on
 *
 * Returns: %TRUE when downstream has to be told: it is a fifth more, or more
 */
gboolean
gst_y10_latency_wait (GstY10Latency * self, GstClockTime interval)
{
  if (interval <= self->interval + self->interval / 5)
    return FALSE;
  self->interval = interval;
  return TRUE;
}

/**
 * gst_y10_latency_answer:
 * @query: a LATENCY query that upstream has answered
 * @self: a latency
 * @skip: whether inference is skipped where it is late
 * @max_frames: how many frames are held at most
 * @duration: how long a frame lasts by the caps, 0 where they do not say
 *
 * Adds ours where upstream is live; else nothing is to be added to.
 */
void
gst_y10_latency_answer (GstQuery * query, const GstY10Latency * self,
    gboolean skip, guint max_frames, GstClockTime duration)
{
  GstClockTime interval = MAX (self->interval, duration);
  GstClockTime min, max, ours = self->reported + (skip ? interval : 0);
  gboolean live;

  gst_query_parse_latency (query, &live, &min, &max);
  if (!live)
    return;
  min += ours;
  /* What can be held is at least what has to be. */
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += MAX (max_frames * interval, ours);
  gst_query_set_latency (query, live, min, max);
}
