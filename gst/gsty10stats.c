/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Where the time of the latest frames went. Recording is a store into a ring,
 * so that it costs a frame nothing; sorting is left to whoever asks. Not
 * locked: the owner does that. */
#include "gsty10stats.h"

#include <stdlib.h>

/**
 * gst_y10_stats_record:
 * @stats: the ring
 * @ns: nanoseconds of each stage of one frame
 */
void
gst_y10_stats_record (GstY10Stats * stats, const gint64 ns[GST_Y10_N_STAGES])
{
  guint slot = stats->frames % GST_Y10_STATS_WINDOW;

  for (guint stage = 0; stage < GST_Y10_N_STAGES; stage++)
    stats->ns[stage][slot] = MAX (ns[stage], 0);
  stats->frames++;
}

static int
compare (const void *a, const void *b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

/**
 * gst_y10_stats_to_structure:
 * @stats: a copy of the ring; its order is lost
 *
 * Fields: `frames`, `skipped`, `recoveries`, and for each stage S of preprocess, inference and
 * postprocess `S-median`, `S-p95` and `S-max` in nanoseconds, all guint64, 0
 * before the first frame. Percentiles are by nearest rank.
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
  };
  guint n = MIN (stats->frames, GST_Y10_STATS_WINDOW);
  GstStructure *structure = gst_structure_new ("yolov10detect-stats",
      "frames", G_TYPE_UINT64, stats->frames,
      "skipped", G_TYPE_UINT64, stats->skipped,
      "recoveries", G_TYPE_UINT64, stats->recoveries, NULL);

  for (guint stage = 0; stage < GST_Y10_N_STAGES; stage++) {
    guint64 *ns = stats->ns[stage];

    qsort (ns, n, sizeof *ns, compare);
    gst_structure_set (structure,
        fields[stage][0], G_TYPE_UINT64, n ? ns[(n - 1) / 2] : 0,
        fields[stage][1], G_TYPE_UINT64, n ? ns[(n * 95 + 99) / 100 - 1] : 0,
        fields[stage][2], G_TYPE_UINT64, n ? ns[n - 1] : 0, NULL);
  }
  return structure;
}
