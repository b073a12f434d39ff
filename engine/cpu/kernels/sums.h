/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Part of template.h: what is done with the sums of a tile of floats. */

/* The sums of a tile. They go through memory, which leaves the registers to the
 * constants of SiLU: loading these for each vector takes longer than SiLU. */
typedef vf Sums[Y10_TILE_BLOCKS][Y10_TILE];

/* SiLU and stores of one block, or two. */
Y10_INLINE void
store_silu (const Y10Tile *t, Sums sums, const int tile, const int blocks)
{
  char *dst = t->dst;
  const ptrdiff_t block = t->dst_block;

  for (int p = 0; p < tile; p++, dst += PIXEL) {
    Y10_UNROLL
    for (int n = 0; n < blocks; n++)
      ve_store (dst + n * block, vf_silu (sums[n][p]));
  }
}

static __attribute__ ((noinline)) void
store_silu_1 (const Y10Tile *t, Sums sums, int tile)
{
  store_silu (t, sums, tile, 1);
}

static __attribute__ ((noinline)) void
store_silu_2 (const Y10Tile *t, Sums sums, int tile)
{
  store_silu (t, sums, tile, 2);
}

static __attribute__ ((noinline)) void
store_any (const Y10Tile *t, Sums sums, int tile, int blocks)
{
  for (int n = 0; n < blocks; n++) {
    char *dst = (char *) t->dst + n * t->dst_block;
    const char *add = t->add ? (const char *) t->add + n * t->add_block : NULL;

    for (int p = 0; p < tile; p++) {
      vf v = t->silu ? vf_silu (sums[n][p]) : sums[n][p];

      if (add)
        v += ve_load (add + p * PIXEL);
      if (t->dst_size == 4)
        vf_store (dst + p * Y10_VLEN * 4, v);
      else
        ve_store (dst + p * PIXEL, v);
    }
  }
}

Y10_INLINE void
store_sums (const Y10Tile *t, Sums sums, int tile, int blocks)
{
  if (!t->silu || t->add || t->dst_size != Y10_ELEM)
    store_any (t, sums, tile, blocks);
  else if (blocks == 1)
    store_silu_1 (t, sums, tile);
  else
    store_silu_2 (t, sums, tile);
}
