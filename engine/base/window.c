/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Window over the latest images: how long they waited for their step, and
 * how many were answered per second. Recording stores into a ring; sorting
 * happens only when a summary is requested. The owner does the locking. */

#include "config.h"

#include "base/window.h"

#include <stdlib.h>

/**
 * y10_window_record:
 * @window: the window
 * @waited: time from submission to the beginning of its step, nanoseconds
 * @answered_at: when it was answered, nanoseconds; not before the last one
 * @busy: total time that the device was busy until then, nanoseconds
 *
 * Records one image.
 */
void
y10_window_record (Y10LatencyWindow *window, gint64 waited, gint64 answered_at,
    gint64 busy)
{
  window->waits[window->n++ % Y10_WINDOW_SIZE] = (Y10Wait){ waited, answered_at,
    busy };
}

/**
 * y10_window_busy:
 * @window: the window
 * @now: the time, nanoseconds
 * @busy: total time that the device was busy until @now, nanoseconds
 *
 * Returns: the fraction of the time, 0 to 1, that the device was busy since the
 *   first image of the window was answered; 0 for an empty window
 */
gdouble
y10_window_busy (const Y10LatencyWindow *window, gint64 now, gint64 busy)
{
  const Y10Wait *first =
      &window->waits[window->n > Y10_WINDOW_SIZE ? window->n % Y10_WINDOW_SIZE
                                                 : 0];

  if (!window->n || now <= first->answered_at)
    return 0;
  return (gdouble) (busy - first->busy) / (gdouble) (now - first->answered_at);
}

static int
compare (const void *a, const void *b)
{
  gint64 x = ((const Y10Wait *) a)->waited, y = ((const Y10Wait *) b)->waited;

  return (x > y) - (x < y);
}

/* Images of a step are answered together. Those of the first step do not count:
 * the window does not show when that step began. */
static gdouble
per_second (const Y10Wait *waits, guint n)
{
  gint64 first = G_MAXINT64, last = 0;
  guint later = 0;

  for (guint i = 0; i < n; i++) {
    first = MIN (first, waits[i].answered_at);
    last = MAX (last, waits[i].answered_at);
  }
  for (guint i = 0; i < n; i++)
    later += waits[i].answered_at > first;
  return later ? later * 1e9 / (gdouble) (last - first) : 0;
}

/**
 * y10_window_summarize:
 * @window: a copy of the window; it is sorted in place
 * @summary: (out caller-allocates): the summary
 *
 * Summarizes the window. Percentiles are by nearest rank.
 */
void
y10_window_summarize (Y10LatencyWindow *window, Y10WindowSummary *summary)
{
  guint n = (guint) MIN (window->n, Y10_WINDOW_SIZE);

  *summary = (Y10WindowSummary){ 0 };
  if (!n)
    return;
  qsort (window->waits, n, sizeof *window->waits, compare);
  summary->median = window->waits[(n - 1) / 2].waited;
  summary->p95 = window->waits[(n * 95 + 99) / 100 - 1].waited;
  summary->max = window->waits[n - 1].waited;
  summary->per_second = per_second (window->waits, n);
}
