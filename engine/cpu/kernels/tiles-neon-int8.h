/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The dense tiles of template.h for AArch64's products of 8 bits. A pixel of a block
 * has 4 bytes, so one load of 16 bytes has four pixels of a row.
 *
 * SDOT multiplies 4 bytes of a pixel by those of 4 output channels, and knows s8
 * alone: 128 is subtracted from each u8. USMMLA multiplies 8 bytes of two pixels by
 * those of two output channels, twice the products; two input blocks together have 8
 * bytes, and their weights are interleaved. The last one of an odd number of blocks is
 * read twice: the weights of the second are zero. */

/* Else the compiler would keep the pixels of a tap for the next one, in registers that are
 * not there. */
#define KEEP(pointer) __asm__("" : "+r"(pointer))

/* Four pixels of the input. Not all may be needed: it reads up to 15 bytes beyond those
 * that are, within the memory that cpu/memory.c keeps there. */
Y10_INLINE vi
load_four (const char *s)
{
  return *(const vi_mem *) s;
}

/* Loops of their own keep SiLU's constants in registers. @sum: [block][pixel]. */
static __attribute__ ((noinline)) void
tile_store (const Y10Tile *t, const vi *sum, int tile, int blocks)
{
  const ptrdiff_t pixel = Y10_VLEN * t->dst_size;
  vf v[Y10_TILE];

  if (!t->scale) {
    for (int n = 0; n < blocks; n++, sum += tile)
      memcpy ((char *) t->dst + n * t->dst_block, sum,
          (size_t) tile * sizeof *sum);
    return;
  }
  for (int n = 0; n < blocks; n++, sum += tile) {
    const vf scale = vf_load (t->scale + n * Y10_VLEN);
    const vf bias = vf_load (t->bias + n * Y10_VLEN);
    char *dst = (char *) t->dst + n * t->dst_block;
    const char *add = (const char *) t->add + n * t->add_block;

    for (int p = 0; p < tile; p++) {
      v[p] = __builtin_convertvector(sum[p], vf) * scale + bias;
      if (t->silu)
        v[p] = vf_silu (v[p]);
    }
    for (int p = 0; p < tile; p++)
      store (dst + p * pixel, t->dst_size, t->add ? add + p * pixel : NULL,
          &t->affine, n * Y10_VLEN, v[p]);
  }
}

#if IN_BLOCKS == 1

Y10_INLINE vi
dot (vi sum, vi weight, vi pixels, const int lane)
{
  /* The lane of the intrinsic must be a constant for the compiler's front end. */
  switch (lane) {
    case 0:
      return (vi) vdotq_laneq_s32 ((int32x4_t) sum, (int8x16_t) weight,
          (int8x16_t) pixels, 0);
    case 1:
      return (vi) vdotq_laneq_s32 ((int32x4_t) sum, (int8x16_t) weight,
          (int8x16_t) pixels, 1);
    case 2:
      return (vi) vdotq_laneq_s32 ((int32x4_t) sum, (int8x16_t) weight,
          (int8x16_t) pixels, 2);
    default:
      return (vi) vdotq_laneq_s32 ((int32x4_t) sum, (int8x16_t) weight,
          (int8x16_t) pixels, 3);
  }
}

Y10_INLINE void
dense (const Y10Tile *t, const int tile, const int blocks, const int stride)
{
  const vi flip = (vi) vdupq_n_u8 (SUBTRACTED);
  const int step = 4 / stride;
  vi acc[Y10_TILE][Y10_TILE_BLOCKS], out[Y10_TILE_BLOCKS * Y10_TILE];
  const char *w = t->weight;

  Y10_UNROLL
  for (int p = 0; p < tile; p++)
    Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    acc[p][n] = t->resume ? resume_sum (t, p, n) : start_sum (t, n);

  for (int b = 0; b < t->n_blocks; b++)
    for (int y = 0; y < t->kh; y++) {
      const char *s = (const char *) t->src + b * t->src_block + y * t->src_row;

      for (int x = 0; x < t->kw; x++, s += PIXEL, w += Y10_VLEN * 4) {
        vi weight[Y10_TILE_BLOCKS];

        KEEP (s);
        Y10_UNROLL
        for (int n = 0; n < blocks; n++)
          weight[n] = (vi) vf_load (w + n * t->weight_block);
        Y10_UNROLL
        for (int p = 0; p < tile; p += step) {
          const int count = tile - p < step ? tile - p : step;
          const vi pixels = load_four (s + p * stride * PIXEL) ^ flip;

          Y10_UNROLL
          for (int i = 0; i < count; i++)
            Y10_UNROLL
          for (int n = 0; n < blocks; n++)
            acc[p + i][n] = dot (acc[p + i][n], weight[n], pixels, i * stride);
        }
      }
    }

  Y10_UNROLL
  for (int p = 0; p < tile; p++)
    Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    out[n * tile + p] = acc[p][n];
  tile_store (t, out, tile, blocks);
}

#else

/* Half of a block for each of two pixels. */
Y10_INLINE vi
zip_low (vi a, vi b)
{
  return (vi) vzip1q_s64 ((int64x2_t) a, (int64x2_t) b);
}

Y10_INLINE vi
zip_high (vi a, vi b)
{
  return (vi) vzip2q_s64 ((int64x2_t) a, (int64x2_t) b);
}

/* Both blocks of two pixels, of which the first is the @at-th of a @stride. */
Y10_INLINE vi
join_blocks (vi first, vi other, const int stride, const int at)
{
  int32x4_t a = (int32x4_t) first, b = (int32x4_t) other;

  return (vi) (stride == 2 ? vtrn1q_s32 (a, b)
          : at             ? vzip2q_s32 (a, b)
                           : vzip1q_s32 (a, b));
}

Y10_INLINE void
dense (const Y10Tile *t, const int tile, const int blocks, const int stride)
{
  const int step = 4 / stride;
  /* Pairs of pixels; those of channels. */
  vi acc[Y10_TILE / 2][Y10_TILE_BLOCKS][2], out[Y10_TILE_BLOCKS * Y10_TILE];
  const char *w = t->weight;

  Y10_UNROLL
  for (int p = 0; p < tile; p += 2)
    Y10_UNROLL
  for (int n = 0; n < blocks; n++) {
    const vi a = t->resume ? resume_sum (t, p, n) : start_sum (t, n);
    const vi b = t->resume ? resume_sum (t, p + (p + 1 < tile), n) : a;

    acc[p / 2][n][0] = zip_low (a, b);
    acc[p / 2][n][1] = zip_high (a, b);
  }

  for (int b = 0; b < t->n_blocks; b += 2)
    for (int y = 0; y < t->kh; y++) {
      const char *s = (const char *) t->src + b * t->src_block + y * t->src_row;
      const ptrdiff_t second = b + 1 < t->n_blocks ? t->src_block : 0;

      for (int x = 0; x < t->kw; x++, s += PIXEL, w += 2 * Y10_VLEN * 4) {
        vi weight[Y10_TILE_BLOCKS][2];

        KEEP (s);
        Y10_UNROLL
        for (int n = 0; n < blocks; n++)
          Y10_UNROLL
        for (int h = 0; h < 2; h++)
          weight[n][h] = (vi) vf_load (w + n * t->weight_block + h * 16);
        Y10_UNROLL
        for (int p = 0; p < tile; p += step) {
          const int count = tile - p < step ? tile - p : step;
          const vi first = load_four (s + p * stride * PIXEL);
          const vi other = load_four (s + p * stride * PIXEL + second);

          Y10_UNROLL
          for (int i = 0; i < count; i += 2) {
            const vi pixels = join_blocks (first, other, stride, i);

            Y10_UNROLL
            for (int n = 0; n < blocks; n++)
              Y10_UNROLL
            for (int h = 0; h < 2; h++) {
              vi *sum = &acc[(p + i) / 2][n][h];

              *sum = (vi) vusmmlaq_s32 ((int32x4_t) *sum, (uint8x16_t) pixels,
                  (int8x16_t) weight[n][h]);
            }
          }
        }
      }
    }

  Y10_UNROLL
  for (int p = 0; p < tile; p++)
    Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    out[n * tile + p] = p % 2 ? zip_high (acc[p / 2][n][0], acc[p / 2][n][1])
                              : zip_low (acc[p / 2][n][0], acc[p / 2][n][1]);
  tile_store (t, out, tile, blocks);
}

#endif
