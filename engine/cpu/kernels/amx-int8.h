/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Part of template.h: sums of u8 × s8 in AMX's tile registers. A product takes as
 * long for 16 bytes of each pixel as for 64, so a step has all taps of a row of the
 * kernel, which are side by side in memory, or four blocks that the caller has put
 * side by side. Weights have the order that it needs already.
 *
 * A product always reads 16 pixels. Those behind the last one may be anything. */

#define AMX_PIXELS 16
#define AMX_SUMS (2 * AMX_PIXELS * Y10_VLEN) /* of a block */

/* Of the tile registers, 0 to 3 hold sums (pixels 0 to 15 by the two blocks of
 * output channels, then pixels 16 to 31), 4 and 5 pixels, 6 and 7 weights. */
static void
sums_begin (int step)
{
  struct
  {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config __attribute__ ((aligned (64))) = { .palette = 1 };

  for (int i = 0; i < 8; i++) {
    config.row_bytes[i] = i == 4 || i == 5 ? step : 64;
    config.rows[i] = i < 6 ? AMX_PIXELS : step / 4;
  }
  /* gcc 12 takes it for 8 bytes, and drops the rest. */
  __asm__ volatile("" ::"r"(&config) : "memory");
  _tile_loadconfig (&config);
}

/* Without it, the system would save the registers at each change of threads. */
static void
sums_end (void)
{
  _tile_release ();
}

/* Puts side by side what sums begin with. */
static __attribute__ ((noinline)) void
resume_sums (const Y10Tile *t, int pixels, int blocks, int32_t *sums)
{
  for (int n = 0; n < blocks; n++)
    for (int p = 0; p < pixels; p++)
      *(vi_mem *) (sums + n * AMX_SUMS + p * Y10_VLEN) = resume_sum (t, p, n);
}

Y10_INLINE void
sums_part (const Y10Tile *t, const int halves, const int blocks, int32_t *sums)
{
  const int32_t *start = t->resume ? sums : t->start;
  const int row = t->resume ? 64 : 0, half = t->resume ? AMX_SUMS / 2 : 0;
  const int block = t->resume ? AMX_SUMS : Y10_VLEN;
  const ptrdiff_t stride = t->src_pixel, size = t->step * Y10_VLEN;
  const char *w = t->weight;

  _tile_loadd (0, start, row);
  if (blocks > 1)
    _tile_loadd (1, start + block, row);
  if (halves > 1) {
    _tile_loadd (2, start + half, row);
    if (blocks > 1)
      _tile_loadd (3, start + block + half, row);
  }
  for (int b = 0; b < t->n_blocks; b++)
    for (int y = 0; y < t->kh; y++, w += size) {
      const char *s = (const char *) t->src + b * t->src_block + y * t->src_row;

      _tile_loadd (6, w, 64);
      _tile_loadd (4, s, stride);
      _tile_dpbusd (0, 4, 6);
      if (blocks > 1) {
        _tile_loadd (7, w + t->weight_block, 64);
        _tile_dpbusd (1, 4, 7);
      }
      if (halves > 1) {
        _tile_loadd (5, s + AMX_PIXELS * stride, stride);
        _tile_dpbusd (2, 5, 6);
        if (blocks > 1)
          _tile_dpbusd (3, 5, 7);
      }
    }
  _tile_stored (0, sums, 64);
  if (blocks > 1)
    _tile_stored (1, sums + AMX_SUMS, 64);
  if (halves > 1) {
    _tile_stored (2, sums + AMX_SUMS / 2, 64);
    if (blocks > 1)
      _tile_stored (3, sums + AMX_SUMS + AMX_SUMS / 2, 64);
  }
}

static void
sums (const Y10Tile *t, int pixels, int blocks, int32_t *sums)
{
  if (t->resume)
    resume_sums (t, pixels, blocks, sums);
  if (pixels <= AMX_PIXELS && blocks == 1)
    sums_part (t, 1, 1, sums);
  else if (pixels <= AMX_PIXELS)
    sums_part (t, 1, 2, sums);
  else if (blocks == 1)
    sums_part (t, 2, 1, sums);
  else
    sums_part (t, 2, 2, sums);
}

/* Rounds four pixels of a block to 8 bits, as ve_store() does, and stores the first
 * @n. Packing works within 128 bits, so the groups of four channels of the pixels
 * alternate until they are moved. */
Y10_INLINE void
store_four (char *dst, const vf v[4], int n)
{
  const __m512 most = _mm512_set1_ps (255);
  const __m512i order = _mm512_setr_epi32 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10,
      14, 3, 7, 11, 15);
  __m512i i[4], all;

  Y10_UNROLL
  for (int p = 0; p < 4; p++) /* NaN passes, and becomes the least integer */
    i[p] = _mm512_cvtps_epi32 (_mm512_min_ps (most, (__m512) v[p]));
  all = _mm512_packus_epi16 (_mm512_packs_epi32 (i[0], i[1]),
      _mm512_packs_epi32 (i[2], i[3]));
  all = _mm512_permutexvar_epi32 (order, all);
  if (n == 4)
    _mm512_storeu_si512 (dst, all);
  else
    _mm512_mask_storeu_epi8 (dst, (__mmask64) -1 >> (64 - n * Y10_VLEN), all);
}

Y10_INLINE vf
multiply_add (vf a, vf b, vf c)
{
  return (vf) _mm512_fmadd_ps ((__m512) a, (__m512) b, (__m512) c);
}

/* The same bits for a pixel wherever it is: compilers make several versions of the
 * loop, in which they could round products and add, or do both at once. */
Y10_INLINE void
finish_bytes (const Y10Tile *t, const int32_t *sums, int n, const int silu,
    const int add)
{
  const Channels c = load_channels (t, 0);
  const vf add_scale = add ? vf_load (t->affine.add_scale) : c.scale;
  const vf add_shift = add ? vf_load (t->affine.add_shift) : c.scale;
  const char *a = t->add;

  for (int p = 0; p < n; p += 4, sums += 4 * Y10_VLEN) {
    vf v[4];

    Y10_UNROLL
    for (int i = 0; i < 4; i++) {
      vi sum = *(const vi_mem *) (sums + i * Y10_VLEN);

      v[i] = multiply_add (__builtin_convertvector(sum, vf), c.scale, c.bias);
      if (silu)
        v[i] = vf_silu_8 (v[i]);
      if (add) {
        vf other = ve_load (a + (p + i < n ? p + i : n - 1) * PIXEL);

        /* SiLU's product is rounded, whatever the compiler makes of this loop. */
        __asm__("" : "+v"(v[i]));
        v[i] += multiply_add (other, add_scale, add_shift);
      }
      v[i] = multiply_add (v[i], c.inverse, c.zero);
    }
    if (p + 4 <= n)
      store_four (c.dst + p * PIXEL, v, 4);
    else
      store_four (c.dst + p * PIXEL, v, n - p);
  }
}

static void
finish (const Y10Tile *t, const int32_t *sums, int n)
{
  if (!t->scale)
    memcpy (t->dst, sums, (size_t) n * Y10_VLEN * 4);
  else if (t->dst_size > 1)
    for (int p = 0; p < n; p++)
      tile_store (t, p, 0, *(const vi_mem *) (sums + p * Y10_VLEN));
  else if (t->add && t->silu)
    finish_bytes (t, sums, n, 1, 1);
  else if (t->add)
    finish_bytes (t, sums, n, 0, 1);
  else if (t->silu)
    finish_bytes (t, sums, n, 1, 0);
  else
    finish_bytes (t, sums, n, 0, 0);
}

/* Four blocks of @n pixels, side by side: @n_blocks of them, and zeros. */
static void
gather (const void *src, ptrdiff_t src_block, int n_blocks, void *dst, int n)
{
  const char *s = src;
  char *d = dst;

  for (int p = 0; p < n; p++, s += PIXEL, d += 4 * PIXEL)
    for (int b = 0; b < 4; b++)
      _mm_storeu_si128 ((__m128i *) (d + b * PIXEL),
          b < n_blocks ? _mm_loadu_si128 ((const __m128i *) (s + b * src_block))
                       : _mm_setzero_si128 ());
}

/* What sums() cannot compute: the tiles of avx512_vnni.c, which do not know bfloat16,
 * and then end with their sums. */
static void
dense (const Y10Tile *t, int tile, int blocks, int stride)
{
  const Y10TileFunc vnni =
      y10_kernels_avx512_vnni.dense[stride - 1][blocks - 1][tile - 1];
  int32_t sums[Y10_TILE_BLOCKS][Y10_TILE * Y10_VLEN];
  Y10Tile sums_only;

  if (t->dst_size != 2) {
    vnni (t);
    return;
  }
  sums_only = *t;
  sums_only.scale = NULL;
  sums_only.dst = sums;
  sums_only.dst_block = sizeof sums[0];
  vnni (&sums_only);
  for (int n = 0; n < blocks; n++)
    for (int p = 0; p < tile; p++)
      tile_store (t, p, n, *(const vi_mem *) (sums[n] + p * Y10_VLEN));
}
