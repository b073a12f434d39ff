/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The core of Attention (YOLOv10 §3.3): per head softmax (q'k · key_dim^-½) v
 * over all positions, plus the depthwise 3×3 of v with its bias. Sums and the
 * softmax are floats. Segments of in are q, k, v of each head, each padded to
 * 8 channels; of out one a head. Head dimensions are any (m has 36 and 72). */

#include "view.h"

typedef struct
{
  Y10KView in, out;
  const void *weight;           /* [3][3][out.channels] of the positional
                                 * convolution, the activations' type */
  const float *bias;            /* out.channels */
  int heads, key_dim, head_dim; /* without padding */
  int images;
} Y10KAttention;

/* A block has QUERIES positions of a head and goes over all positions KEYS at a
 * time. Of long keys it holds KEY_DIMS channels at once; a head with more than
 * HEAD_DIMS takes several blocks. */
enum
{
  Y10_ATTENTION_QUERIES = 16,
  Y10_ATTENTION_KEYS = 32,
  Y10_ATTENTION_KEY_DIMS = 64,
  Y10_ATTENTION_HEAD_DIMS = 128,
  Y10_ATTENTION_SCORE_THREADS = 128,
  Y10_ATTENTION_MAX_THREADS = 256,
};

/* How a block divides its shared memory, which holds floats by fours. */
typedef struct
{
  int key_dims, head_dims;      /* channels of a head, with padding */
  int key_chunk, head_chunk;    /* of them at once */
  int key_row;                  /* from one row of q or k to the next; odd, so
                                 * that 8 rows lie in different banks */
  int k, v, p, factor, end;     /* where they begin; q is first */
} Y10KAttentionShape;

Y10_K_INLINE Y10KAttentionShape
y10_attention_shape (const Y10KAttention *p)
{
  Y10KAttentionShape s;

  s.key_dims = (p->key_dim + 7) / 8 * 8;
  s.head_dims = (p->head_dim + 7) / 8 * 8;
  s.key_chunk = s.key_dims < Y10_ATTENTION_KEY_DIMS
      ? s.key_dims : Y10_ATTENTION_KEY_DIMS;
  s.head_chunk = s.head_dims < Y10_ATTENTION_HEAD_DIMS
      ? s.head_dims : Y10_ATTENTION_HEAD_DIMS;
  s.key_row = s.key_chunk / 4 + 1;
  s.k = Y10_ATTENTION_QUERIES * s.key_row;
  s.v = s.k + Y10_ATTENTION_KEYS * s.key_row;
  s.p = s.v + Y10_ATTENTION_KEYS * (s.head_chunk / 4);
  s.factor = s.p + Y10_ATTENTION_QUERIES * (Y10_ATTENTION_KEYS / 4 + 1);
  s.end = s.factor + Y10_ATTENTION_QUERIES / 4;
  return s;
}

static inline Y10KLaunch
y10_attention_launch (const Y10KAttention *p)
{
  Y10KAttentionShape s = y10_attention_shape (p);
  long long n = (long long) p->in.height * p->in.width;
  /* A thread has 4 channels of 2 queries of the result. */
  int threads = (Y10_ATTENTION_QUERIES / 2 * (s.head_chunk / 4) + 31)
      / 32 * 32;
  Y10KLaunch l = { {y10_k_div_up (n, Y10_ATTENTION_QUERIES),
        (unsigned int) p->heads * y10_k_div_up (s.head_dims, s.head_chunk),
        (unsigned int) p->images},
    {Y10_ATTENTION_SCORE_THREADS, 1, 1}, (unsigned int) s.end * 16
  };

  if (threads > Y10_ATTENTION_SCORE_THREADS)
    l.block[0] = (unsigned int) threads;
  return l;
}
