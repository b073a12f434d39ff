/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gio/gio.h>
#include <y10/error.h>
#include <y10/model.h>

G_BEGIN_DECLS

/**
 * Y10BackendKind:
 * @Y10_BACKEND_AUTO: the fastest that runs on this machine
 * @Y10_BACKEND_REF: plain C, slow, the truth the others are tested against
 * @Y10_BACKEND_CPU: oneDNN and our own SIMD code
 * @Y10_BACKEND_CUDA: an NVIDIA GPU
 *
 * What computes.
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
 * @Y10_PRECISION_TF32: single precision storage, tensor cores with 10 bits
 * @Y10_PRECISION_FP16: half precision, accumulated in fp32
 * @Y10_PRECISION_BF16: bfloat16, accumulated in fp32
 *
 * The numbers weights and activations are computed in.
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
} Y10Precision;

Y10_API const char *y10_backend_get_name (Y10BackendKind backend);
Y10_API const char *y10_precision_get_name (Y10Precision precision);
Y10_API const char *y10_head_get_name (Y10Head head);

/**
 * Y10EngineConfig:
 * @size: set by y10_engine_config_init()
 * @backend: what computes
 * @precision: in which numbers
 * @head: which head
 * @width: input width, pixels, a multiple of 32, or 0 for the model's
 * @height: input height, pixels, a multiple of 32, or 0 for the model's
 * @max_batch: most images of a step, 1 to 64, or 0 for what suits the backend,
 *   which is 1 as long as no GPU has been asked what more costs
 * @n_slots: steps that can be under way at once, 1 to 16, or 0 for what keeps
 *   the backend busy: 2 on CUDA, else 1
 * @threads: CPU threads, 1 to 256, or 0 for one per core this process may use
 * @max_detections: most detections of an image, 1 to 8400
 * @device_id: which GPU, or -1 for any; ignored where @cuda_context is given
 * @cuda_graphs: whether CUDA launches the network as one captured graph; else
 *   kernel by kernel, the same work at more cost for the CPU. %TRUE unless set
 * @tune: whether a backend that can may look for faster ways to run the
 *   network while it already runs, see y10_engine_get_tuning_progress(). They replace
 *   the first ones between two steps: results then differ by rounding. %TRUE
 *   unless set otherwise
 * @cuda_context: (nullable): the CUcontext that a CUDA engine works in, and
 *   that images in CUDA memory belong to. The caller keeps it alive for as
 *   long as the engine. %NULL for the device's primary context; ignored by
 *   the other backends
 * @batch_timeout: microseconds that the first image of a step waits for others
 *   while it could begin, 0: none. Only for a #Y10EngineStream
 *
 * How an engine is made. Fill with y10_engine_config_init() first, so that
 * later fields get their defaults.
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
} Y10EngineConfig;

/**
 * Y10Engine:
 *
 * A model compiled for one backend, with its slots. Reference counted; any
 * thread may use it. One thread of its own makes and runs everything.
 *
 * Since: 0.1
 */
typedef struct _Y10Engine Y10Engine;

/**
 * Y10OpInfo:
 * @size: set it to sizeof: how the library knows which fields are there
 * @name: the module in the checkpoint, such as "model.2.m.0.cv1"
 * @kind: "conv", "maxpool5", "upsample2x", "attention", "preprocess" or "head"
 * @impl: what runs it, such as "jit:avx512_core" or "ref"
 * @in_channels: channels read
 * @out_channels: channels written
 * @out_height: rows written
 * @out_width: columns written
 * @kernel: kernel size of a conv, else 0
 * @stride: stride of a conv, else 0
 * @groups: groups of a conv, else 0
 * @flops: floating point operations an image (2 × multiply-adds)
 *
 * One row of what `y10 info` and `y10 bench` print. The strings live as long
 * as the engine; @impl may be another one once y10_engine_get_tuning_progress() has
 * got on.
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
 * @size: set it to sizeof: how the library knows which fields are there
 * @total: kinds of convolutions that are looked at; 0 where nothing is, and it
 *   may grow when steps of other numbers of images come
 * @done: how many of them have been
 * @loaded: how many of these were known from an earlier time
 * @faster: for how many something faster was found
 * @wrong: ways that were left out because their results were wrong
 * @finished: whether it is over
 * @note: (nullable): why nothing, or not everything, was looked at
 *
 * How far an engine is with looking for faster ways to run its network. The
 * string lives for ever.
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

Y10_API void y10_engine_config_init (Y10EngineConfig *config,
    gsize size);
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
Y10_API guint y10_engine_get_threads (const Y10Engine *engine);
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

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10Engine, y10_engine_unref)

G_END_DECLS
