/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The head's kernels, whose time depends on their input: logits of many sizes. */

#include <math.h>

#include "kernelbench.h"

#include "kernels/head.h"

#define POOL (1 << 20)

/* Roughly normal. */
static float *
make_noise (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  float *pool = g_new (float, POOL);

  for (gsize i = 0; i < POOL; i++) {
    pool[i] = 0;
    for (gint k = 0; k < 4; k++)
      pool[i] += (float) g_rand_double_range (rand, -1, 1);
  }
  return pool;
}

/* All images' logits of a kind at one level, from all over the pool. */
static const float *
fill_logits (Bench *b, const float *pool, gsize n, float scale, float offset,
    GError **error)
{
  static guint at;
  g_autofree float *values = g_new (float, n);
  float *to = bench_take (b, n * 4);

  for (gsize i = 0; i < n; i++)
    values[i] = scale * pool[at++ % POOL] + offset;
  at += 12345;
  return bench_upload (b, to, values, n * 4, error) ? to : NULL;
}

static gboolean
fill_levels (Bench *b, Y10KHead *p, const float *pool, GError **error)
{
  guint anchors = 0;

  for (gint l = 0; l < 3; l++) {
    const gint side = 80 >> l;
    const gsize pixels = (gsize) side * side * b->batch;

    p->level[l] = (Y10KLevel){
      .cls = fill_logits (b, pool, pixels * 80, 1.5f, -9, error),
      .cls_pixel = 80,
      .box_pixel = 64,
      .cls_image = (gint64) side * side * 80,
      .box_image = (gint64) side * side * 64,
      .height = side,
      .width = side,
      .stride = 8 << l,
      .first_anchor = anchors,
    };
    anchors += (guint) (side * side);
    if (p->level[l].cls)
      p->level[l].box = fill_logits (b, pool, pixels * 64, 1, 0, error);
    if (!p->level[l].box)
      return FALSE;
  }
  p->n_anchors = (int) anchors;
  return TRUE;
}

gboolean
bench_head (Bench *b, float confidence, GError **error)
{
  const Y10CudaDriver *d = b->d;
  g_autofree float *pool = make_noise ();
  g_autofree Y10KHeadParams *params = g_new0 (Y10KHeadParams, b->batch);
  Case scan, select;
  gboolean wanted, ok = TRUE;

  for (gint n = 0; n < b->batch; n++)
    params[n] = (Y10KHeadParams){
      .floor = confidence > 0 ? logf (confidence / (1 - confidence)) - 1e-3f
                              : -INFINITY,
      .confidence = confidence,
      .iou = 0.7f,
      .max_rows = 300,
      .all_classes = TRUE,
      .scale = 1.0 / 3,
      .top = 140,
      .src_width = SOURCE_WIDTH,
      .src_height = SOURCE_HEIGHT,
    };
  wanted = bench_begin (b, &scan, b->kernels.head_scan, "head_scan");
  wanted |= bench_begin (b, &select, b->kernels.head_select,
      "head_select confidence %g", confidence);
  for (guint i = 0; wanted && ok && i < SETS; i++) {
    Y10KHead p = {
      .n_levels = 3,
      .n_classes = 80,
      .n_bins = 16,
      .images = b->batch,
      .capacity = 300,
      .params = bench_take (b, b->batch * sizeof *params),
      .classes = bench_take (b, (gsize) b->batch * 80),
      .rows = bench_take (b, (gsize) b->batch * 300 * sizeof (Y10KRow)),
      .counts = bench_take (b, (gsize) b->batch * 4),
    };

    ok = fill_levels (b, &p, pool, error)
        && bench_upload (b, p.params, params, b->batch * sizeof *params, error);
    p.scratch = bench_take (b, y10_head_scratch_bytes (&p));
    scan.launch = y10_head_scan_launch (&p);
    select.launch = y10_head_select_launch (&p);
    SET (&scan, i, p);
    SET (&select, i, p);
    /* What head_select reads, even if only that is measured. */
    ok = ok
        && y10_cuda_launch (&b->kernels, scan.function, scan.launch, b->stream,
            scan.params[i], error)
        && CHECK (d->stream_synchronize (b->stream), "head_scan");
  }
  if (ok && wanted && confidence == 0)
    ok = bench_measure (b, &scan, error);
  return ok && (!wanted || bench_measure (b, &select, error));
}
