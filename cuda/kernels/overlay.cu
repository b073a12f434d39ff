/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Draws the output of yolov10overlay on frames in CUDA memory. A block tests all
 * items, 256 at a time, one per thread, and draws those that intersect its 64x16
 * pixels, in order. Each thread draws its 2x2 pixels directly in global memory,
 * since most pixels of a frame are never touched. */

#include "overlay.h"
#include "types.cuh"

#define Y10_OVERLAY_WARPS 8 /* per block, in all three kernels */

static __device__ __forceinline__ int
y10_get_sample (const unsigned char *at, int wide)
{
  return wide ? *(const unsigned short *) at : *at;
}

static __device__ __forceinline__ void
y10_put_sample (unsigned char *at, int wide, int value)
{
  if (wide)
    *(unsigned short *) at = (unsigned short) value;
  else
    *at = (unsigned char) value;
}

/* Draws component i of the item on the thread's 2x2 pixels at x, y. Chroma samples
 * that the item covers in part are drawn as a whole. */
static __device__ __forceinline__ void
y10_draw_component (const Y10KOverlay &p, const Y10KOverlayItem &item, int i,
    int x, int y)
{
  const Y10KOverlayComponent &c = p.component[i];
  const int left = item.x0 >> c.x_shift, top = item.y0 >> c.y_shift;
  const int x0 = max (x >> c.x_shift, left), y0 = max (y >> c.y_shift, top);
  const int x1 = min ((x + 2) >> c.x_shift, (item.x1 + c.x_shift) >> c.x_shift);
  const int y1 = min ((y + 2) >> c.y_shift, (item.y1 + c.y_shift) >> c.y_shift);
  const bool sub = c.x_shift || c.y_shift;
  const int color = item.color[i];

  if (item.kind == Y10_K_SHADE && sub)
    return;
  for (int sy = y0; sy < y1; sy++) {
    for (int sx = x0; sx < x1; sx++) {
      unsigned char *at = c.data + sy * c.stride + (long long) sx * c.step;
      int value = color;

      if (item.kind == Y10_K_SHADE) {
        const int old = y10_get_sample (at, p.wide);

        value = old + ((color - old) * item.alpha + 128) / 256;
      } else if (item.kind == Y10_K_TEXT) {
        const int stride = sub ? item.half_stride : item.full_stride;
        const unsigned char *mask = p.atlas + (sub ? item.half : item.full);

        value += (item.ink[i] - color) * mask[(sy - top) * stride + sx - left]
            / 255;
      }
      y10_put_sample (at, p.wide, value);
    }
  }
}

extern "C" __global__ void __launch_bounds__ (256, 4)
    y10_overlay (Y10KOverlay p)
{
  __shared__ unsigned int touching[Y10_OVERLAY_WARPS];
  const int thread = (int) (threadIdx.y * 32 + threadIdx.x);
  const int block_x = p.x0 + (int) blockIdx.x * 64;
  const int block_y = p.y0 + (int) blockIdx.y * 16;
  const int x = block_x + 2 * (int) threadIdx.x;
  const int y = block_y + 2 * (int) threadIdx.y;

  for (int first = 0; first < p.n_items; first += 32 * Y10_OVERLAY_WARPS) {
    bool touches = false;
    unsigned int mask;

    if (first + thread < p.n_items) {
      const Y10KOverlayItem &item = p.items[first + thread];

      touches = item.x0 < block_x + 64 && item.x1 > block_x
          && item.y0 < block_y + 16 && item.y1 > block_y;
    }
    mask = __ballot_sync (0xffffffffu, touches);
    if (threadIdx.x == 0)
      touching[threadIdx.y] = mask;
    __syncthreads ();
    for (int w = 0; w < Y10_OVERLAY_WARPS; w++) {
      for (mask = touching[w]; mask; mask &= mask - 1) {
        const Y10KOverlayItem &item =
            p.items[first + 32 * w + __ffs ((int) mask) - 1];

        for (int i = 0; i < p.n_components; i++)
          y10_draw_component (p, item, i, x, y);
      }
    }
    __syncthreads ();
  }
}

/* One block per cell and component. Integer sums do not depend on the order of
 * the additions. */
extern "C" __global__ void __launch_bounds__ (256)
    y10_overlay_means (Y10KBlur p)
{
  __shared__ unsigned long long sums[Y10_OVERLAY_WARPS];
  const Y10KOverlayComponent &c = p.component[blockIdx.z];
  const Y10KBlurArea &a = p.area[blockIdx.z];
  const int column = (int) blockIdx.x, row = (int) blockIdx.y;
  unsigned long long sum = 0;
  int x0, y0, width, count;

  if (column >= a.columns || row >= a.rows)
    return;
  x0 = (int) ((long long) column * a.width / a.columns);
  width = (int) ((column + 1LL) * a.width / a.columns) - x0;
  y0 = (int) ((long long) row * a.height / a.rows);
  count = width * ((int) ((row + 1LL) * a.height / a.rows) - y0);
  for (int i = (int) threadIdx.x; i < count; i += 32 * Y10_OVERLAY_WARPS)
    sum += y10_get_sample (c.data + (a.y + y0 + i / width) * c.stride
            + (a.x + x0 + i % width) * (long long) c.step,
        p.wide);
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_down_sync (0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = sum;
  __syncthreads ();
  if (threadIdx.x == 0) {
    for (int w = 1; w < Y10_OVERLAY_WARPS; w++)
      sum += sums[w];
    p.means[(blockIdx.z * Y10_K_MAX_CELLS + row) * Y10_K_MAX_CELLS + column] =
        (unsigned int) (sum / count);
  }
}

/* Returns the position of sample i between the centres of cells, in 1/65536 of a
 * cell. 0 is the centre of a virtual cell before the first, which has the
 * first one's value. */
static __device__ __forceinline__ unsigned int
y10_cell_position (int count, int length, int i)
{
  const unsigned int step = (unsigned int) (((unsigned long long) count << 16)
      / length);

  return step / 2 + 32768 + (unsigned int) i * step;
}

extern "C" __global__ void __launch_bounds__ (256) y10_overlay_blur (Y10KBlur p)
{
  const Y10KOverlayComponent &c = p.component[blockIdx.z];
  const Y10KBlurArea &a = p.area[blockIdx.z];
  const unsigned int *means = p.means
      + blockIdx.z * Y10_K_MAX_CELLS * Y10_K_MAX_CELLS;
  const int x = (int) (blockIdx.x * 32 + threadIdx.x);
  const int y = (int) (blockIdx.y * 8 + threadIdx.y);
  unsigned int down, along, part, cell[2];
  const unsigned int *above, *below;

  if (x >= a.width || y >= a.height)
    return;
  down = y10_cell_position (a.rows, a.height, y);
  along = y10_cell_position (a.columns, a.width, x);
  above = means
      + min (max ((int) (down >> 16) - 1, 0), a.rows - 1) * Y10_K_MAX_CELLS;
  below = means + min ((int) (down >> 16), a.rows - 1) * Y10_K_MAX_CELLS;
  part = down >> 9 & 127;
  for (int i = 0; i < 2; i++) {
    const int column = min (max ((int) (along >> 16) - 1 + i, 0),
        a.columns - 1);

    cell[i] = above[column] * (128 - part) + below[column] * part;
  }
  part = along >> 8 & 255;
  y10_put_sample (c.data + (a.y + y) * c.stride
          + (a.x + x) * (long long) c.step,
      p.wide,
      (int) ((cell[0] * (256 - part) + cell[1] * part + (1 << 14)) >> 15));
}
