/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the files of the cpu backend share. An op is compiled into a function
 * that every thread of the team calls at once; each does the share that its
 * number gives it, always the same one, so that equal thread counts give equal
 * bits. The backend puts a barrier between ops. */

#include "core/backend.h"
#include "cpu/kernels/kernels.h"
#include "cpu/threadpool.h"

G_BEGIN_DECLS

typedef struct
{
  const Y10Kernels *kernels;
  Y10ThreadPool *team;
  guint8 *arena;
  guint8 *shared;               /* scratch of the team */
  guint8 *scratch;              /* of this thread */
  guint thread, n_threads;
} Y10CpuTask;

/* Channels of a view as a block of rows of pixels. */
typedef struct
{
  gsize offset;                 /* bytes in the arena */
  gsize block;                  /* bytes from one channel block to the next */
  guint n_blocks;
  guint height, width;
} Y10CpuPlane;

typedef struct _Y10CpuOp Y10CpuOp;
typedef struct _Y10Dnnl Y10Dnnl;
typedef struct _Y10DnnlConv Y10DnnlConv;

struct _Y10CpuOp
{
  void (*run) (const Y10CpuOp * op, const Y10CpuTask * task);
  const Y10Op *op;
  const char *impl;
  gsize shared_size, scratch_size;      /* scratch it wants, bytes */
  gsize weight_size;            /* packed, without the bias */
  const guint8 *weight;
  const gfloat *bias;           /* one a padded output channel */
  Y10CpuPlane in, out, add;     /* add.n_blocks 0: none */
  guint n_threads;              /* that it was compiled for */
  gboolean logits;              /* out has floats whatever elem is */

  Y10DnnlConv *dnnl;            /* run by oneDNN; run is NULL */
};

/* What compiling an op needs to know. */
typedef struct
{
  const Y10Plan *plan;
  const Y10Kernels *kernels;
  guint n_threads;
  gboolean exact;               /* no Winograd: sums as a direct convolution,
                                 * so that any part of it can be computed */
} Y10CpuCompile;

static inline gsize
y10_cpu_pixel (const Y10Kernels *kernels)
{
  return (gsize) kernels->block * kernels->elem;
}

/* Items [begin, end) of @n are this part's. */
static inline void
y10_cpu_share (guint n, guint part, guint n_parts, guint *begin, guint *end)
{
  *begin = (guint64) n * part / n_parts;
  *end = (guint64) n * (part + 1) / n_parts;
}

/* plane.c */
Y10CpuPlane y10_cpu_plane (const Y10Plan * plan, Y10View v);
/* The @rows × @columns pixels from (@y, @x) of one block, zero outside: where
 * they lie when all are inside, else a copy at @copy. */
const guint8 *y10_cpu_patch (const guint8 * block, gsize pixel, guint height,
    guint width, gint y, gint x, guint rows, guint columns, guint8 * copy,
    gsize * row_stride);

/* Each sets up @op for what its Y10Op says; weights come later. */
void y10_cpu_conv_compile (const Y10CpuCompile * c, Y10CpuOp * op);
void y10_cpu_maxpool5_compile (const Y10CpuCompile * c, Y10CpuOp * op);
void y10_cpu_upsample2x_compile (const Y10CpuCompile * c, Y10CpuOp * op);
void y10_cpu_attention_compile (const Y10CpuCompile * c, Y10CpuOp * op);
/* Weights as the kernels want them, at op->weight and op->bias. */
void y10_cpu_conv_pack (const Y10CpuCompile * c, const Y10CpuOp * op,
    const gfloat * weight, const gfloat * bias, guint8 * packed,
    gfloat * packed_bias);

/* conv.c: the outputs of a direct convolution at the @n pixels @pixel (row ×
 * width + column) only, the same bits as all of it would have there. */
void y10_cpu_conv_some (const Y10CpuOp * op, const Y10CpuTask * task,
    const guint32 * pixel, guint n);

G_END_DECLS
