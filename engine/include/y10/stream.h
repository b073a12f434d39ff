/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/step.h>

G_BEGIN_DECLS

/**
 * Y10_STREAM_MAX_BATCH:
 *
 * The most images of a step.
 *
 * Since: 0.1
 */
#define Y10_STREAM_MAX_BATCH 64

/**
 * Y10EngineStream:
 *
 * One source of images for an engine that it shares with every other stream of
 * this process that was made with the same file, configuration and name of a
 * group. Weights and programs are there once, images take turns, and on a device
 * that gains by it those of several streams are one step. Reference counted; any
 * thread may use it.
 *
 * Since: 0.1
 */
typedef struct _Y10EngineStream Y10EngineStream;

typedef struct _Y10EngineFrame Y10EngineFrame;

/**
 * Y10EngineFrameState:
 * @Y10_ENGINE_FRAME_RUNNING: its step has begun
 * @Y10_ENGINE_FRAME_OVER: it was answered or taken back
 *
 * What a #Y10EngineFrameNotify tells of.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_ENGINE_FRAME_RUNNING,
  Y10_ENGINE_FRAME_OVER,
} Y10EngineFrameState;

/**
 * Y10EngineFrameNotify:
 * @frame: a frame that was submitted
 * @state: what has just happened to it
 * @data: as in #Y10EngineFrame
 *
 * Called on a thread of the engine, or on the one that takes the frame back, with
 * a lock of the engine held: it must not block and must not call the library.
 *
 * Since: 0.1
 */
typedef void (*Y10EngineFrameNotify) (Y10EngineFrame *frame,
    Y10EngineFrameState state, gpointer data);

/**
 * Y10EngineFrame:
 * @image: pixels, which have to stay until the frame is over
 * @params: what is wanted of it; @params.classes likewise
 * @detections: (array length=max_detections): where to copy what is found
 * @max_detections: room in @detections
 * @n_detections: how many there are, best first; -1 where there is no result
 * @times: where the time of the step went that it was in
 * @waited: nanoseconds between y10_engine_stream_submit() and that step
 * @turns: images of all streams that were inferred in that time
 * @took: nanoseconds between the beginning of that step and its results
 * @notify: (nullable): called when its step begins and when it is over
 * @notify_data: for @notify
 * @error: (nullable): why there is no result; the caller frees it
 *
 * One image on its way, in memory of the caller, which begins as zeros. After
 * y10_engine_stream_submit() nothing of it may be touched before it is over.
 * Then it may be submitted again, without an @error.
 *
 * Since: 0.1
 */
struct _Y10EngineFrame
{
  Y10Image image;
  Y10HeadParams params;
  Y10Detection *detections;
  guint max_detections;
  gint n_detections;
  Y10StepTimes times;
  gint64 waited, took;
  guint turns;
  Y10EngineFrameNotify notify;
  gpointer notify_data;
  GError *error;
  /*< private >*/
  guint64 request[10];
};

/**
 * Y10EngineStreamStats:
 * @n_streams: streams of the engine
 * @n_queued: images that wait for their turn
 * @n_running: images in steps that are under way
 * @n_inferences: images that have been answered
 * @n_failed: of these, with an error
 * @n_withdrawn: images that were taken back
 * @fill: steps that had as many images as the index says
 * @busy: share of the time, 0 to 1, in which the engine had a step under way,
 *   over the latest 512 images and until now
 * @wait_median: nanoseconds that images waited for their step, of the latest 512
 * @wait_p95: likewise, of 95 of 100
 * @wait_max: likewise, the longest
 * @per_second: images of the latest 512 in a second
 * @weights_size: bytes of packed weights
 * @arenas_size: bytes of activations of all images that can be under way
 *
 * What an engine has done for all its streams.
 *
 * Since: 0.1
 */
typedef struct
{
  guint n_streams, n_queued, n_running;
  guint64 n_inferences, n_failed, n_withdrawn;
  guint64 fill[Y10_STREAM_MAX_BATCH + 1];
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

Y10_API gboolean y10_engine_stream_submit (Y10EngineStream *stream,
    Y10EngineFrame *frame, GError **error);
Y10_API gboolean y10_engine_stream_replace (Y10EngineStream *stream,
    Y10EngineFrame *frame, gboolean *replaced, GError **error);
Y10_API void y10_engine_stream_set_max_running (Y10EngineStream *stream,
    guint max_running);
Y10_API guint y10_engine_stream_withdraw (Y10EngineStream *stream);
Y10_API gboolean y10_engine_frame_wait (Y10EngineFrame *frame, gint64 until);
Y10_API void y10_engine_frame_end (Y10EngineFrame *frame);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10EngineStream, y10_engine_stream_unref)

G_END_DECLS
