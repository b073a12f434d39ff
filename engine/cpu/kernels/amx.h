/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Part of template.h: tiles of dense convolutions in AMX's tile registers. One
 * product is of 16 pixels × one block of input channels by that block × one
 * block of output channels; weights have the order that it needs already. Sums
 * go over input blocks and taps in the same order in all of them.
 *
 * A product always reads 16 pixels. Those beyond the last one may be anything:
 * they change no other pixel, and are not stored. They begin at most 31 pixels
 * of stride 2 behind it, within the memory that cpu/memory.c keeps there. */

/* Of the tile registers, 0 to 3 hold sums (pixels 0 to 15 by the two blocks of
 * output channels, then pixels 16 to 31), 4 and 5 pixels, 6 and 7 weights. */
#define AMX_PIXELS 16

static void
amx_begin (void)
{
  static const struct
  {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config __attribute__ ((aligned (64))) = {
    .palette = 1,
    .row_bytes = { 64, 64, 64, 64, PIXEL, PIXEL, 64, 64 },
    .rows = { AMX_PIXELS, AMX_PIXELS, AMX_PIXELS, AMX_PIXELS, AMX_PIXELS,
        AMX_PIXELS, STEPS, STEPS },
  };

  _tile_loadconfig (&config);
}

/* Without it, the system would save the registers at each change of threads. */
static void
amx_end (void)
{
  _tile_release ();
}

/* Puts side by side what sums begin with. */
static __attribute__ ((noinline)) void
resume_sums (const Y10Tile *t, int tile, int blocks, Sums sums)
{
  for (int n = 0; n < blocks; n++)
    for (int p = 0; p < tile; p++)
      sums[n][p] = resume_sum (t, p, n);
}

Y10_INLINE void
amx_product (const Y10Tile *t, int tile, ptrdiff_t stride, const int halves,
    const int blocks, Sums sums)
{
  const char *w = t->weight;

  if (t->resume) {
    resume_sums (t, tile, blocks, sums);
    _tile_loadd (0, sums[0], Y10_VLEN * 4);
    if (blocks > 1)
      _tile_loadd (1, sums[1], Y10_VLEN * 4);
    if (halves > 1) {
      _tile_loadd (2, sums[0] + AMX_PIXELS, Y10_VLEN * 4);
      if (blocks > 1)
        _tile_loadd (3, sums[1] + AMX_PIXELS, Y10_VLEN * 4);
    }
  } else if (t->bias) {
    _tile_loadd (0, t->bias, 0);
    if (blocks > 1)
      _tile_loadd (1, t->bias + Y10_VLEN, 0);
    if (halves > 1) {
      _tile_loadd (2, t->bias, 0);
      if (blocks > 1)
        _tile_loadd (3, t->bias + Y10_VLEN, 0);
    }
  } else {
    _tile_zero (0);
    _tile_zero (1);
    _tile_zero (2);
    _tile_zero (3);
  }
  for (int b = 0; b < t->n_blocks; b++)
    for (int y = 0; y < t->kh; y++) {
      const char *s = (const char *) t->src + b * t->src_block + y * t->src_row;

      for (int x = 0; x < t->kw; x++, s += PIXEL, w += STEPS * Y10_VLEN * 4) {
        _tile_loadd (6, w, Y10_VLEN * 4);
        _tile_loadd (4, s, stride);
        _tile_dpbf16ps (0, 4, 6);
        if (blocks > 1) {
          _tile_loadd (7, w + t->weight_block, Y10_VLEN * 4);
          _tile_dpbf16ps (1, 4, 7);
        }
        if (halves > 1) {
          _tile_loadd (5, s + AMX_PIXELS * stride, stride);
          _tile_dpbf16ps (2, 5, 6);
          if (blocks > 1)
            _tile_dpbf16ps (3, 5, 7);
        }
      }
    }
  _tile_stored (0, sums[0], Y10_VLEN * 4);
  if (blocks > 1)
    _tile_stored (1, sums[1], Y10_VLEN * 4);
  if (halves > 1) {
    _tile_stored (2, sums[0] + AMX_PIXELS, Y10_VLEN * 4);
    if (blocks > 1)
      _tile_stored (3, sums[1] + AMX_PIXELS, Y10_VLEN * 4);
  }
}

static void
dense (const Y10Tile *t, int tile, int blocks, int stride)
{
  Sums sums;

  if (tile <= AMX_PIXELS && blocks == 1)
    amx_product (t, tile, stride * PIXEL, 1, 1, sums);
  else if (tile <= AMX_PIXELS)
    amx_product (t, tile, stride * PIXEL, 1, 2, sums);
  else if (blocks == 1)
    amx_product (t, tile, stride * PIXEL, 2, 1, sums);
  else
    amx_product (t, tile, stride * PIXEL, 2, 2, sums);
  store_sums (t, sums, tile, blocks);
}
