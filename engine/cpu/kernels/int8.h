/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What differs in a set of one byte, included by template.h: exact products of u8
 * and s8, and results that are rounded to u8. */

#include "silu8.h"

typedef vi sum_t;
typedef int32_t vi_mem
    __attribute__ ((vector_size (Y10_VLEN * 4), aligned (4), may_alias));

Y10_INLINE sum_t
start_sum (const Y10Tile *t, int n)
{
  return *(const vi_mem *) (t->start + n * Y10_VLEN);
}

Y10_INLINE sum_t
resume_sum (const Y10Tile *t, int p, int n)
{
  return *(const vi_mem *) ((const char *) t->resume + t->resume_at[p]
      + n * t->resume_block);
}

#ifndef Y10_NEON

/* 4 channels of a pixel. gcc 12 would load the same bytes only once for adjacent
 * taps, and then spill them: that takes 1.4 times as long. */
Y10_INLINE vf
broadcast (const char *p)
{
  typedef int32_t group __attribute__ ((aligned (1), may_alias));
  vf v;

#if defined __AVX512VNNI__
  __asm__("vpbroadcastd %1, %0" : "=v"(v) : "m"(*(const group *) p));
#elif defined Y10_AVX2
  __asm__("vpbroadcastd %1, %0" : "=x"(v) : "m"(*(const group *) p));
#else
  v = (vf) (*(const group *) p + (vi){ 0 });
#endif
  return v;
}

/* Multiplies 4 broadcast channels of a pixel by their weights and adds the products
 * to one output block. */
Y10_INLINE vi
dot (vi sum, vf weight, vf pixel)
{
#if defined __AVX512VNNI__
  /* With the intrinsic, gcc 12 copies every sum, which takes twice the time. */
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(pixel), "v"(weight));
  return sum;
#elif defined __AVXVNNI__
  return (vi) _mm256_dpbusd_avx_epi32 ((__m256i) sum, (__m256i) pixel,
      (__m256i) weight);
#elif defined Y10_AVX2
  /* Even and odd channels by themselves, in 16 bits: sums of two products of 8 bits
   * would be limited. */
  const __m256i low = _mm256_set1_epi16 (255);
  __m256i w = (__m256i) weight, p = (__m256i) pixel;
  __m256i even = _mm256_madd_epi16 (_mm256_and_si256 (p, low),
      _mm256_srai_epi16 (_mm256_slli_epi16 (w, 8), 8));
  __m256i odd = _mm256_madd_epi16 (_mm256_srli_epi16 (p, 8),
      _mm256_srai_epi16 (w, 8));

  return (vi) _mm256_add_epi32 ((__m256i) sum, _mm256_add_epi32 (even, odd));
#else
  typedef uint32_t vu __attribute__ ((vector_size (Y10_VLEN * 4)));
  vu w = (vu) weight, p = (vu) pixel;

  Y10_UNROLL
  for (int i = 0; i < 4; i++)
    sum += (vi) ((vi) (w << (24 - 8 * i)) >> 24) * (vi) (p >> (8 * i) & 255);
  return sum;
#endif
}

#endif

#ifdef Y10_AMX

Y10_INLINE void
vh_store (void *p, vf v)
{
  _mm256_storeu_si256 (p, (__m256i) _mm512_cvtneps_pbh ((__m512) v));
}

Y10_INLINE vf
vh_load (const void *p)
{
  return (vf) _mm512_slli_epi32 (_mm512_cvtepu16_epi32 (_mm256_loadu_si256 (p)),
      16);
}

#else
/* No set of bfloat16 goes with the others. */
#define vh_store vf_store
#define vh_load vf_load
#endif

/* Adds what there is to add and stores as @size bytes for a channel: 8 bits,
 * bfloat16 or floats. @first: the first channel. */
Y10_INLINE void
store (void *dst, int size, const void *add, const Y10Affine *a, int first,
    vf v)
{
  if (size == 4) {
    vf_store (dst, add ? v + vf_load (add) : v);
    return;
  }
  if (size == 2) {
    vh_store (dst, add ? v + vh_load (add) : v);
    return;
  }
  if (add)
    v += ve_load (add) * vf_load (a->add_scale + first)
        + vf_load (a->add_shift + first);
  ve_store (dst, v * vf_load (a->inverse + first) + vf_load (a->zero + first));
}

#ifndef Y10_NEON

Y10_INLINE void
sum_store (const Y10Tile *t, int p, int n, vi sum)
{
  *(vi_mem *) ((char *) t->dst + n * t->dst_block + p * Y10_VLEN * 4) = sum;
}

Y10_INLINE void
tile_store (const Y10Tile *t, int p, int n, vi sum)
{
  ptrdiff_t at = p * (Y10_VLEN * t->dst_size);
  vf v = __builtin_convertvector(sum, vf) * vf_load (t->scale + n * Y10_VLEN)
      + vf_load (t->bias + n * Y10_VLEN);

  if (t->silu)
    v = t->dst_size == 1 ? vf_silu_8 (v) : vf_silu (v);
  store ((char *) t->dst + n * t->dst_block + at, t->dst_size,
      t->add ? (const char *) t->add + n * t->add_block + at : NULL, &t->affine,
      n * Y10_VLEN, v);
}

/* Most tiles end with SiLU and nothing to add. What they need of a block's channels
 * is loaded only once. */
typedef struct
{
  vf scale, bias, inverse, zero;
  char *dst;
} Channels;

Y10_INLINE Channels
load_channels (const Y10Tile *t, int n)
{
  return (Channels){ vf_load (t->scale + n * Y10_VLEN),
    vf_load (t->bias + n * Y10_VLEN),
    vf_load (t->affine.inverse + n * Y10_VLEN),
    vf_load (t->affine.zero + n * Y10_VLEN),
    (char *) t->dst + n * t->dst_block };
}

Y10_INLINE void
tile_store_silu (const Channels *c, int p, vi sum)
{
  vf v = vf_silu_8 (__builtin_convertvector(sum, vf) * c->scale + c->bias);

  ve_store (c->dst + p * PIXEL, v * c->inverse + c->zero);
}

#endif

Y10_INLINE void
row_store (const Y10DwRow *r, int at, vf v)
{
  ptrdiff_t to = at * (Y10_VLEN * r->dst_size);

  if (r->silu)
    v = r->dst_size == 1 ? vf_silu_8 (v) : vf_silu (v);
  store ((char *) r->dst + to, r->dst_size,
      r->add ? (const char *) r->add + to : NULL, &r->affine, 0, v);
}

static void
widen (const void *src, void *dst, int n)
{
#ifdef Y10_AMX
  for (int i = 0; i < n; i++)
    vh_store ((char *) dst + i * Y10_VLEN * 2,
        ve_load ((const char *) src + i * PIXEL));
#else
  for (int i = 0; i < n; i++)
    vf_store ((float *) dst + i * Y10_VLEN,
        ve_load ((const char *) src + i * PIXEL));
#endif
}

static void
narrow (const float *src, void *dst, const void *add, int n,
    const Y10Affine *affine)
{
  for (int i = 0; i < n; i++)
    store ((char *) dst + i * PIXEL, 1,
        add ? (const char *) add + i * PIXEL : NULL, affine, 0,
        vf_load (src + i * Y10_VLEN));
}
