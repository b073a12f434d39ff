/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A picture's way to the network's input. What lies in host memory is copied
 * into pinned memory, so that the caller has its pixels back at once and the
 * copy to the device is a real asynchronous one; the buffers grow when frames
 * do. The taps of the letterbox are computed when it changes, and copied with
 * every picture: 15 KB cost less than knowing whether they are there. */

#include "config.h"

#include <string.h>

#include "cuda.h"
#include "core/image.h"

G_STATIC_ASSERT (sizeof (Y10KTap) == sizeof (Y10Tap));
G_STATIC_ASSERT (G_STRUCT_OFFSET (Y10KTap, weight)
    == G_STRUCT_OFFSET (Y10Tap, weight));
G_STATIC_ASSERT (sizeof (Y10ColorTransform) == sizeof (int) * 8);

static gsize
taps_size (const Y10Graph *graph)
{
  return (graph->width + graph->height) * sizeof (Y10KTap);
}

gboolean
y10_cuda_input_init (Y10CudaInput *input, Y10Device *device,
    const Y10Graph *graph, GError **error)
{
  const Y10CudaDriver *d = device->driver;

  return y10_cuda_check (d, d->mem_host_alloc ((void **) &input->taps,
          taps_size (graph), 0), "pinned memory", error)
      && y10_cuda_check (d, d->mem_alloc (&input->device_taps,
          taps_size (graph)), "memory for the letterbox", error);
}

static void
free_pixels (Y10CudaInput *input, const Y10CudaDriver *d)
{
  if (input->pinned)
    d->mem_free_host (input->pinned);
  if (input->device)
    d->mem_free (input->device);
  input->pinned = NULL;
  input->device = 0;
  input->size = 0;
}

void
y10_cuda_input_clear (Y10CudaInput *input, Y10Device *device)
{
  const Y10CudaDriver *d = device->driver;

  free_pixels (input, d);
  if (input->taps)
    d->mem_free_host (input->taps);
  if (input->device_taps)
    d->mem_free (input->device_taps);
}

static gboolean
reserve (Y10CudaInput *input, const Y10CudaDriver *d, gsize size,
    GError **error)
{
  if (input->size >= size)
    return TRUE;
  free_pixels (input, d);
  if (!y10_cuda_check (d, d->mem_host_alloc ((void **) &input->pinned, size,
              0), "pinned memory for a frame", error)
      || !y10_cuda_check (d, d->mem_alloc (&input->device, size),
          "memory for a frame", error)) {
    free_pixels (input, d);
    return FALSE;
  }
  input->size = size;
  return TRUE;
}

/* The bytes of each row, and the rows, of a plane that the region touches. */
typedef struct
{
  gsize first, length, pitch;
  guint row, rows;
} PlaneRegion;

static gboolean
plane_region (const Y10Image *image, const Y10FormatInfo *info, guint plane,
    PlaneRegion *r)
{
  gsize end = 0;

  *r = (PlaneRegion) { .first = G_MAXSIZE };
  for (guint i = 0; i < 3; i++) {
    const Y10Component *c = &info->component[i];
    guint right = image->x + image->width - 1;
    guint bottom = image->y + image->height - 1;

    if (c->plane != plane)
      continue;
    r->first = MIN (r->first, (gsize) (image->x >> c->xshift) * c->step);
    end = MAX (end, (gsize) ((right >> c->xshift) + 1) * c->step);
    r->row = image->y >> c->yshift;
    r->rows = (bottom >> c->yshift) + 1 - r->row;
  }
  if (!end)
    return FALSE;
  r->length = end - r->first;
  r->pitch = (r->length + 15) / 16 * 16;
  return TRUE;
}

/* The kernel computes addresses as if the whole plane were there. */
static gboolean
copy_planes (Y10CudaInput *input, const Y10CudaDriver *d,
    const Y10Image *image, const Y10FormatInfo *info, Y10KPreprocess *p,
    CUstream stream, GError **error)
{
  PlaneRegion regions[4];
  gsize size = 0;
  guint8 *to;

  for (guint i = 0; i < info->n_planes; i++)
    if (plane_region (image, info, i, &regions[i]))
      size += regions[i].pitch * regions[i].rows;
  if (!reserve (input, d, size, error))
    return FALSE;
  to = input->pinned;
  for (guint i = 0; i < info->n_planes; i++) {
    PlaneRegion *r = &regions[i];

    p->stride[i] = r->pitch;
    p->plane[i] = GSIZE_TO_POINTER (input->device + (to - input->pinned)
        - r->row * r->pitch - r->first);
    for (guint y = 0; y < r->rows; y++, to += r->pitch)
      memcpy (to, image->plane[i] + (r->row + y) * image->stride[i]
          + r->first, r->length);
  }
  return y10_cuda_check (d, d->memcpy_htod_async (input->device,
          input->pinned, size, stream), "copying a frame", error);
}

static gboolean
copy_taps (Y10CudaInput *input, const Y10CudaDriver *d,
    const Y10Letterbox *l, Y10KPreprocess *p, CUstream stream,
    GError **error)
{
  Y10Tap *taps = (Y10Tap *) input->taps;

  if (memcmp (&input->letterbox, l, sizeof *l) != 0) {
    for (guint i = 0; i < l->width; i++)
      taps[i] = y10_tap_column (i, l->src_width, l->width);
    for (guint i = 0; i < l->height; i++)
      taps[l->width + i] = y10_tap_row (i, l->src_height, l->height);
    input->letterbox = *l;
  }
  p->column = GSIZE_TO_POINTER (input->device_taps);
  p->row = p->column + l->width;
  return y10_cuda_check (d, d->memcpy_htod_async (input->device_taps,
          input->taps, (l->width + l->height) * sizeof (Y10KTap), stream),
      "copying the letterbox", error);
}

static void
fill_params (Y10KPreprocess *p, const Y10Image *image,
    const Y10FormatInfo *info, const Y10Letterbox *l)
{
  p->x = image->x;
  p->y = image->y;
  p->yuv = info->yuv;
  p->sample_size = info->sample_size;
  for (guint i = 0; i < 3; i++) {
    const Y10Component *c = &info->component[i];

    p->component[i] = (Y10KComponent) {
      c->plane, c->step, c->offset, c->xshift, c->yshift
    };
  }
  if (info->yuv)
    y10_color_transform_init ((Y10ColorTransform *) p->color, image->matrix,
        image->full_range, info->sample_size == 2 ? 10 : 8);
  p->left = l->left;
  p->top = l->top;
  p->width = l->width;
  p->height = l->height;
}

gboolean
y10_cuda_input_load (Y10CudaInput *input, const Y10Program *program,
    const Y10Image *image, const Y10Letterbox *letterbox, Y10KView out,
    CUstream stream, GError **error)
{
  const Y10CudaKernels *kernels = &program->device->kernels;
  const Y10CudaDriver *d = program->device->driver;
  const Y10FormatInfo *info = y10_pixel_format_get_info (image->format);
  Y10KPreprocess p = {.out = out };

  fill_params (&p, image, info, letterbox);
  if (image->memory == Y10_MEMORY_HOST) {
    if (!copy_planes (input, d, image, info, &p, stream, error))
      return FALSE;
  } else {
    for (guint i = 0; i < info->n_planes; i++) {
      p.plane[i] = image->plane[i];
      p.stride[i] = image->stride[i];
    }
  }
  return copy_taps (input, d, letterbox, &p, stream, error)
      && y10_cuda_launch (kernels, kernels->preprocess[program->type],
      y10_preprocess_launch (&p), stream, &p, error);
}
