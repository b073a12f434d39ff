/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The core of Attention (YOLOv10 §3.3): per head, v weighted by softmax (q'k /
 * √key_dim) over all positions, plus a depthwise 3×3 of v. */

#include "config.h"

#include <math.h>

#include "ref/ops.h"

static void
attend (const gfloat *q, const gfloat *k, const gfloat *v, gfloat *out,
    guint key_dim, guint head_dim, gsize n, gfloat *scores)
{
  gfloat scale = 1.0f / sqrtf ((gfloat) key_dim);

  for (gsize i = 0; i < n; i++) {
    gfloat largest, sum = 0;

    for (gsize j = 0; j < n; j++)
      scores[j] = 0;
    for (guint d = 0; d < key_dim; d++) {
      gfloat qi = q[d * n + i] * scale;
      const gfloat *kd = k + d * n;
      for (gsize j = 0; j < n; j++)
        scores[j] += qi * kd[j];
    }
    largest = scores[0];
    for (gsize j = 1; j < n; j++)
      largest = MAX (largest, scores[j]);
    for (gsize j = 0; j < n; j++) {
      scores[j] = expf (scores[j] - largest);
      sum += scores[j];
    }
    for (guint d = 0; d < head_dim; d++) {
      gdouble dot = 0;
      for (gsize j = 0; j < n; j++)
        dot += (gdouble) scores[j] * v[d * n + j];
      out[d * n + i] = (gfloat) (dot / sum);
    }
  }
}

void
y10_ref_attention (const Y10Op *op, const gfloat *in, gfloat *out, guint height,
    guint width, const gfloat *pe_weight, const gfloat *pe_bias, gfloat *scores)
{
  Y10Op pe = {
    .kind = Y10_OP_CONV,
    .kernel = 3,
    .stride = 1,
    .pad = 1,
    .groups = op->head_dim,
    .act = Y10_ACT_NONE,
  };
  gsize n = (gsize) height * width;

  for (guint head = 0; head < op->heads; head++) {
    const gfloat *q = in + (gsize) head * (2 * op->key_dim + op->head_dim) * n;
    const gfloat *k = q + op->key_dim * n, *v = k + op->key_dim * n;
    gfloat *o = out + (gsize) head * op->head_dim * n;

    attend (q, k, v, o, op->key_dim, op->head_dim, n, scores);
    y10_ref_conv (&pe, v, op->head_dim, height, width,
        pe_weight + (gsize) head * op->head_dim * 9,
        pe_bias + head * op->head_dim, o, o, op->head_dim, height, width,
        scores);
  }
}
