/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The core of Attention (YOLOv10 §3.3): per head softmax (q'k · key_dim^-½) v
 * over all positions, plus the depthwise 3×3 of v with its bias. Sums and the
 * softmax are computed in floats. The channels of in are q, k, v of each head,
 * each padded to 8 channels; those of out one segment per head. Any head
 * dimension works (variant m has 36 and 72). */

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

/* A block computes QUERIES positions of a head. Its one or two teams alternate
 * over all positions, KEYS at a time, and combine their sums at the end: a small
 * map has few blocks, so each must be fast. A head with more than HEAD_DIMS
 * channels is split into several blocks. Keys with more than KEY_DIMS channels
 * are not supported; YOLOv10 has at most half as many. */
enum
{
  Y10_ATTENTION_QUERIES = 16,
  Y10_ATTENTION_KEYS = 32,
  Y10_ATTENTION_KEY_DIMS = 128,
  Y10_ATTENTION_HEAD_DIMS = 128,
  Y10_ATTENTION_SCORE_THREADS = 128,
  Y10_ATTENTION_SLOTS = 4, /* vectors per thread of KEYS rows of k and v */
  Y10_ATTENTION_MAX_THREADS = 512,
  Y10_ATTENTION_MAX_SHARED = 49152, /* more needs a function attribute */
  /* On tensor cores: warps that share the keys; floats of a row of a warp's sums (64
   * and some, so that rows fall into different banks), and of all of them. */
  Y10_ATTENTION_MMA_WARPS = 10,
  Y10_ATTENTION_MMA_ROW = 68,
  Y10_ATTENTION_MMA_SUMS = Y10_ATTENTION_QUERIES * Y10_ATTENTION_MMA_ROW,
};

/* Layout of a block's shared memory, in units of float4. */
typedef struct
{
  int key_dims, head_dims; /* channels per head, with padding */
  int head_chunk;          /* channels of head_dims per block */
  int key_row;             /* stride of the rows of q and k; odd, so that
                                 * 8 rows fall into different banks */
  int team, team_size;     /* offset of the first team's memory, after q,
                                 * and size of each team's */
  int v, p, factor;        /* offsets in a team's memory; k is at 0 */
  int teams, team_threads;
} Y10KAttentionShape;

/* Depends on the op and the map size but never on the batch, so that the batch
 * does not change the order of summation, and thus the bits. */
Y10_K_INLINE Y10KAttentionShape
y10_attention_shape (const Y10KAttention *p)
{
  Y10KAttentionShape s;
  int threads;

  s.key_dims = (p->key_dim + 7) / 8 * 8;
  s.head_dims = (p->head_dim + 7) / 8 * 8;
  s.head_chunk = s.head_dims < Y10_ATTENTION_HEAD_DIMS
      ? s.head_dims
      : Y10_ATTENTION_HEAD_DIMS;
  s.key_row = s.key_dims / 4 + 1;
  s.team = Y10_ATTENTION_QUERIES * s.key_row;
  s.v = Y10_ATTENTION_KEYS * s.key_row;
  s.p = s.v + Y10_ATTENTION_KEYS * (s.head_chunk / 4);
  s.factor = s.p + Y10_ATTENTION_QUERIES * (Y10_ATTENTION_KEYS / 4 + 1);
  s.team_size = s.factor + Y10_ATTENTION_QUERIES / 4;
  s.teams = p->in.height * p->in.width > Y10_ATTENTION_KEYS
          && (s.team + 2 * s.team_size) * 16 <= Y10_ATTENTION_MAX_SHARED
      ? 2
      : 1;
  /* A thread computes 4 channels of 2 queries and loads SLOTS vectors. */
  s.team_threads = Y10_ATTENTION_SCORE_THREADS;
  threads = (Y10_ATTENTION_QUERIES / 2 * (s.head_chunk / 4) + 31) / 32 * 32;
  if (s.team_threads < threads)
    s.team_threads = threads;
  threads = (Y10_ATTENTION_KEYS * (s.key_dims + s.head_chunk) / 8
                    / Y10_ATTENTION_SLOTS
                + 31)
      / 32 * 32;
  if (s.team_threads < threads)
    s.team_threads = threads;
  return s;
}

/* A launch has memory enough for both ways: it does not know the GPU. */
static inline unsigned int
y10_attention_shared (const Y10KAttentionShape *s)
{
  int warps = s->teams * s->team_threads / 32;
  int bytes = (s->team + s->teams * s->team_size) * 16, mma;

  if (warps > Y10_ATTENTION_MMA_WARPS)
    warps = Y10_ATTENTION_MMA_WARPS;
  mma = warps * (Y10_ATTENTION_MMA_SUMS + 2 * Y10_ATTENTION_QUERIES) * 4;
  return (unsigned int) (bytes > mma ? bytes : mma);
}

static inline Y10KLaunch
y10_attention_launch (const Y10KAttention *p)
{
  Y10KAttentionShape s = y10_attention_shape (p);
  long long n = (long long) p->in.height * p->in.width;
  Y10KLaunch l = { { y10_k_div_up (n, Y10_ATTENTION_QUERIES),
                       (unsigned int) p->heads
                           * y10_k_div_up (s.head_dims, s.head_chunk),
                       (unsigned int) p->images },
    { (unsigned int) (s.teams * s.team_threads), 1, 1 },
    y10_attention_shared (&s) };

  return l;
}
