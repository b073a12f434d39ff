/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Requests: submit, withdraw, wait. An image is checked here, once, so that the one
 * who submits it gets the error; runner.c and the engine rely on it. Whose turn it is
 * then, turns.c decides. */

#include "config.h"

#include "stream/requests.h"

#include <y10/parts.h>

#include "base/clock.h"
#include "run/step.h"
#include "stream/scheduler.h"
#include "stream/shared.h"

void
y10_engine_stream_queue (Y10EngineStream *stream, Y10EngineRequest *request,
    guint n_parts)
{
  Y10Place *place = y10_engine_request_get_place (request);

  y10_scheduler_lock (stream->scheduler);
  y10_line_queue (&stream->line, place, n_parts, y10_clock_ns ());
  y10_scheduler_wake (stream->scheduler);
  y10_scheduler_unlock (stream->scheduler);
}

gboolean
y10_engine_stream_queue_instead (Y10EngineStream *stream,
    Y10EngineRequest *request, guint n_parts)
{
  Y10Place *place = y10_engine_request_get_place (request);
  gboolean queued;

  y10_scheduler_lock (stream->scheduler);
  queued = y10_line_replace (&stream->line, place, n_parts, y10_clock_ns ());
  if (queued)
    y10_scheduler_wake (stream->scheduler);
  y10_scheduler_unlock (stream->scheduler);
  return queued;
}

gboolean
y10_engine_request_withdraw (Y10EngineRequest *request)
{
  Y10Place *place = y10_engine_request_get_place (request);
  Y10EngineStream *stream;
  gboolean withdrawn;

  if (!place->line)
    return FALSE;
  stream = y10_place_get_stream (place);
  y10_scheduler_lock (stream->scheduler);
  withdrawn = y10_place_withdraw (place);
  y10_scheduler_unlock (stream->scheduler);
  return withdrawn;
}

Y10PlaceState
y10_engine_request_await (Y10EngineRequest *request, gint64 until)
{
  gint64 until_ns = until < 0 || until > G_MAXINT64 / 1000 ? G_MAXINT64
                                                           : until * 1000;
  Y10Place *place = y10_engine_request_get_place (request);
  Y10EngineStream *stream;
  Y10PlaceState state;

  if (!place->line)
    return Y10_PLACE_IDLE;
  stream = y10_place_get_stream (place);
  y10_scheduler_lock (stream->scheduler);
  while (!y10_place_is_over (place) && y10_clock_ns () < until_ns)
    y10_scheduler_wait (stream, until_ns);
  state = place->state;
  y10_scheduler_unlock (stream->scheduler);
  return state;
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
      "%u x %u",
      i, p->width, p->height, p->x, p->y, image->width, image->height);
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

/* The scheduler compares shapes, the runner reads them. */
static void
set_shape (const Y10EngineStream *stream, Y10EngineRequest *request,
    guint n_parts)
{
  guint width, height;

  y10_engine_choose_input_size (y10_engine_stream_get_engine (stream),
      request->image, n_parts ? request->parts : NULL, n_parts, &width,
      &height);
  y10_engine_request_get_place (request)->shape = y10_shape_pack (width,
      height);
}

/* Checks a request and clears its outputs. */
static gboolean
prepare (const Y10EngineStream *stream, Y10EngineRequest *request,
    guint *n_parts, GError **error)
{
  Y10Image image = { 0 };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  if (request->size < Y10_FIRST_SIZE (Y10EngineRequest, request)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "Y10EngineRequest.size is %" G_GSIZE_FORMAT "; expected sizeof "
        "(Y10EngineRequest), which is %" G_GSIZE_FORMAT,
        request->size, sizeof *request);
    return FALSE;
  }
  request->n_detections = -1;
  request->wait_time = 0;
  request->turns = 0;
  request->preprocess_time = request->inference_time = 0;
  request->postprocess_time = request->step_time = 0;
  *n_parts = 1;
  if (!y10_engine_check_image (stream->shared->runner.engine, request->image,
          request->params, &image, &params, error))
    return FALSE;
  if (!y10_engine_request_has_parts (request)) {
    set_shape (stream, request, 0);
    return TRUE;
  }
  if (!check_parts (request, &image, error))
    return FALSE;
  *n_parts = request->n_parts;
  set_shape (stream, request, request->n_parts);
  for (guint i = 0; i < request->n_parts; i++)
    request->parts[i].n_detections = -1;
  return TRUE;
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
  guint n_parts;

  if (!prepare (stream, request, &n_parts, error))
    return FALSE;
  y10_engine_stream_queue (stream, request, n_parts);
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
  guint n_parts;

  *replaced = FALSE;
  if (!prepare (stream, request, &n_parts, error))
    return FALSE;
  *replaced = y10_engine_stream_queue_instead (stream, request, n_parts);
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
  guint n;

  y10_scheduler_lock (stream->scheduler);
  n = y10_line_withdraw (&stream->line);
  y10_scheduler_unlock (stream->scheduler);
  return n;
}

/**
 * y10_engine_request_wait:
 * @request: a request of a stream that still exists, or one that was never
 *   submitted
 * @until: deadline on the clock of g_get_monotonic_time(), microseconds; -1
 *   waits forever, 0 returns at once
 *
 * Waits until @request is done. A withdrawn request is done, too; it has neither
 * a result nor an error. Only one thread may wait for a request at a time.
 *
 * Returns: %FALSE if it is still queued or running
 *
 * Since: 0.1
 */
gboolean
y10_engine_request_wait (Y10EngineRequest *request, gint64 until)
{
  Y10PlaceState state = y10_engine_request_await (request, until);

  if (state == Y10_PLACE_QUEUED || state == Y10_PLACE_RUNNING)
    return FALSE;
  if (state == Y10_PLACE_ANSWERED && !request->error
      && y10_engine_request_has_parts (request) && request->n_detections < 0)
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
  y10_engine_request_withdraw (request);
  y10_engine_request_await (request, -1);
  g_clear_error (&request->error);
}
