/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Frame counts and the timings of recent frames. Recording only stores into a
 * ring, so it costs a frame almost nothing; reading sorts. Not locked: the
 * owner does that. */
#include "infer/stats.h"

#include <stdlib.h>

void
gst_y10_stats_record (GstY10Stats *stats, GstY10Stage stage, gint64 ns)
{
  GstY10Series *series = &stats->series[stage];

  series->ns[series->n++ % GST_Y10_STATS_WINDOW] = MAX (ns, 0);
}

void
gst_y10_stats_inferred (GstY10Stats *stats, const Y10EngineRequest *request)
{
  stats->inferences++;
  stats->most_turns = MAX (stats->most_turns, request->turns);
  gst_y10_stats_record (stats, GST_Y10_STAGE_WAIT, request->wait_time);
  gst_y10_stats_record (stats, GST_Y10_STAGE_PREPROCESS,
      request->preprocess_time);
  gst_y10_stats_record (stats, GST_Y10_STAGE_INFERENCE,
      request->inference_time);
  gst_y10_stats_record (stats, GST_Y10_STAGE_POSTPROCESS,
      request->postprocess_time);
}

/* Counts a frame that leaves with @result, @delay nanoseconds after its arrival. */
void
gst_y10_stats_attached (GstY10Stats *stats, const GstY10Result *result,
    guint64 delay)
{
  const gboolean is_fresh = gst_y10_state_is_fresh (result->state);
  const gboolean is_held = gst_y10_state_is_held (result->state);

  stats->inferred += is_fresh;
  stats->held += is_held;
  stats->skipped += !is_fresh && !is_held;
  stats->longest_delay = MAX (stats->longest_delay, delay);
  gst_y10_stats_record (stats, GST_Y10_STAGE_DELAY, (gint64) delay);
  if (is_fresh || is_held)
    gst_y10_stats_record (stats, GST_Y10_STAGE_AGE, (gint64) result->age);
}

void
gst_y10_stats_sent (GstY10Stats *stats, gint64 now)
{
  stats->sent_at[stats->sent++ % GST_Y10_STATS_WINDOW] = now;
}

static int
compare (const void *a, const void *b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

/* Covers the frames pushed within the window. */
static gdouble
frame_rate (const GstY10Stats *stats)
{
  guint n = (guint) MIN (stats->sent, GST_Y10_STATS_WINDOW);
  guint64 first, last;

  if (n < 2)
    return 0;
  first = stats->sent_at[(stats->sent - n) % GST_Y10_STATS_WINDOW];
  last = stats->sent_at[(stats->sent - 1) % GST_Y10_STATS_WINDOW];
  return last > first ? (n - 1) * 1e9 / (gdouble) (last - first) : 0;
}

/* Returns the `stats` property. @stats must be a copy, because this sorts it.
 * Fields, guint64 unless noted: `frames` pushed while active, of which
 * `inferred`, `held` and `skipped`; `sent`, including frames passed while
 * inactive; `inferences`, including those of detached frames; `longest-delay`
 * of all frames, in nanoseconds; `waiting` (uint); `most-turns` (uint), the
 * most frames of all elements inferred while one of this element waited; `fps`
 * (double); `recoveries`; and for each stage S of wait, preprocess, inference,
 * postprocess, age and delay `S-median`, `S-p95` and `S-max`, in nanoseconds by
 * nearest rank, 0 before the first frame. */
GstStructure *
gst_y10_stats_to_structure (GstY10Stats *stats)
{
  static const gchar *const fields[GST_Y10_N_STAGES][3] = {
    { "wait-median", "wait-p95", "wait-max" },
    { "preprocess-median", "preprocess-p95", "preprocess-max" },
    { "inference-median", "inference-p95", "inference-max" },
    { "postprocess-median", "postprocess-p95", "postprocess-max" },
    { "age-median", "age-p95", "age-max" },
    { "delay-median", "delay-p95", "delay-max" },
  };
  GstStructure *structure = gst_structure_new ("yolov10detect-stats", "frames",
      G_TYPE_UINT64, stats->inferred + stats->held + stats->skipped, "inferred",
      G_TYPE_UINT64, stats->inferred, "held", G_TYPE_UINT64, stats->held,
      "skipped", G_TYPE_UINT64, stats->skipped, "sent", G_TYPE_UINT64,
      stats->sent, "inferences", G_TYPE_UINT64, stats->inferences,
      "longest-delay", G_TYPE_UINT64, stats->longest_delay, "waiting",
      G_TYPE_UINT, stats->waiting, "most-turns", G_TYPE_UINT, stats->most_turns,
      "fps", G_TYPE_DOUBLE, frame_rate (stats), "recoveries", G_TYPE_UINT64,
      stats->recoveries, NULL);

  for (guint stage = 0; stage < GST_Y10_N_STAGES; stage++) {
    GstY10Series *series = &stats->series[stage];
    guint n = (guint) MIN (series->n, GST_Y10_STATS_WINDOW);
    guint64 *ns = series->ns;

    qsort (ns, n, sizeof *ns, compare);
    gst_structure_set (structure, fields[stage][0], G_TYPE_UINT64,
        n ? ns[(n - 1) / 2] : 0, fields[stage][1], G_TYPE_UINT64,
        n ? ns[(n * 95 + 99) / 100 - 1] : 0, fields[stage][2], G_TYPE_UINT64,
        n ? ns[n - 1] : 0, NULL);
  }
  return structure;
}

/* Adds the number of steps by batch size, from 1 to the largest used. */
static void
set_fill (GstStructure *structure, const Y10EngineStreamStats *stats)
{
  GValue list = G_VALUE_INIT, item = G_VALUE_INIT;
  guint n = Y10_MAX_BATCH;

  while (n && !stats->fill[n])
    n--;
  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&item, G_TYPE_UINT64);
  for (guint i = 1; i <= n; i++) {
    g_value_set_uint64 (&item, stats->fill[i]);
    gst_value_array_append_value (&list, &item);
  }
  g_value_unset (&item);
  gst_structure_take_value (structure, "batch-fill", &list);
}

/* Returns the `engine-stats` property, about all streams that share the engine.
 * Fields, guint64 unless noted: `streams`, `queued` and `running` (uint);
 * `inferences`, including failed ones and those of dropped frames; `failed`;
 * `withdrawn`; `batch-fill`, a GstValueArray of the steps with one frame, two,
 * and so on; `wait-median`, `wait-p95` and `wait-max` of the last 512 frames'
 * wait for a step, in nanoseconds; `inferences-per-second` (double); `busy`
 * (double), the share of time with work to do, 0 to 1; `weights-host`,
 * `weights-device`, `arenas-host` and `arenas-device`, in bytes. */
GstStructure *
gst_y10_engine_stats_to_structure (const Y10EngineStreamStats *stats,
    Y10BackendKind backend)
{
  guint64 on_device = backend == Y10_BACKEND_CUDA, on_host = !on_device;
  GstStructure *structure = gst_structure_new ("yolov10detect-engine-stats",
      "streams", G_TYPE_UINT, stats->n_streams, "queued", G_TYPE_UINT,
      stats->n_queued, "running", G_TYPE_UINT, stats->n_running, "inferences",
      G_TYPE_UINT64, stats->n_inferences, "failed", G_TYPE_UINT64,
      stats->n_failed, "withdrawn", G_TYPE_UINT64, stats->n_withdrawn,
      "wait-median", G_TYPE_UINT64, (guint64) stats->wait_median, "wait-p95",
      G_TYPE_UINT64, (guint64) stats->wait_p95, "wait-max", G_TYPE_UINT64,
      (guint64) stats->wait_max, "inferences-per-second", G_TYPE_DOUBLE,
      stats->per_second, "busy", G_TYPE_DOUBLE, stats->busy, "weights-host",
      G_TYPE_UINT64, on_host * stats->weights_size, "weights-device",
      G_TYPE_UINT64, on_device * stats->weights_size, "arenas-host",
      G_TYPE_UINT64, on_host * stats->arenas_size, "arenas-device",
      G_TYPE_UINT64, on_device * stats->arenas_size, NULL);

  set_fill (structure, stats);
  return structure;
}
