/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/parts.h>
#include <y10/step.h>

G_BEGIN_DECLS

/**
 * Y10_MAX_BATCH:
 *
 * Maximum number of images in a step.
 *
 * Since: 0.1
 */
#define Y10_MAX_BATCH 64

/**
 * Y10EngineStream:
 *
 * One source of images for a shared engine. All streams of this process that
 * were created with the same file, configuration and group name share one
 * engine, and so its weights and programs. The engine takes images of these
 * streams in turn and can put images of several streams into one step.
 * Reference counted; any thread may use it.
 *
 * Since: 0.1
 */
typedef struct _Y10EngineStream Y10EngineStream;

typedef struct _Y10EngineRequest Y10EngineRequest;

/**
 * Y10EngineRequestState:
 * @Y10_ENGINE_REQUEST_RUNNING: its step has begun
 * @Y10_ENGINE_REQUEST_DONE: it has a result or an error, or was withdrawn
 *
 * New state of a request in a #Y10EngineRequestNotify.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_ENGINE_REQUEST_RUNNING,
  Y10_ENGINE_REQUEST_DONE,
} Y10EngineRequestState;

/**
 * Y10EngineRequestNotify:
 * @request: a submitted request
 * @state: its new state
 * @data: @notify_data of the #Y10EngineRequest
 *
 * Called on a thread of the engine, or on the thread that withdraws the request,
 * with a lock of the engine held: it must not block and must not call the
 * library.
 *
 * Since: 0.1
 */
typedef void (*Y10EngineRequestNotify) (Y10EngineRequest *request,
    Y10EngineRequestState state, gpointer data);

/**
 * Y10EngineRequest:
 * @size: sizeof (Y10EngineRequest)
 * @image: (not nullable): borrowed; the struct and its pixels must stay valid
 *   until the request is done
 * @params: (not nullable): borrowed; the struct and its arrays must stay valid
 *   until the request is done
 * @detections: (array length=max_detections): buffer for the results
 * @max_detections: size of @detections
 * @n_detections: number of results, best first; -1: there is no result
 * @wait_time: nanoseconds between y10_engine_stream_submit() and the beginning
 *   of the step
 * @turns: images of all streams, or parts of images, that were put into steps in that
 *   time
 * @preprocess_time: nanoseconds that the step took to preprocess its images
 * @inference_time: nanoseconds that the step took for the network
 * @postprocess_time: nanoseconds that the step took to decode its results
 * @step_time: nanoseconds between the beginning of the step and its results
 * @notify: (nullable): called when the step begins and when the request is done
 * @notify_data: passed to @notify
 * @error: (nullable): why there is no result; the caller frees it
 * @parts: (nullable) (array length=n_parts): the rectangles of @image to infer,
 *   from y10_parts_plan() or y10_part_set(), each with a buffer for its
 *   detections; borrowed. %NULL: the whole image. Since 0.2
 * @n_parts: number of @parts, at most %Y10_MAX_PARTS. Since 0.2
 * @region: (nullable): with @parts, boxes outside it are dropped; borrowed.
 *   Since 0.2
 * @region_anchor: condition for a box to be in @region. Since 0.2
 *
 * An image to be inferred, in memory of the caller. Set all fields to zero,
 * except @size and the inputs. The caller must not access the struct between
 * y10_engine_stream_submit() and the end of the request. Afterwards it may be
 * submitted again, with @error cleared.
 *
 * Each of the @parts takes a turn of the stream, and other streams get theirs in
 * between. The request is running from the first step with a part on. It ends as
 * a whole: with the detections of all parts, with an error, or withdrawn.
 * y10_engine_request_wait() merges the detections of the parts, so @image,
 * @params, @parts and @region must stay valid until it has returned %TRUE. The
 * times are sums over the steps of the parts; @step_time ends with the last.
 *
 * Since: 0.2
 */
struct _Y10EngineRequest
{
  gsize size;
  const Y10Image *image;
  const Y10HeadParams *params;
  Y10Detection *detections;
  guint max_detections;
  gint n_detections;
  gint64 wait_time;
  guint turns;
  gint64 preprocess_time, inference_time, postprocess_time, step_time;
  Y10EngineRequestNotify notify;
  gpointer notify_data;
  GError *error;
  /*< private >*/
  guint64 request[10];
  /*< public >*/
  Y10Part *parts;
  guint n_parts;
  const Y10Region *region;
  Y10RegionAnchor region_anchor;
};

/**
 * Y10EngineStreamStats:
 * @size: sizeof (Y10EngineStreamStats)
 * @n_streams: number of streams that share the engine
 * @n_queued: images, or parts of images, that wait for their turn; parts count by
 *   themselves in what follows, too
 * @n_running: images in steps that are in flight
 * @n_inferences: images that have a result or an error
 * @n_failed: of these, images with an error
 * @n_withdrawn: images that were withdrawn
 * @fill: number of steps by number of images
 * @busy: fraction of the time, 0 to 1, in which at least one step was in flight,
 *   over the latest 512 images and until now
 * @wait_median: median time that the latest 512 images waited for their step,
 *   nanoseconds
 * @wait_p95: 95th percentile, likewise
 * @wait_max: maximum, likewise
 * @per_second: images done per second, of the latest 512
 * @weights_size: size of the packed weights, bytes
 * @arenas_size: size of the activations of all images that can be in flight,
 *   bytes
 *
 * Statistics of an engine over all streams that share it.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  guint n_streams, n_queued, n_running;
  guint64 n_inferences, n_failed, n_withdrawn;
  guint64 fill[Y10_MAX_BATCH + 1];
  gint64 wait_median, wait_p95, wait_max;
  gdouble per_second, busy;
  gsize weights_size, arenas_size;
} Y10EngineStreamStats;

Y10_API Y10EngineStream *y10_engine_stream_new (Y10Model *model,
    const Y10EngineConfig *config, const char *group, gint priority,
    GCancellable *cancellable, GError **error);
Y10_API Y10EngineStream *y10_engine_stream_ref (Y10EngineStream *stream);
Y10_API void y10_engine_stream_unref (Y10EngineStream *stream);

Y10_API Y10Engine *y10_engine_stream_get_engine (const Y10EngineStream *stream);
Y10_API gint64 y10_engine_stream_get_warm_time (const Y10EngineStream *stream);
Y10_API void y10_engine_stream_get_stats (Y10EngineStream *stream,
    Y10EngineStreamStats *stats);
Y10_API void y10_engine_stream_set_priority (Y10EngineStream *stream,
    gint priority);

Y10_API void y10_engine_stream_expect_parts (Y10EngineStream *stream,
    guint n_parts);
Y10_API gboolean y10_engine_stream_submit (Y10EngineStream *stream,
    Y10EngineRequest *request, GError **error);
Y10_API gboolean y10_engine_stream_replace (Y10EngineStream *stream,
    Y10EngineRequest *request, gboolean *replaced, GError **error);
Y10_API void y10_engine_stream_reserve (Y10EngineStream *stream,
    Y10PixelFormat format, guint width, guint height);
Y10_API void y10_engine_stream_set_max_running (Y10EngineStream *stream,
    guint max_running);
Y10_API guint y10_engine_stream_withdraw (Y10EngineStream *stream);
Y10_API gboolean y10_engine_request_wait (Y10EngineRequest *request,
    gint64 until);
Y10_API void y10_engine_request_end (Y10EngineRequest *request);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10EngineStream, y10_engine_stream_unref)

G_END_DECLS
