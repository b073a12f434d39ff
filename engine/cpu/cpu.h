/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the files of the cpu backend. An op is compiled into one or more
 * phases of chunks, which the threads of the pool run in any order; a phase
 * begins when the one before has ended, and is a stage of the pool's job. Which
 * thread runs a chunk, and how many chunks there are, never changes a
 * result. */

#include "core/backend.h"
#include "cpu/kernels/kernels.h"
#include "cpu/threadpool.h"

G_BEGIN_DECLS

typedef struct
{
  const Y10Kernels *kernels;
  guint8 *arena;
  guint8 *shared;  /* scratch memory of all threads */
  guint8 *scratch; /* of this thread */
} Y10CpuTask;

/* Location of a view: channel blocks of rows of pixels. */
typedef struct
{
  gsize offset; /* bytes from the start of the arena */
  gsize block;  /* bytes between channel blocks */
  guint n_blocks;
  guint height, width;
  gsize pixel; /* bytes of a pixel of a block */
} Y10CpuPlane;

typedef struct _Y10CpuOp Y10CpuOp;
typedef struct _Y10CpuConv Y10CpuConv;

/* Runs one of @n_chunks chunks. */
typedef void (*Y10CpuRun) (const Y10CpuOp *op, const Y10CpuTask *task,
    guint chunk, guint n_chunks);

#define Y10_CPU_MAX_PHASES 3

typedef struct
{
  Y10CpuRun run;
  guint n_chunks;
} Y10CpuPhase;

struct _Y10CpuOp
{
  const Y10Op *op;
  const Y10Kernels *kernels; /* that run it: floats, or one byte if it reads
                                 * 8 bits, unless it multiplies them by floats */
  const Y10Kernels *int8;    /* those of one byte, or NULL */
  const char *impl;
  const Y10CpuConv *conv; /* NULL: not a convolution */
  Y10CpuPhase phase[Y10_CPU_MAX_PHASES];
  guint n_phases;
  guint chunk_columns;             /* chunks of the same pixels */
  gsize shared_size, scratch_size; /* required scratch memory, bytes */
  gsize weight_size;               /* packed, without the bias; bytes */
  const guint8 *weight;
  const gfloat *bias; /* one per padded output channel */
  /* int8 only, quant.c */
  gboolean integers;        /* its weights are integers */
  gboolean widens, narrows; /* its kernels are of floats, and it reads or
                                 * writes 8 bits */
  const guint8 *fill;       /* what lies outside the picture, a pixel of each
                                 * input block; NULL: zero */
  const gint32 *start;      /* these have one value per padded output channel */
  const gfloat *scale;
  Y10Affine affine;
  Y10CpuPlane in, out, add; /* add.n_blocks 0: none */
  /* upsampled.c */
  const Y10CpuOp *joint; /* runs in place of this one in runs of both ops,
                                 * joint_first and the next one; NULL: none */
  guint joint_first;
  guint weight_blocks; /* input blocks of the weights; 0: those of in */
  Y10CpuPlane resume;  /* sums of other channels, at half the size, with
                                 * which those of this one begin; n_blocks 0: none */
  gboolean logits;     /* out holds floats at every precision */
  gboolean exact;      /* no Winograd: sums as in a direct
                                 * convolution, so that single pixels can be
                                 * computed */
};

/* Context for compiling an op. */
typedef struct
{
  const Y10Plan *plan;
  const Y10Kernels *kernels;       /* of the op */
  const Y10Kernels *floats, *int8; /* int8: NULL in other precisions */
  guint n_threads;
} Y10CpuCompile;

static inline gsize
y10_cpu_pixel (const Y10Kernels *kernels)
{
  return (gsize) kernels->block * kernels->elem;
}

/* The items [begin, end) of @n that belong to part @part of @n_parts. All parts
 * have the same size, or one more. */
static inline void
y10_cpu_share (guint n, guint part, guint n_parts, guint *begin, guint *end)
{
  *begin = (guint64) n * part / n_parts;
  *end = (guint64) n * (part + 1) / n_parts;
}

/* The same for the pixels of tiles: all parts but the last end with a granule. */
static inline void
y10_cpu_share_pixels (const Y10Kernels *kernels, guint n, guint part,
    guint n_parts, guint *begin, guint *end)
{
  guint size = kernels->granule;

  y10_cpu_share ((n + size - 1) / size, part, n_parts, begin, end);
  *begin = MIN (*begin * size, n);
  *end = MIN (*end * size, n);
}

/* op.c: how many chunks a phase of at most @n_max gets. */
guint y10_cpu_choose_chunks (guint n_threads, guint n_max);
/* Adds a phase to @op. */
void y10_cpu_add_phase (Y10CpuOp *op, Y10CpuRun run, guint n_chunks);

/* plane.c */
Y10CpuPlane y10_cpu_plane (const Y10Plan *plan, Y10View v);
/* The @rows × @columns pixels at (@y, @x) of one block; outside the picture, each
 * is @fill (nullable: zero). Returns a pointer into the block if all are inside, else a copy
 * at @copy. */
const guint8 *y10_cpu_patch (const guint8 *block, gsize pixel, guint height,
    guint width, gint y, gint x, guint rows, guint columns, const guint8 *fill,
    guint8 *copy, gsize *row_stride);

/* quant.c: chooses the kernels of @op, sets its planes and what it widens and
 * narrows. */
void y10_cpu_quant_compile (Y10CpuCompile *c, Y10CpuOp *op);
/* Bytes of what y10_cpu_quant_pack() writes. */
gsize y10_cpu_quant_size (const Y10CpuOp *op);
/* Writes and sets the values of an op's channels, the bias as well. @weight: the
 * integers, or floats that are changed to those of the stored 8 bits. @scale: of
 * integers. */
void y10_cpu_quant_pack (const Y10CpuCompile *c, Y10CpuOp *op,
    const gint8 *integers, const gfloat *scale, gfloat *weight,
    const gfloat *bias, guint8 *packed);
/* The fill of input block @b. */
static inline const guint8 *
y10_cpu_fill (const Y10CpuOp *op, guint b)
{
  return op->fill ? op->fill + b * op->in.pixel : NULL;
}

/* The values of output block @b and those after it. */
static inline Y10Affine
y10_cpu_affine (const Y10CpuOp *op, guint b)
{
  const guint at = b * op->kernels->block;
  const Y10Affine *a = &op->affine;

  if (!a->inverse)
    return *a;
  return (Y10Affine){ a->add_scale + at, a->add_shift + at, a->inverse + at,
    a->zero + at };
}

/* upsampled.c */
typedef struct
{
  Y10Op sum; /* that of op[0] */
  Y10CpuOp op[2];
} Y10CpuJoint;

/* Sets what runs in place of ops @i and the next one, the upsampling of some channels
 * and a convolution that reads these and others, if it gives the same bits without the
 * upsampling. Returns FALSE if there is no such thing. */
gboolean y10_cpu_upsampled_join (Y10CpuCompile *c, Y10CpuOp *ops, guint i,
    Y10CpuJoint *joint);
/* Where in the first block of op->resume the sums are with which those of @n pixels from
 * @pixel on begin: bytes. */
void y10_cpu_upsampled_locate (const Y10CpuOp *op, guint pixel, guint n,
    guint32 *at);

/* Each compiles @op according to its Y10Op, without weights. */
void y10_cpu_conv_compile (const Y10CpuCompile *c, Y10CpuOp *op);
void y10_cpu_maxpool5_compile (const Y10CpuCompile *c, Y10CpuOp *op);
void y10_cpu_upsample2x_compile (const Y10CpuCompile *c, Y10CpuOp *op);
void y10_cpu_attention_compile (const Y10CpuCompile *c, Y10CpuOp *op);
/* Replaces the implementation if it is not accurate for these weights. The
 * other one needs no more memory for its weights. */
void y10_cpu_conv_check (const Y10CpuCompile *c, Y10CpuOp *op,
    const gfloat *weight);
/* Packs the weights for the kernels, at op->weight: @integers if it has them, else
 * @weight. */
void y10_cpu_conv_pack (const Y10CpuCompile *c, const Y10CpuOp *op,
    const gint8 *integers, const gfloat *weight, guint8 *packed);

G_END_DECLS
