/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Streams and their requests. */

#include "config.h"

#include <y10/parts.h>
#include <y10/stream.h>

#include <string.h>

#include "run/reserve.h"
#include "run/step.h"
#include "run/tuning.h"
#include "stream/group.h"
#include "stream/request.h"

struct _Y10EngineStream
{
  int refs;
  Y10Group *group;
  Y10Stream *stream;
};

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
    const char *group, gint priority, GCancellable *cancellable,
    GError **error)
{
  Y10EngineConfig own_config;
  Y10EngineStream *self;
  Y10Group *joined;

  y10_engine_config_init (&own_config, sizeof own_config);
  if (!y10_engine_config_read (&own_config, config, error))
    return NULL;
  joined = y10_group_join (model, &own_config, group, cancellable, error);
  if (!joined)
    return NULL;
  self = g_new0 (Y10EngineStream, 1);
  self->refs = 1;
  self->group = joined;
  self->stream = y10_stream_new (joined->steps.scheduler, priority);
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
  y10_stream_free (stream->stream);
  y10_group_leave (stream->group);
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
  return stream->group->steps.engine;
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
  return stream->group->warm_time;
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
  const Y10Engine *engine = stream->group->steps.engine;
  Y10EngineStreamStats own;
  Y10SchedulerStats s;

  y10_scheduler_get_stats (stream->group->steps.scheduler, &s);
  own = (Y10EngineStreamStats) {
    .n_streams = s.n_streams,.n_queued = s.n_queued,.n_running = s.n_running,
    .n_inferences = s.n_answered,.n_failed = s.n_failed,
    .n_withdrawn = s.n_withdrawn,
    .wait_median = s.waits.median,.wait_p95 = s.waits.p95,
    .wait_max = s.waits.max,.per_second = s.waits.per_second,
    .busy = s.busy,
    .weights_size = engine->weights_size,
    .arenas_size = engine->plan->arena_size * engine->config.max_batch
        * engine->config.n_slots,
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
  y10_stream_set_priority (stream->stream, priority);
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
  y10_stream_set_max_running (stream->stream, max_running);
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
  y10_scheduler_get_stats (stream->group->steps.scheduler, &stats);
  y10_engine_reserve (stream->group->steps.engine, format, width, height,
      2 * MAX (stats.n_streams, 1));
}

/* Called with the scheduler's lock held. */
static void
notify_request (Y10Request *own)
{
  Y10EngineRequest *request = y10_request_outer (own);

  request->notify (request, own->state == Y10_REQUEST_RUNNING
      ? Y10_ENGINE_REQUEST_RUNNING : Y10_ENGINE_REQUEST_DONE,
      request->notify_data);
}

static gboolean
check_part (const Y10EngineRequest *request, guint i, const Y10Image *image,
    GError **error)
{
  const Y10Part *p = &request->parts[i];

  if (!p->detections) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "part %u of a request has no array of detections", i);
    return FALSE;
  }
  if (p->width && p->height && p->width <= image->width
      && p->height <= image->height && p->x <= image->width - p->width
      && p->y <= image->height - p->height)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "part %u of a request is %u x %u at %u, %u; expected it within the image of "
      "%u x %u", i, p->width, p->height, p->x, p->y, image->width, image->height);
  return FALSE;
}

static gboolean
check_parts (const Y10EngineRequest *request, const Y10Image *image,
    GError **error)
{
  if (request->n_parts > Y10_MAX_PARTS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "a request has %u parts; expected at most %u", request->n_parts,
        Y10_MAX_PARTS);
    return FALSE;
  }
  if (!request->parts) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "a request has %u parts, but no array of them", request->n_parts);
    return FALSE;
  }
  if (image->format == Y10_PIXEL_TENSOR) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "a request has %u parts of a tensor; expected an image of pixels",
        request->n_parts);
    return FALSE;
  }
  for (guint i = 0; i < request->n_parts; i++)
    if (!check_part (request, i, image, error))
      return FALSE;
  return TRUE;
}

static gboolean
prepare (Y10EngineStream *stream, Y10EngineRequest *request, GError **error)
{
  Y10Request *own = y10_request_inner (request);
  Y10Image image = { 0 };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  if (request->size < Y10_FIRST_SIZE (Y10EngineRequest, request)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "Y10EngineRequest.size is %" G_GSIZE_FORMAT "; expected sizeof "
        "(Y10EngineRequest), which is %" G_GSIZE_FORMAT, request->size,
        sizeof *request);
    return FALSE;
  }
  request->n_detections = -1;
  request->preprocess_time = request->inference_time = 0;
  request->postprocess_time = request->step_time = 0;
  own->notify = request->notify ? notify_request : NULL;
  own->n_parts = 1;
  if (!y10_engine_read_image (stream->group->steps.engine, request->image,
          request->params, &image, &params, error))
    return FALSE;
  if (!y10_request_has_parts (request))
    return TRUE;
  if (!check_parts (request, &image, error))
    return FALSE;
  own->n_parts = (guint8) request->n_parts;
  for (guint i = 0; i < request->n_parts; i++)
    request->parts[i].n_detections = -1;
  return TRUE;
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
  y10_engine_request_batch_size (stream->group->steps.engine, n_parts);
}

/**
 * y10_engine_stream_submit:
 * @stream: a stream
 * @request: (transfer none): a request that is neither queued nor running
 * @error: return location for a #GError, or %NULL
 *
 * Queues a request behind the others of its stream. Does not block.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT or %Y10_ERROR_UNSUPPORTED;
 *   the request was not queued then
 *
 * Since: 0.1
 */
gboolean
y10_engine_stream_submit (Y10EngineStream *stream, Y10EngineRequest *request,
    GError **error)
{
  if (!prepare (stream, request, error))
    return FALSE;
  y10_stream_submit (stream->stream, y10_request_inner (request));
  return TRUE;
}

/**
 * y10_engine_stream_replace:
 * @stream: a stream
 * @request: (transfer none): a request that is neither queued nor running
 * @replaced: (out): whether @request was queued; %FALSE if the stream had no
 *   queued request
 * @error: return location for a #GError, or %NULL
 *
 * Withdraws the queued requests of the stream and queues @request in their
 * place, without losing the stream's turn. A stream whose frames cannot all be
 * inferred uses this to have its newest frame inferred. Does not block.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT or %Y10_ERROR_UNSUPPORTED;
 *   nothing has changed then
 *
 * Since: 0.1
 */
gboolean
y10_engine_stream_replace (Y10EngineStream *stream, Y10EngineRequest *request,
    gboolean *replaced, GError **error)
{
  *replaced = FALSE;
  if (!prepare (stream, request, error))
    return FALSE;
  *replaced = y10_stream_replace (stream->stream, y10_request_inner (request));
  return TRUE;
}

/**
 * y10_engine_stream_withdraw:
 * @stream: a stream
 *
 * Withdraws all queued requests of the stream and wakes the threads that wait
 * for them. Does not block.
 *
 * Returns: the number of withdrawn requests
 *
 * Since: 0.1
 */
guint
y10_engine_stream_withdraw (Y10EngineStream *stream)
{
  return y10_stream_withdraw (stream->stream);
}

/* Moves the scheduler's error into the request. */
static void
take_error (Y10EngineRequest *request)
{
  Y10Request *own = y10_request_inner (request);

  if (own->error)
    g_propagate_error (&request->error, g_steal_pointer (&own->error));
}

/**
 * y10_engine_request_wait:
 * @request: a request of a stream that still exists, or one that was never
 *   submitted
 * @until: deadline on the clock of g_get_monotonic_time(), microseconds; -1
 *   waits forever, 0 returns at once
 *
 * Waits until @request is over. A withdrawn request is over, too; it has neither
 * a result nor an error. Only one thread may wait for a request at a time.
 *
 * Returns: %FALSE if it is still queued or running
 *
 * Since: 0.1
 */
gboolean
y10_engine_request_wait (Y10EngineRequest *request, gint64 until)
{
  Y10RequestState state = y10_request_wait (y10_request_inner (request), until);

  if (state == Y10_REQUEST_QUEUED || state == Y10_REQUEST_RUNNING)
    return FALSE;
  take_error (request);
  if (state == Y10_REQUEST_ANSWERED && !request->error
      && y10_request_has_parts (request) && request->n_detections < 0)
    request->n_detections = (gint) y10_parts_merge (request->image,
        request->parts, request->n_parts, request->params, request->region,
        request->region_anchor, request->detections, request->max_detections);
  return TRUE;
}

/**
 * y10_engine_request_end:
 * @request: a request of a stream that still exists, or one that was never
 *   submitted
 *
 * Withdraws @request, or waits for its step. Afterwards its pixels may be freed.
 * Frees its error.
 *
 * Since: 0.1
 */
void
y10_engine_request_end (Y10EngineRequest *request)
{
  y10_request_withdraw (y10_request_inner (request));
  y10_request_wait (y10_request_inner (request), -1);
  take_error (request);
  g_clear_error (&request->error);
}
