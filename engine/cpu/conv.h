/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The implementations of convolutions. */

#include "cpu/cpu.h"

G_BEGIN_DECLS

/* Which one computes an op depends only on the op, its weights and the
 * instruction set, so that equal inputs give equal bytes on every machine that
 * has the instructions. */
struct _Y10CpuConv
{
  const char *name;
  gboolean (*supports) (const Y10CpuCompile *c, const Y10CpuOp *op);
  /* Sets the sizes of the weights and of the scratch memory, and the phases. */
  void (*prepare) (const Y10CpuCompile *c, Y10CpuOp *op);
  /* Packs the taps that lead from input channel @in to output channel @out. */
  void (*pack) (const Y10CpuOp *op, const Y10Kernels *k, guint out, guint in,
      const gfloat *taps, guint8 *packed);
  /* Whether it is accurate for these weights, [out][in][kernel][kernel]; NULL:
   * for all. */
  gboolean (*is_accurate) (guint n_out, guint n_in, const gfloat *weight);
  gboolean resumes; /* its sums can begin with those of other channels */
};

/* Packs the s8 @taps in place of floats. */
void y10_cpu_conv_pack_int8 (const Y10CpuOp *op, const Y10Kernels *k, guint out,
    guint in, const gint8 *taps, guint8 *packed);

extern const Y10CpuConv y10_cpu_conv_stem;
extern const Y10CpuConv y10_cpu_conv_depthwise;
extern const Y10CpuConv y10_cpu_conv_winograd2x2;
extern const Y10CpuConv y10_cpu_conv_winograd4x4;
extern const Y10CpuConv y10_cpu_conv_amx_pointwise;
extern const Y10CpuConv y10_cpu_conv_amx_direct;
extern const Y10CpuConv y10_cpu_conv_int8_pointwise;
extern const Y10CpuConv y10_cpu_conv_int8_direct;
extern const Y10CpuConv y10_cpu_conv_pointwise;
extern const Y10CpuConv y10_cpu_conv_direct;

/* conv-depthwise.c: rows [begin, end) of out.n_blocks × out.height. */
void y10_cpu_conv_depthwise_rows (const Y10CpuOp *op, const Y10CpuTask *task,
    guint begin, guint end);
gsize y10_cpu_conv_depthwise_scratch (const Y10CpuOp *op, const Y10Kernels *k);

/* conv-tiles.c: what is common to implementations by tiles. The sizes of weights and
 * scratch memory; the number of chunks, of at most @n ranges of pixels, and their
 * output blocks; what does not change from tile to tile. */
void y10_cpu_conv_tile_sizes (const Y10CpuCompile *c, Y10CpuOp *op);
guint y10_cpu_conv_choose_chunks (const Y10CpuCompile *c, Y10CpuOp *op,
    guint n);
void y10_cpu_conv_share_blocks (const Y10CpuOp *op, guint chunk,
    guint *first_block, guint *end_block);
Y10Tile y10_cpu_conv_start_tile (const Y10CpuOp *op, const Y10Kernels *k);

/* conv-tiles.c: a direct convolution at the @n pixels @pixel (row × width +
 * column) only; the same bits as in a full run. */
void y10_cpu_conv_some (const Y10CpuOp *op, const Y10CpuTask *task,
    const guint32 *pixel, guint n, guint chunk, guint n_chunks);

G_END_DECLS
