/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The latency that the element reports: the 95th percentile of the inference
 * time plus, when skipping, one frame interval as the wait for a turn. It must
 * be known before the first frame, because the LATENCY query precedes it. Later
 * it only rises, in steps of a fifth or more, since each change makes the whole
 * pipeline recalculate its latency. Not locked: the owner does that. */
#include "infer/latency.h"

#include <string.h>

void
gst_y10_latency_begin (GstY10Latency *self)
{
  memset (self, 0, sizeof *self);
}

/* Updates the inference time. Returns TRUE if it rose by a fifth or more, so
 * that the caller must post a LATENCY message. */
gboolean
gst_y10_latency_expect (GstY10Latency *self, GstClockTime inference)
{
  if (inference < self->reported + self->reported / 5
      || inference == self->reported)
    return FALSE;
  self->reported = inference;
  return TRUE;
}

/* Nearest rank. Uses insertion sort, because qsort() may allocate. */
static guint64
percentile (const guint64 *values, guint n, guint percent)
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

/* Records one inference. The first few already show contention with other
 * streams, which warm-up cannot see; their median counts, because the very
 * first may be slow. Returns TRUE if the caller must post a LATENCY message. */
gboolean
gst_y10_latency_record (GstY10Latency *self, guint64 ns)
{
  self->ns[self->n++ % GST_Y10_LATENCY_WINDOW] = ns;
  if (self->n == GST_Y10_LATENCY_FIRST)
    return gst_y10_latency_expect (self,
        percentile (self->ns, GST_Y10_LATENCY_FIRST, 50));
  return self->n % GST_Y10_LATENCY_EVERY == 0
      && gst_y10_latency_expect (self,
          percentile (self->ns, (guint) MIN (self->n, GST_Y10_LATENCY_WINDOW),
              95));
}

/* Updates how long a frame may wait for a turn. Returns TRUE if the caller must
 * post a LATENCY message. */
gboolean
gst_y10_latency_wait (GstY10Latency *self, GstClockTime interval)
{
  if (interval <= self->interval + self->interval / 5)
    return FALSE;
  self->interval = interval;
  return TRUE;
}

/* Adds the element's latency to a @query that upstream has answered, if
 * upstream is live. @duration is the frame duration from the caps, or 0. */
void
gst_y10_latency_answer (GstQuery *query, const GstY10Latency *self,
    gboolean skip, guint max_frames, GstClockTime duration)
{
  GstClockTime interval = MAX (self->interval, duration);
  GstClockTime min, max, ours = self->reported + (skip ? interval : 0);
  gboolean live;

  gst_query_parse_latency (query, &live, &min, &max);
  if (!live)
    return;
  min += ours;
  /* The queue can hold at least as much as it has to. */
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += MAX (max_frames * interval, ours);
  gst_query_set_latency (query, live, min, max);
}
