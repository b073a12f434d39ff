/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The kernels of one instruction set. The including file defines
 *   Y10_VLEN     channels per block, which is the number of floats in a vector
 *   Y10_ELEM     bytes per activation: 4, 2 for bfloat16, 1 for integers
 *   Y10_TILE, Y10_DW_TILE, Y10_STEM_TILE  pixels per tile of a dense, depthwise
 *                and first convolution: as many as fit in registers
 *   Y10_KERNELS, Y10_KERNELS_NAME  the table and its name
 *   Y10_AMX      if dense convolutions use AMX, in sets of two bytes and of one
 * Loops over a tile are unrolled, so that accumulators stay in registers. */

#include <math.h>

#include "kernels.h"
#include "store.h"
#include "vec.h"

#define UNROLLED (STEPS < 4 ? STEPS : 4)
#if defined Y10_NEON && defined __ARM_FEATURE_MATMUL_INT8
#define IN_BLOCKS 2
#else
#define IN_BLOCKS 1
#endif
#if defined Y10_NEON && Y10_ELEM == 1 && IN_BLOCKS == 1
#define SUBTRACTED 128 /* SDOT has no u8 */
#else
#define SUBTRACTED 0
#endif

#if Y10_ELEM == 1
#include "int8.h"
#endif

#if defined Y10_NEON && Y10_ELEM == 1
#include "tiles-neon-int8.h" /* dense() */
#elif defined Y10_NEON
#include "tiles-neon.h" /* dense(), stem_part() */
#else

#if Y10_ELEM != 1

typedef vf sum_t;

Y10_INLINE sum_t
start_sum (const Y10Tile *t, int n)
{
  return t->bias ? vf_load (t->bias + n * Y10_VLEN) : (vf){ 0 };
}

Y10_INLINE sum_t
resume_sum (const Y10Tile *t, int p, int n)
{
  return vf_load (
      (const char *) t->resume + t->resume_at[p] + n * t->resume_block);
}

Y10_INLINE vf
broadcast (const char *p)
{
  float v;

  memcpy (&v, p, 4);
  return vf_set1 (v);
}

/* Multiplies a broadcast 4-byte group of a pixel (one float or two bfloat16) by
 * its weights and adds the products to one output block. */
Y10_INLINE vf
dot (vf acc, vf weight, vf pixel)
{
#if defined Y10_AVX2
  /* Compilers also choose forms that overwrite a factor, and then copy and
   * spill the 12 accumulators, 2 weights and the pixel that just fit. */
  __asm__("vfmadd231ps %2, %1, %0" : "+x"(acc) : "x"(weight), "x"(pixel));
  return acc;
#elif Y10_ELEM == 4
  return acc + weight * pixel;
#else
  return (
      vf) _mm512_dpbf16_ps ((__m512) acc, (__m512bh) weight, (__m512bh) pixel);
#endif
}

#include "sums.h" /* store_sums() */

#endif

#if defined Y10_AMX && Y10_ELEM == 2
#include "amx.h" /* dense() */
#elif defined Y10_AMX
#include "amx-int8.h" /* dense(), and what is in place of it */
#else

Y10_INLINE void
dense (const Y10Tile *t, const int tile, const int blocks, const int stride)
{
  sum_t acc[Y10_TILE][Y10_TILE_BLOCKS];
  const char *w = t->weight;

  if (t->resume) {
    Y10_UNROLL
    for (int p = 0; p < tile; p++)
      Y10_UNROLL
    for (int n = 0; n < blocks; n++)
      acc[p][n] = resume_sum (t, p, n);
  } else {
    Y10_UNROLL
    for (int p = 0; p < tile; p++)
      Y10_UNROLL
    for (int n = 0; n < blocks; n++)
      acc[p][n] = start_sum (t, n);
  }

  for (int b = 0; b < t->n_blocks; b++)
    for (int y = 0; y < t->kh; y++) {
      const char *s = (const char *) t->src + b * t->src_block + y * t->src_row;
      for (int x = 0; x < t->kw; x++, s += PIXEL)
        for (int c = 0; c < STEPS; c += UNROLLED, w += UNROLLED * Y10_VLEN * 4)
          Y10_UNROLL
      for (int u = 0; u < UNROLLED; u++) {
        vf weight[Y10_TILE_BLOCKS];
        Y10_UNROLL
        for (int n = 0; n < blocks; n++)
          weight[n] = vf_load (w + n * t->weight_block + u * Y10_VLEN * 4);
        Y10_UNROLL
        for (int p = 0; p < tile; p++) {
          vf v = broadcast (s + p * stride * PIXEL + (c + u) * 4);
          Y10_UNROLL
          for (int n = 0; n < blocks; n++)
            acc[p][n] = dot (acc[p][n], weight[n], v);
        }
      }
    }

#if Y10_ELEM == 1
  if (t->silu && !t->add && t->dst_size == 1) {
    Y10_UNROLL
    for (int n = 0; n < blocks; n++) {
      const Channels c = load_channels (t, n);

      Y10_UNROLL
      for (int p = 0; p < tile; p++)
        tile_store_silu (&c, p, acc[p][n]);
    }
    return;
  }
  if (!t->scale) {
    Y10_UNROLL
    for (int p = 0; p < tile; p++)
      Y10_UNROLL
    for (int n = 0; n < blocks; n++)
      sum_store (t, p, n, acc[p][n]);
    return;
  }
  Y10_UNROLL
  for (int p = 0; p < tile; p++)
    Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    tile_store (t, p, n, acc[p][n]);
#else
  Sums sums;

  if (!t->silu && !t->add && t->dst_size == Y10_ELEM) {
    Y10_UNROLL
    for (int n = 0; n < blocks; n++) {
      char *dst = (char *) t->dst + n * t->dst_block;

      Y10_UNROLL
      for (int p = 0; p < tile; p++)
        ve_store (dst + p * PIXEL, acc[p][n]);
    }
    return;
  }
  Y10_UNROLL
  for (int p = 0; p < tile; p++)
    Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    sums[n][p] = acc[p][n];
  store_sums (t, sums, tile, blocks);
#endif
}

#endif
#endif

#ifdef Y10_AMX
#include "amx-stem.h"
#endif

#define DENSE(P, N, S) \
  static void dense_##P##_##N##_##S (const Y10Tile *t) \
  { \
    dense (t, P, N, S); \
  }
#define DENSE_ALL(P) \
  DENSE (P, 1, 1) DENSE (P, 2, 1) DENSE (P, 1, 2) DENSE (P, 2, 2)

/* clang-format off */
DENSE_ALL (1) DENSE_ALL (2) DENSE_ALL (3)
#if Y10_TILE > 3
DENSE_ALL (4) DENSE_ALL (5) DENSE_ALL (6)
#endif
#if Y10_TILE > 6
DENSE_ALL (7) DENSE_ALL (8) DENSE_ALL (9) DENSE_ALL (10)
DENSE_ALL (11) DENSE_ALL (12)
#endif
#if Y10_TILE > 12
DENSE_ALL (13) DENSE_ALL (14)
#endif
#if Y10_TILE > 14
DENSE_ALL (15) DENSE_ALL (16) DENSE_ALL (17) DENSE_ALL (18) DENSE_ALL (19)
DENSE_ALL (20) DENSE_ALL (21) DENSE_ALL (22) DENSE_ALL (23) DENSE_ALL (24)
DENSE_ALL (25) DENSE_ALL (26) DENSE_ALL (27) DENSE_ALL (28) DENSE_ALL (29)
DENSE_ALL (30) DENSE_ALL (31) DENSE_ALL (32)
#endif
/* clang-format on */

#define ROW3(N, S) dense_1_##N##_##S, dense_2_##N##_##S, dense_3_##N##_##S
#define ROW6(N, S) \
  ROW3 (N, S), dense_4_##N##_##S, dense_5_##N##_##S, dense_6_##N##_##S
#define ROW12(N, S) \
  ROW6 (N, S), dense_7_##N##_##S, dense_8_##N##_##S, dense_9_##N##_##S, \
      dense_10_##N##_##S, dense_11_##N##_##S, dense_12_##N##_##S
#define ROW14(N, S) ROW12 (N, S), dense_13_##N##_##S, dense_14_##N##_##S
#define ROW32(N, S) \
  ROW14 (N, S), dense_15_##N##_##S, dense_16_##N##_##S, dense_17_##N##_##S, \
      dense_18_##N##_##S, dense_19_##N##_##S, dense_20_##N##_##S, \
      dense_21_##N##_##S, dense_22_##N##_##S, dense_23_##N##_##S, \
      dense_24_##N##_##S, dense_25_##N##_##S, dense_26_##N##_##S, \
      dense_27_##N##_##S, dense_28_##N##_##S, dense_29_##N##_##S, \
      dense_30_##N##_##S, dense_31_##N##_##S, dense_32_##N##_##S
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_ (a, b)
#define ROW CAT (ROW, Y10_TILE)

    /* Convolves P pixels at once; loads each input of a row only once. */
    Y10_INLINE void depthwise_part (const Y10DwRow *r, int at, const int P,
        const int K, const int S)
{
  vf acc[8], in[21], bias = vf_load (r->bias);
  const char *s = (const char *) r->src + (ptrdiff_t) at * S * PIXEL;
  const float *w = r->weight;

  Y10_UNROLL
  for (int p = 0; p < P; p++)
    acc[p] = bias;
  for (int y = 0; y < K; y++, s += r->src_row) {
    Y10_UNROLL
    for (int i = 0; i < (P - 1) * S + K; i++)
      in[i] = ve_load (s + i * PIXEL);
    Y10_UNROLL
    for (int x = 0; x < K; x++, w += Y10_VLEN) {
      vf weight = vf_load (w);
      Y10_UNROLL
      for (int p = 0; p < P; p++)
        acc[p] += weight * in[p * S + x];
    }
  }
  Y10_UNROLL
  for (int p = 0; p < P; p++)
    row_store (r, at + p, acc[p]);
}

Y10_INLINE void
depthwise_row (const Y10DwRow *r, const int K, const int S)
{
  int at = 0;

  for (; at + Y10_DW_TILE <= r->width; at += Y10_DW_TILE)
    depthwise_part (r, at, Y10_DW_TILE, K, S);
  for (; at + 2 <= r->width; at += 2)
    depthwise_part (r, at, 2, K, S);
  for (; at < r->width; at++)
    depthwise_part (r, at, 1, K, S);
}

static void
depthwise_any (const Y10DwRow *r)
{
  for (int x = 0; x < r->width; x++) {
    const char *s = (const char *) r->src + (ptrdiff_t) x * r->stride * PIXEL;
    const float *w = r->weight;
    vf v = vf_load (r->bias);

    for (int ky = 0; ky < r->kernel; ky++, s += r->src_row)
      for (int kx = 0; kx < r->kernel; kx++, w += Y10_VLEN)
        v += vf_load (w) * ve_load (s + kx * PIXEL);
    row_store (r, x, v);
  }
}

static void
depthwise (const Y10DwRow *r)
{
  if (r->kernel == 3 && r->stride == 1)
    depthwise_row (r, 3, 1);
  else if (r->kernel == 3 && r->stride == 2)
    depthwise_row (r, 3, 2);
  else if (r->kernel == 7 && r->stride == 1)
    depthwise_row (r, 7, 1);
  else
    depthwise_any (r);
}

#if Y10_ELEM != 1 && !defined Y10_NEON

Y10_INLINE void
stem_part (const float *src, ptrdiff_t plane, ptrdiff_t row, const float *w,
    const float *bias, char *dst, int dst_size, const int P, const int K,
    const int S, int silu)
{
  vf acc[Y10_STEM_TILE], b = vf_load (bias);

  Y10_UNROLL
  for (int p = 0; p < P; p++)
    acc[p] = b;
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < K; y++) {
      const float *s = src + c * plane + y * row;
      Y10_UNROLL
      for (int x = 0; x < K; x++, w += Y10_VLEN) {
        vf weight = vf_load (w);
        Y10_UNROLL
        for (int p = 0; p < P; p++)
          acc[p] += weight * vf_set1 (s[p * S + x]);
      }
    }
  Y10_UNROLL
  for (int p = 0; p < P; p++)
    stem_store (dst, dst_size, p, silu ? vf_silu (acc[p]) : acc[p]);
}

#endif

#if Y10_ELEM == 1 && defined Y10_AMX

/* For the kernel whose weights amx-stem.h reads. */
static void
stem (const float *src, ptrdiff_t plane, ptrdiff_t row, const float *weight,
    const float *bias, void *dst, ptrdiff_t dst_block, int dst_size,
    const Y10Affine *affine, int n_blocks, int width, int kernel, int stride,
    int silu)
{
  stem_amx (src, plane, row, weight, bias, dst, dst_block, dst_size, affine,
      n_blocks, width, stride, silu);
}

#elif Y10_ELEM != 1

/* @plane and @row are strides in floats. */
static void
stem (const float *src, ptrdiff_t plane, ptrdiff_t row, const float *weight,
    const float *bias, void *dst, ptrdiff_t dst_block, int dst_size,
    const Y10Affine *affine, int n_blocks, int width, int kernel, int stride,
    int silu)
{
  const ptrdiff_t pixel = Y10_VLEN * dst_size;

#ifdef Y10_AMX
  if (kernel == STEM_KERNEL) {
    stem_amx (src, plane, row, weight, bias, dst, dst_block, dst_size, affine,
        n_blocks, width, stride, silu);
    return;
  }
#endif

  for (int n = 0; n < n_blocks; n++) {
    const float *w = weight + (ptrdiff_t) n * 3 * kernel * kernel * Y10_VLEN;
    const float *b = bias + n * Y10_VLEN;
    char *d = (char *) dst + n * dst_block;
    int x = 0;

    if (kernel == 3 && stride == 2)
      for (; x + Y10_STEM_TILE <= width; x += Y10_STEM_TILE)
        stem_part (src + x * 2, plane, row, w, b, d + x * pixel, dst_size,
            Y10_STEM_TILE, 3, 2, silu);
    for (; x < width; x++)
      stem_part (src + x * stride, plane, row, w, b, d + x * pixel, dst_size, 1,
          kernel, stride, silu);
  }
}

#endif

#if Y10_ELEM == 4
#include "winograd-tiles.h"
#endif

static void
max5_row (const void *src, void *dst, int width)
{
  for (int x = 0; x < width; x++) {
    int last = x + 2 < width ? x + 2 : width - 1;
    int i = x > 2 ? x - 2 : 0;
    vf v = ve_load ((const char *) src + i * PIXEL);
    for (i++; i <= last; i++)
      v = vf_max (v, ve_load ((const char *) src + i * PIXEL));
    ve_store ((char *) dst + x * PIXEL, v);
  }
}

static void
max5_column (const void *const src[5], void *dst, int width)
{
  for (int x = 0; x < width; x++) {
    vf v = ve_load ((const char *) src[0] + x * PIXEL);
    for (int i = 1; i < 5; i++)
      v = vf_max (v, ve_load ((const char *) src[i] + x * PIXEL));
    ve_store ((char *) dst + x * PIXEL, v);
  }
}

static void
double_row (const void *src, void *dst, int width)
{
  const char *s = src;
  char *d = dst;

  for (int x = 0; x < width; x++, s += PIXEL, d += 2 * PIXEL) {
    memcpy (d, s, PIXEL);
    memcpy (d + PIXEL, s, PIXEL);
  }
}

#if Y10_ELEM != 1

static void
pack_keys (const void *src, ptrdiff_t src_block, int n_blocks, int n,
    void *weight)
{
  uint32_t *w = weight;

  for (int k = 0; k < n; k += Y10_VLEN)
    for (int b = 0; b < n_blocks; b++, w += STEPS * Y10_VLEN) {
      const char *s = (const char *) src + b * src_block;
      int keys = n - k < Y10_VLEN ? n - k : Y10_VLEN;

      if (keys < Y10_VLEN)
        memset (w, 0, STEPS * Y10_VLEN * 4);
      for (int i = 0; i < keys; i++) {
        uint32_t p[STEPS];
        memcpy (p, s + (ptrdiff_t) (k + i) * PIXEL, PIXEL);
        for (int c = 0; c < STEPS; c++)
          w[c * Y10_VLEN + i] = p[c];
      }
    }
}

static void
pack_values (const void *src, int n, void *weight)
{
#if Y10_ELEM == 4
  int full = (n + Y10_VLEN - 1) / Y10_VLEN * Y10_VLEN;
  memcpy (weight, src, (size_t) n * PIXEL);
  memset ((char *) weight + (size_t) n * PIXEL, 0, (size_t) (full - n) * PIXEL);
#else
  int full = (n + Y10_VLEN - 1) / Y10_VLEN * Y10_VLEN;
  const uint16_t *s = src;
  uint16_t *w = weight;
  for (int i = 0; i < full; i++)
    for (int c = 0; c < Y10_VLEN; c++)
      w[(i / 2 * Y10_VLEN + c) * 2 + i % 2] = i < n ? s[i * Y10_VLEN + c] : 0;
#endif
}

static void
softmax (float *s, ptrdiff_t s_block, void *p, ptrdiff_t p_block, int rows,
    int n, float scale)
{
  int n_blocks = (n + Y10_VLEN - 1) / Y10_VLEN;

  for (int r = 0; r < rows; r++) {
    char *a = (char *) (s + r * Y10_VLEN), *d = (char *) p + r * PIXEL;
    float *last = (float *) (a + (n_blocks - 1) * s_block);
    vf top, sum = { 0 }, factor = vf_set1 (scale);

    for (int i = n - (n_blocks - 1) * Y10_VLEN; i < Y10_VLEN; i++)
      last[i] = -INFINITY;
    top = vf_load (a);
    for (int b = 1; b < n_blocks; b++)
      top = vf_max (top, vf_load (a + b * s_block));
    top = vf_set1 (vf_hmax (top));
    for (int b = 0; b < n_blocks; b++) {
      vf v = (vf_load (a + b * s_block) - top) * factor;
      v = vf_exp (vf_max (v, vf_set1 (-87.0f)));
      if (b == n_blocks - 1)
        for (int i = n - b * Y10_VLEN; i < Y10_VLEN; i++)
          v[i] = 0;
      vf_store (a + b * s_block, v);
      sum += v;
    }
    factor = vf_set1 (1.0f / vf_hsum (sum));
    for (int b = 0; b < n_blocks; b++)
      ve_store (d + b * p_block, vf_load (a + b * s_block) * factor);
  }
}

/* Compares every value: in a maximum, a NaN could hide the others. */
static int
find_from (const float *src, int from, int n, float floor)
{
  int i = from;
#ifdef __AVX512F__
  __m512 f = _mm512_set1_ps (floor);

  for (; i + 4 <= n; i += 4) {
    const float *s = src + (ptrdiff_t) i * Y10_VLEN;
    __mmask16 any = 0;
    for (int j = 0; j < 4; j++)
      any |= _mm512_cmp_ps_mask (_mm512_loadu_ps (s + j * Y10_VLEN), f,
          _CMP_GE_OQ);
    if (any)
      break;
  }
#elif defined Y10_NEON
  for (; i + 4 <= n; i += 4) {
    vi any = { 0 };

    for (int j = 0; j < 4; j++)
      any |= vf_load (src + (ptrdiff_t) (i + j) * Y10_VLEN) >= vf_set1 (floor);
    if (vmaxvq_u32 ((uint32x4_t) any))
      break;
  }
#endif
  for (; i < n; i++) {
    vi m = vf_load (src + (ptrdiff_t) i * Y10_VLEN) >= vf_set1 (floor);
    int64_t any[Y10_VLEN / 2], all = 0;

    memcpy (any, &m, sizeof m);
    for (int j = 0; j < Y10_VLEN / 2; j++)
      all |= any[j];
    if (all)
      break;
  }
  return i;
}

#endif

const Y10Kernels Y10_KERNELS = {
  .name = Y10_KERNELS_NAME,
  .block = Y10_VLEN,
  .elem = Y10_ELEM,
  .in_blocks = IN_BLOCKS,
  .subtracted = SUBTRACTED,
  .tile = Y10_TILE,
#if defined Y10_AMX && Y10_ELEM == 2
  .granule = AMX_PIXELS,
  .begin = amx_begin,
  .end = amx_end,
#else
  .granule = 1,
#endif
#if defined Y10_AMX && Y10_ELEM == 1
  .sums_begin = sums_begin,
  .sums_end = sums_end,
  .sums = sums,
  .finish = finish,
  .gather = gather,
#endif
  .dense = { { { ROW (1, 1) }, { ROW (2, 1) } },
      { { ROW (1, 2) }, { ROW (2, 2) } } },
  .depthwise = depthwise,
#ifdef Y10_AMX
  .stem_kernel = STEM_KERNEL,
#endif
#if Y10_ELEM == 1
#ifdef Y10_AMX
  .stem = stem,
#endif
  .widen = widen,
  .narrow = narrow,
#else
  .stem = stem,
#endif
#if Y10_ELEM == 4
  .winograd = { { winograd_in, winograd_out },
      { winograd4_in, winograd4_out } },
#endif
  .max5_row = max5_row,
  .max5_column = max5_column,
  .double_row = double_row,
#if Y10_ELEM != 1
  .pack_keys = pack_keys,
  .pack_values = pack_values,
  .softmax = softmax,
  .find_from = find_from,
#endif
};
