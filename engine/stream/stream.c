/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Streams: which engine they share, their settings, and what they tell. Their
 * requests are in requests.c. */

#include "config.h"

#include "stream/stream.h"

#include <string.h>

#include "run/reserve.h"
#include "run/shape.h"
#include "run/tuning.h"
#include "stream/scheduler.h"
#include "stream/shared.h"

Y10EngineStream *
y10_engine_stream_new_on (Y10Scheduler *scheduler, gint priority)
{
  Y10EngineStream *self = g_new0 (Y10EngineStream, 1);

  self->refs = 1;
  y10_scheduler_add_stream (scheduler, self, priority);
  return self;
}

/**
 * y10_engine_stream_new:
 * @model: a model
 * @config: configuration of the engine; its @n_slots is ignored
 * @group: (nullable): streams share an engine only if they have the same name
 *   here
 * @priority: see y10_engine_stream_set_priority()
 * @cancellable: (nullable): cancels the creation of the engine
 * @error: return location for a #GError, or %NULL
 *
 * Creates a stream on the engine that streams with the same file, @config and
 * @group share. If there is none yet, compiles the engine and warms it up, which
 * takes from milliseconds to seconds. Class names belong to the model, not to
 * the engine, so streams that share an engine may have different ones.
 *
 * Returns: (transfer full): a stream, or %NULL with any #Y10Error
 *
 * Since: 0.1
 */
Y10EngineStream *
y10_engine_stream_new (Y10Model *model, const Y10EngineConfig *config,
    const char *group, gint priority, GCancellable *cancellable, GError **error)
{
  Y10EngineConfig own_config;
  Y10EngineStream *self;
  Y10SharedEngine *shared;

  y10_engine_config_init (&own_config, sizeof own_config);
  if (!y10_engine_config_read (&own_config, config, error))
    return NULL;
  shared = y10_shared_engine_join (model, &own_config, group, cancellable,
      error);
  if (!shared)
    return NULL;
  self = y10_engine_stream_new_on (shared->runner.scheduler, priority);
  self->shared = shared;
  return self;
}

/**
 * y10_engine_stream_ref:
 * @stream: a stream
 *
 * Returns: (transfer full): @stream
 *
 * Since: 0.1
 */
Y10EngineStream *
y10_engine_stream_ref (Y10EngineStream *stream)
{
  __atomic_add_fetch (&stream->refs, 1, __ATOMIC_RELAXED);
  return stream;
}

/**
 * y10_engine_stream_unref:
 * @stream: (transfer full) (nullable): a stream
 *
 * Releasing the last reference withdraws the queued requests and waits for those
 * in steps. The last stream of an engine frees the engine.
 *
 * Since: 0.1
 */
void
y10_engine_stream_unref (Y10EngineStream *stream)
{
  if (!stream || __atomic_sub_fetch (&stream->refs, 1, __ATOMIC_ACQ_REL))
    return;
  y10_scheduler_remove_stream (stream);
  if (stream->shared)
    y10_shared_engine_leave (stream->shared);
  g_free (stream);
}

/**
 * y10_engine_stream_get_engine:
 * @stream: a stream
 *
 * Returns: (transfer none): its engine, for queries only: all its slots belong
 *   to the streams
 *
 * Since: 0.1
 */
Y10Engine *
y10_engine_stream_get_engine (const Y10EngineStream *stream)
{
  return stream->shared->runner.engine;
}

/**
 * y10_engine_stream_get_warm_time:
 * @stream: a stream
 *
 * Returns: duration of an inference on the otherwise idle engine, measured when
 *   it was created, nanoseconds; the longest of a few. 0: not measured, because a
 *   run failed or was cancelled
 *
 * Since: 0.1
 */
gint64
y10_engine_stream_get_warm_time (const Y10EngineStream *stream)
{
  return stream->shared->warm_time;
}

/**
 * y10_engine_stream_get_stats:
 * @stream: a stream
 * @stats: (inout): statistics of its engine over all streams; the caller sets
 *   @size
 *
 * Since: 0.1
 */
void
y10_engine_stream_get_stats (Y10EngineStream *stream,
    Y10EngineStreamStats *stats)
{
  Y10Engine *engine = stream->shared->runner.engine;
  Y10EngineStreamStats own;
  Y10SchedulerStats s;

  y10_scheduler_get_stats (stream->scheduler, &s);
  own = (Y10EngineStreamStats){
    .n_streams = s.n_streams,
    .n_queued = s.n_queued,
    .n_running = s.n_running,
    .n_inferences = s.n_answered,
    .n_failed = s.n_failed,
    .n_withdrawn = s.n_withdrawn,
    .wait_median = s.waits.median,
    .wait_p95 = s.waits.p95,
    .wait_max = s.waits.max,
    .per_second = s.waits.per_second,
    .busy = s.busy,
    .weights_size = engine->weights_size,
    .arenas_size = y10_engine_get_all_arenas_size (engine),
  };
  memcpy (own.fill, s.fill, sizeof s.fill);
  Y10_SIZED_WRITE (Y10EngineStreamStats, arenas_size, stats, &own);
}

/**
 * y10_engine_stream_set_priority:
 * @stream: a stream
 * @priority: any number; streams of equal priority take turns
 *
 * Streams with a higher priority take their turns first. Under overload the
 * streams with a lower one wait, and forever if a stream with a higher one
 * always has a request queued. Applies to queued requests, too.
 *
 * Since: 0.1
 */
void
y10_engine_stream_set_priority (Y10EngineStream *stream, gint priority)
{
  y10_scheduler_lock (stream->scheduler);
  stream->line.priority = priority;
  y10_scheduler_unlock (stream->scheduler);
}

/**
 * y10_engine_stream_set_max_running:
 * @stream: a stream
 * @max_running: maximum number of its requests in steps at a time; 0: no limit
 *
 * Queued requests beyond the limit keep their place.
 *
 * Since: 0.1
 */
void
y10_engine_stream_set_max_running (Y10EngineStream *stream, guint max_running)
{
  y10_scheduler_lock (stream->scheduler);
  if (stream->line.max_running != max_running) {
    stream->line.max_running = max_running;
    y10_scheduler_wake (stream->scheduler);
  }
  y10_scheduler_unlock (stream->scheduler);
}

/**
 * y10_engine_stream_reserve:
 * @stream: a stream
 * @format: format of its images
 * @width: width of its images, pixels
 * @height: height of its images, pixels
 *
 * Reserves memory for images of this size in host memory, so that a GPU engine
 * does not allocate when the first ones come: for two images of each of the
 * engine's streams, or a full step, in each slot. Larger images, and more of
 * them, are accepted; the memory grows then. Does nothing on other backends.
 *
 * Call it once the format is known, not from a callback of the stream. It may
 * wait for steps that are running, up to a quarter of a second each.
 *
 * Since: 0.1
 */
void
y10_engine_stream_reserve (Y10EngineStream *stream, Y10PixelFormat format,
    guint width, guint height)
{
  Y10SchedulerStats stats;

  g_return_if_fail (format < Y10_N_PIXEL_FORMATS && width > 0 && height > 0);
  y10_scheduler_get_stats (stream->scheduler, &stats);
  y10_engine_reserve (stream->shared->runner.engine, format, width, height,
      2 * MAX (stats.n_streams, 1));
}

/**
 * y10_engine_stream_expect_parts:
 * @stream: a stream
 * @n_parts: number of parts of its next requests, 1 for whole images
 *
 * Tells the engine how many images will often be ready at once, so that a GPU
 * prepares steps of this size in the background if it is below @max_batch of the
 * #Y10EngineConfig. Optional: without this call a GPU runs a step of another size
 * as the next larger one that is prepared. May wait for a running step. Not from
 * a callback of the stream.
 *
 * Since: 0.2
 */
void
y10_engine_stream_expect_parts (Y10EngineStream *stream, guint n_parts)
{
  y10_engine_request_batch_size (stream->shared->runner.engine, n_parts);
}
