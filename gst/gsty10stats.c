/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What has become of the frames, and where the time of the latest went.
 * Recording is a store into a ring, so that it costs a frame nothing; sorting is
 * left to whoever asks. Not locked: the owner does that. */
#include "gsty10stats.h"

#include <stdlib.h>

/**
 * gst_y10_stats_record:
 * @stats: the figures
 * @stage: what took so long
 * @ns: nanoseconds of one frame
 */
void
gst_y10_stats_record (GstY10Stats * stats, GstY10Stage stage, gint64 ns)
{
  GstY10Series *series = &stats->series[stage];

  series->ns[series->n++ % GST_Y10_STATS_WINDOW] = MAX (ns, 0);
}

/**
 * gst_y10_stats_sent:
 * @stats: the figures
 * @now: when a frame left, nanoseconds
 */
void
gst_y10_stats_sent (GstY10Stats * stats, gint64 now)
{
  stats->sent_at[stats->sent++ % GST_Y10_STATS_WINDOW] = now;
}

static int
compare (const void *a, const void *b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

/* Of the frames that left within the window. */
static gdouble
frame_rate (const GstY10Stats * stats)
{
  guint n = (guint) MIN (stats->sent, GST_Y10_STATS_WINDOW);
  guint64 first, last;

  if (n < 2)
    return 0;
  first = stats->sent_at[(stats->sent - n) % GST_Y10_STATS_WINDOW];
  last = stats->sent_at[(stats->sent - 1) % GST_Y10_STATS_WINDOW];
  return last > first ? (n - 1) * 1e9 / (gdouble) (last - first) : 0;
}

/**
 * gst_y10_stats_to_structure:
 * @stats: a copy of the figures; the order of times is lost
 *
 * Fields, guint64 where nothing else is said: `frames` that left an active
 * detector, and of these `inferred`, `held` and `skipped`; `sent`, with those
 * that passed untouched; `waiting` (uint); `fps` (double); `recoveries`; and for
 * each S of preprocess, inference, postprocess, age and delay `S-median`,
 * `S-p95` and `S-max` in nanoseconds, 0 before the first frame. Percentiles are
 * by nearest rank.
 *
 * Returns: (transfer full): the structure
 */
GstStructure *
gst_y10_stats_to_structure (GstY10Stats * stats)
{
  static const gchar *const fields[GST_Y10_N_STAGES][3] = {
    {"preprocess-median", "preprocess-p95", "preprocess-max"},
    {"inference-median", "inference-p95", "inference-max"},
    {"postprocess-median", "postprocess-p95", "postprocess-max"},
    {"age-median", "age-p95", "age-max"},
    {"delay-median", "delay-p95", "delay-max"},
  };
  const guint64 *frames = stats->frames;
  GstStructure *structure = gst_structure_new ("yolov10detect-stats",
      "frames", G_TYPE_UINT64, frames[GST_Y10_FRESH] + frames[GST_Y10_HELD]
      + frames[GST_Y10_SKIPPED],
      "inferred", G_TYPE_UINT64, frames[GST_Y10_FRESH],
      "held", G_TYPE_UINT64, frames[GST_Y10_HELD],
      "skipped", G_TYPE_UINT64, frames[GST_Y10_SKIPPED],
      "sent", G_TYPE_UINT64, stats->sent,
      "waiting", G_TYPE_UINT, stats->waiting,
      "fps", G_TYPE_DOUBLE, frame_rate (stats),
      "recoveries", G_TYPE_UINT64, stats->recoveries, NULL);

  for (guint stage = 0; stage < GST_Y10_N_STAGES; stage++) {
    GstY10Series *series = &stats->series[stage];
    guint n = (guint) MIN (series->n, GST_Y10_STATS_WINDOW);
    guint64 *ns = series->ns;

    qsort (ns, n, sizeof *ns, compare);
    gst_structure_set (structure,
        fields[stage][0], G_TYPE_UINT64, n ? ns[(n - 1) / 2] : 0,
        fields[stage][1], G_TYPE_UINT64, n ? ns[(n * 95 + 99) / 100 - 1] : 0,
        fields[stage][2], G_TYPE_UINT64, n ? ns[n - 1] : 0, NULL);
  }
  return structure;
}
