/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Location of views in the arena, and padded patches of them. */

#include "config.h"

#include <string.h>

#include "cpu/cpu.h"

Y10CpuPlane
y10_cpu_plane (const Y10Plan *plan, Y10View v)
{
  const Y10Tensor *t = &plan->graph->tensors[v.tensor];
  const Y10Storage *s = &plan->storage[v.tensor];

  if (!v.n)
    return (Y10CpuPlane){
      0,
    };
  return (Y10CpuPlane){
    .offset = y10_plan_view_offset (plan, v),
    .block = (gsize) t->height * t->width * s->block * s->elem_size,
    .n_blocks = y10_plan_view_padded (plan, v) / s->block,
    .height = t->height,
    .width = t->width,
    .pixel = (gsize) s->block * s->elem_size,
  };
}

static void
fill_pixels (guint8 *to, gsize size, const guint8 *fill, gsize pixel)
{
  if (!fill)
    memset (to, 0, size);
  else
    for (gsize i = 0; i < size; i += pixel)
      memcpy (to + i, fill, pixel);
}

const guint8 *
y10_cpu_patch (const guint8 *block, gsize pixel, guint height, guint width,
    gint y, gint x, guint rows, guint columns, const guint8 *fill, guint8 *copy,
    gsize *row_stride)
{
  gsize left = MIN ((guint) MAX (-x, 0), columns) * pixel;
  gint end = MIN (x + (gint) columns, (gint) width), begin = MAX (x, 0);
  gsize middle = MAX (end - begin, 0) * pixel, right;

  if (y >= 0 && x >= 0 && y + rows <= height && x + columns <= width) {
    *row_stride = width * pixel;
    return block + ((gsize) y * width + x) * pixel;
  }
  *row_stride = columns * pixel;
  right = *row_stride - left - middle;
  for (guint i = 0; i < rows; i++, copy += *row_stride) {
    gint sy = y + (gint) i;

    if (sy < 0 || sy >= (gint) height) {
      fill_pixels (copy, *row_stride, fill, pixel);
      continue;
    }
    fill_pixels (copy, left, fill, pixel);
    memcpy (copy + left, block + ((gsize) sy * width + begin) * pixel, middle);
    fill_pixels (copy + left + middle, right, fill, pixel);
  }
  return copy - rows * *row_stride;
}
