/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gio/gio.h>
#include <y10/error.h>
#include <y10/model.h>

G_BEGIN_DECLS

/**
 * Y10BackendKind:
 * @Y10_BACKEND_AUTO: the fastest backend that runs on this machine
 * @Y10_BACKEND_REF: plain C; slow; the reference for tests of the others
 * @Y10_BACKEND_CPU: SIMD code, on all cores
 * @Y10_BACKEND_CUDA: an NVIDIA GPU
 *
 * Implementation that runs the network.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_BACKEND_AUTO,
  Y10_BACKEND_REF,
  Y10_BACKEND_CPU,
  Y10_BACKEND_CUDA,
} Y10BackendKind;

/**
 * Y10Precision:
 * @Y10_PRECISION_AUTO: the fastest that keeps AP within 0.003 of fp32
 * @Y10_PRECISION_FP32: IEEE single precision
 * @Y10_PRECISION_TF32: stored in single precision, multiplied by tensor cores
 *   with 10-bit mantissas
 * @Y10_PRECISION_FP16: half precision, accumulated in fp32
 * @Y10_PRECISION_BF16: bfloat16, accumulated in fp32
 * @Y10_PRECISION_INT8: 8-bit integers, accumulated in 32 bits, where the file has
 *   them, see y10_quantizer_save(); the rest in fp32. Since 0.2
 *
 * Number format of weights and activations.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_PRECISION_AUTO,
  Y10_PRECISION_FP32,
  Y10_PRECISION_TF32,
  Y10_PRECISION_FP16,
  Y10_PRECISION_BF16,
  Y10_PRECISION_INT8,
} Y10Precision;

Y10_API const char *y10_backend_get_name (Y10BackendKind backend);
Y10_API const char *y10_precision_get_name (Y10Precision precision);
Y10_API const char *y10_head_get_name (Y10Head head);

/**
 * Y10EngineConfig:
 * @size: set by y10_engine_config_init()
 * @backend: the backend
 * @precision: the precision
 * @head: the head
 * @width: input width, pixels, a multiple of 32; 0: the model's
 * @height: input height, pixels, a multiple of 32; 0: the model's
 * @max_batch: maximum number of images in a step, 1 to 64; 0: the backend's
 *   default, which is 1 until batching has been measured on a GPU
 * @n_slots: maximum number of steps in flight, 1 to 16; 0: as many as keep the
 *   backend busy, 2 on CUDA, else 1
 * @threads: CPU threads, 1 to 256; 0: one for each core that this process
 *   may use, by its affinity and the CPU quota of its control groups
 * @max_detections: maximum number of detections of an image, 1 to 8400
 * @device_id: index of the GPU, -1 for any; ignored if @cuda_context is set
 * @cuda_graphs: whether CUDA launches the network as a captured graph. If not,
 *   it launches each kernel: the same work at a higher CPU cost. Default %TRUE
 * @tune: whether the backend may search for faster convolutions while steps
 *   already run, see y10_engine_get_tuning_progress(). It replaces kernels
 *   between two steps; results then differ by rounding. Default %TRUE
 * @cuda_context: (nullable): the CUcontext in which a CUDA engine works and to
 *   which images in CUDA memory belong; the caller keeps it alive as long as the
 *   engine. %NULL for the device's primary context. Other backends ignore it
 * @batch_timeout: microseconds that the first image of a step waits for others
 *   when the step could begin; 0: none. #Y10EngineStream only
 * @multi_label: for heads with NMS: whether every class of an anchor that reaches the
 *   confidence is a candidate, at most 30000 of an image, rather than the best one. An
 *   object may then have boxes of several classes, as precision at high recall needs.
 *   Default %FALSE. Since 0.2
 * @auto_size: whether each image gets an input of its own shape: the smallest rectangle
 *   of multiples of 32 that holds it at the scale at which it fits into @width x @height,
 *   see y10_engine_choose_input_size(). A step has images of one shape. The engine keeps
 *   plans of four shapes, which share weights, threads and turns; the one used longest
 *   ago goes. A GPU tunes the shapes that steps have. Default %FALSE. Since 0.2
 *
 * Configuration of an engine. Call y10_engine_config_init() first, which sets
 * the defaults, also of fields that later versions add.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  Y10BackendKind backend;
  Y10Precision precision;
  Y10Head head;
  guint width, height;
  guint max_batch;
  guint n_slots;
  guint threads;
  guint max_detections;
  gint device_id;
  gboolean cuda_graphs;
  gboolean tune;
  gpointer cuda_context;
  guint batch_timeout;
  gboolean multi_label;
  gboolean auto_size;
} Y10EngineConfig;

/**
 * Y10Engine:
 *
 * A model compiled for one backend, with its slots. Reference counted; any
 * thread may use it. The engine runs all work on its device thread.
 *
 * Since: 0.1
 */
typedef struct _Y10Engine Y10Engine;

/**
 * Y10OpInfo:
 * @size: sizeof (Y10OpInfo)
 * @name: name of the module in the checkpoint, such as "model.2.m.0.cv1"
 * @kind: "conv", "maxpool5", "upsample2x", "attention", "preprocess" or "head"
 * @impl: implementation in use, such as "avx512:winograd4x4" or "ref"
 * @in_channels: input channels
 * @out_channels: output channels
 * @out_height: output rows
 * @out_width: output columns
 * @kernel: kernel size of a conv, else 0
 * @stride: stride of a conv, else 0
 * @groups: groups of a conv, else 0
 * @flops: floating point operations per image (2 × multiply-adds)
 *
 * Description of an op: a row in the output of `y10 info` and `y10 bench`. The
 * strings are valid as long as the engine; @impl may change while
 * y10_engine_get_tuning_progress() reports progress.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  const char *name, *kind, *impl;
  guint in_channels, out_channels, out_height, out_width;
  guint kernel, stride, groups;
  guint64 flops;
} Y10OpInfo;

/**
 * Y10TuningProgress:
 * @size: sizeof (Y10TuningProgress)
 * @total: kinds of convolutions to tune; 0 if there are none. It may grow when
 *   steps with other numbers of images occur
 * @done: kinds of convolutions that have been tuned
 * @loaded: how many of @done came from the cache
 * @faster: for how many of @done a faster implementation was found
 * @wrong: faster implementations that were rejected because their results were
 *   wrong
 * @finished: whether tuning has ended
 * @note: (nullable): why nothing, or not everything, was tuned. A static string
 *
 * Progress of an engine's search for faster convolutions.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  guint total, done, loaded, faster, wrong;
  gboolean finished;
  const char *note;
} Y10TuningProgress;

Y10_API void y10_engine_config_init (Y10EngineConfig *config, gsize size);
Y10_API Y10Engine *y10_engine_new (Y10Model *model,
    const Y10EngineConfig *config, GCancellable *cancellable, GError **error);
Y10_API Y10Engine *y10_engine_ref (Y10Engine *engine);
Y10_API void y10_engine_unref (Y10Engine *engine);

Y10_API Y10Model *y10_engine_get_model (const Y10Engine *engine);
Y10_API Y10BackendKind y10_engine_get_backend (const Y10Engine *engine);
Y10_API const char *y10_engine_get_device (const Y10Engine *engine);
Y10_API Y10Precision y10_engine_get_precision (const Y10Engine *engine);
Y10_API const char *y10_engine_get_fallback_reason (const Y10Engine *engine);
Y10_API Y10Head y10_engine_get_head (const Y10Engine *engine);
Y10_API void y10_engine_get_input_size (const Y10Engine *engine, guint *width,
    guint *height);
Y10_API gboolean y10_engine_get_auto_size (const Y10Engine *engine);
Y10_API guint y10_engine_get_threads (const Y10Engine *engine);
Y10_API guint y10_engine_get_max_batch (const Y10Engine *engine);
Y10_API gint64 y10_engine_get_start_time (const Y10Engine *engine);
Y10_API guint y10_engine_get_max_detections (const Y10Engine *engine);
Y10_API gsize y10_engine_get_arena_size (const Y10Engine *engine);
Y10_API gsize y10_engine_get_weights_size (const Y10Engine *engine);
Y10_API guint y10_engine_get_n_ops (const Y10Engine *engine);
Y10_API void y10_engine_get_op (const Y10Engine *engine, guint index,
    Y10OpInfo *info);
Y10_API void y10_engine_get_tuning_progress (Y10Engine *engine,
    Y10TuningProgress *progress);
Y10_API gboolean y10_engine_wait_tuned (Y10Engine *engine, gint64 until,
    GCancellable *cancellable, GError **error);
Y10_API gboolean y10_engine_profile (Y10Engine *engine, guint runs,
    gint64 *ns_per_op, GError **error);

Y10_API int y10_backend_probe (Y10BackendKind backend, GString *why);
Y10_API gboolean y10_backend_check (const Y10EngineConfig *config,
    gboolean again, char **device, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10Engine, y10_engine_unref)

G_END_DECLS
