/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* 1×1 convolutions of which the first channels have just been upsampled. The sums over
 * those are the same in four pixels, so they are computed once, at half the size, and
 * the sums over the other channels begin with them: the products and the order in which
 * they are added stay the same, and so do the bits. Nobody needs the upsampled channels
 * then, and the sums take their place in the arena.
 *
 * An op that runs alone, for a profile or with a tensor that a test has written, cannot
 * know this, so the ops remain, with the same weights. */

#include "config.h"

#include "cpu/conv.h"

/* Whether any op but op @but reads some of @v. */
static gboolean
has_other_readers (const Y10Graph *graph, Y10View v, guint but)
{
  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10View views[] = { graph->ops[i].in, graph->ops[i].add };

    for (guint j = 0; i != but && j < G_N_ELEMENTS (views); j++)
      if (views[j].n && views[j].tensor == v.tensor
          && views[j].first < v.first + v.n
          && v.first < views[j].first + views[j].n)
        return TRUE;
  }
  return FALSE;
}

/* The sums, where @upsample would write. */
static Y10CpuPlane
sums_plane (const Y10CpuOp *upsample, const Y10CpuOp *conv)
{
  const Y10CpuPlane *small = &upsample->in;
  const gsize pixel = conv->kernels->block * sizeof (gfloat);

  return (Y10CpuPlane){
    .offset = upsample->out.offset,
    .block = small->height * small->width * pixel,
    .n_blocks = conv->out.n_blocks,
    .height = small->height,
    .width = small->width,
    .pixel = pixel,
  };
}

static gboolean
can_join (const Y10Graph *graph, const Y10CpuOp *ops, guint i)
{
  const Y10CpuOp *upsample = &ops[i], *conv = &ops[i + 1];
  const Y10View up = graph->ops[i].out, in = graph->ops[i + 1].in;
  Y10CpuPlane sums;

  if (graph->ops[i].kind != Y10_OP_UPSAMPLE2X || !conv->conv
      || !conv->conv->resumes || in.tensor != up.tensor || in.first != up.first
      || in.n <= up.n || has_other_readers (graph, up, i + 1))
    return FALSE;
  sums = sums_plane (upsample, conv);
  return upsample->in.pixel == conv->in.pixel
      && upsample->out.n_blocks % conv->kernels->in_blocks == 0
      && sums.n_blocks * sums.block
      <= upsample->out.n_blocks * upsample->out.block;
}

/* A part of @conv: the channels of @in, whose weights begin after @skip blocks. */
static void
make_part (Y10CpuCompile *c, const Y10CpuOp *conv, Y10CpuPlane in, guint skip,
    Y10CpuOp *part)
{
  const Y10Kernels *k = conv->kernels;

  part->in = in;
  part->weight_blocks = conv->in.n_blocks;
  c->kernels = k;
  part->n_phases = 0;
  conv->conv->prepare (c, part);
  part->weight += (gsize) skip * k->block * k->block * k->elem;
}

gboolean
y10_cpu_upsampled_join (Y10CpuCompile *c, Y10CpuOp *ops, guint i,
    Y10CpuJoint *joint)
{
  const Y10Graph *graph = c->plan->graph;
  Y10CpuOp *upsample = &ops[i], *conv = &ops[i + 1];
  Y10CpuOp *sum = &joint->op[0], *rest = &joint->op[1];
  const guint n = upsample->out.n_blocks;
  Y10CpuPlane others = conv->in;

  if (!can_join (graph, ops, i))
    return FALSE;
  others.offset += n * others.block;
  others.n_blocks -= n;
  *sum = *rest = *conv;
  joint->sum = *conv->op;
  joint->sum.act = Y10_ACT_NONE;
  sum->op = &joint->sum;
  sum->out = sums_plane (upsample, conv);
  sum->add = (Y10CpuPlane){ 0 };
  sum->scale = NULL;
  sum->affine = (Y10Affine){ 0 };
  sum->narrows = FALSE;
  rest->resume = sum->out;
  make_part (c, conv, upsample->in, 0, sum);
  make_part (c, conv, others, n, rest);
  upsample->joint = sum;
  conv->joint = rest;
  upsample->joint_first = conv->joint_first = i;
  return TRUE;
}

void
y10_cpu_upsampled_locate (const Y10CpuOp *op, guint pixel, guint n, guint32 *at)
{
  const Y10CpuPlane *small = &op->resume;
  guint y = pixel / op->out.width, x = pixel % op->out.width;

  for (guint i = 0; i < n; i++) {
    at[i] = (y / 2 * small->width + x / 2) * small->pixel;
    if (++x == op->out.width) {
      x = 0;
      y++;
    }
  }
}
