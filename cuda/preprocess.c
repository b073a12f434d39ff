/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A picture's way to the network's input. The thread that adds a picture copies
 * it from host memory into pinned memory (stage). The device thread only queues
 * the copy to the device (load), and one kernel that reads all pictures of the
 * step (run). The taps of a letterbox are computed and copied when it changes.
 *
 * Pinned memory grows when a picture is larger than all before it at its place in
 * the slot's steps, in the thread that adds it: no step is under way then. */

#include "config.h"

#include <string.h>

#include "core/image.h"
#include "kernels/stem.h"
#include "preprocess.h"

G_STATIC_ASSERT (sizeof (Y10KTap) == sizeof (Y10Tap));
G_STATIC_ASSERT (
    G_STRUCT_OFFSET (Y10KTap, weight) == G_STRUCT_OFFSET (Y10Tap, weight));
G_STATIC_ASSERT (sizeof (Y10ColorTransform) == sizeof (int) * 8);

static gsize
taps_size (const Y10Graph *graph)
{
  return (graph->width + graph->height) * sizeof (Y10KTap);
}

gboolean
y10_cuda_inputs_init (Y10CudaInputs *inputs, Y10Device *device,
    const Y10Graph *graph, guint max_batch, GError **error)
{
  const Y10CudaDriver *d = device->driver;
  gsize taps_at = (max_batch * sizeof (Y10KPicture) + 255) & ~(gsize) 255;
  gsize size = taps_at + max_batch * taps_size (graph);

  inputs->max_batch = max_batch;
  inputs->images = g_new0 (Y10CudaInput, max_batch);
  if (!y10_cuda_check (d,
          d->mem_host_alloc ((void **) &inputs->pictures, size, 0),
          "pinned memory for the pictures' descriptions", error)
      || !y10_cuda_check (d, d->mem_alloc (&inputs->device_pictures, size),
          "memory for the pictures' descriptions", error))
    return FALSE;
  for (guint i = 0; i < max_batch; i++) {
    gsize at = taps_at + i * taps_size (graph);

    inputs->images[i].taps = (Y10KTap *) ((guint8 *) inputs->pictures + at);
    inputs->images[i].device_taps = inputs->device_pictures + at;
  }
  return TRUE;
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
y10_cuda_inputs_clear (Y10CudaInputs *inputs, Y10Device *device)
{
  const Y10CudaDriver *d = device->driver;

  for (guint i = 0; i < inputs->max_batch; i++)
    free_pixels (&inputs->images[i], d);
  g_free (inputs->images);
  if (inputs->pictures)
    d->mem_free_host (inputs->pictures);
  if (inputs->device_pictures)
    d->mem_free (inputs->device_pictures);
}

static gboolean
reserve (Y10CudaInput *input, const Y10CudaDriver *d, gsize size,
    GError **error)
{
  free_pixels (input, d);
  if (!y10_cuda_check (d, d->mem_host_alloc ((void **) &input->pinned, size, 0),
          "pinned memory for a frame", error)
      || !y10_cuda_check (d, d->mem_alloc (&input->device, size),
          "memory for a frame", error)) {
    free_pixels (input, d);
    return FALSE;
  }
  input->size = size;
  return TRUE;
}

/* The part of a plane that the region covers: rows, and bytes of each. */
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

  *r = (PlaneRegion){ .first = G_MAXSIZE };
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

static gsize
staged_size (const Y10Image *image)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (image->format);
  PlaneRegion region;
  gsize size = 0;

  for (guint i = 0; i < info->n_planes; i++)
    if (plane_region (image, info, i, &region))
      size += region.pitch * region.rows;
  return size;
}

gboolean
y10_cuda_input_reserve (Y10CudaInput *input, Y10Device *device,
    const Y10Image *image, GError **error)
{
  gsize size = staged_size (image);

  return size <= input->size || reserve (input, device->driver, size, error);
}

/* The kernel computes addresses as if the whole plane were there. */
gboolean
y10_cuda_input_stage (Y10CudaInput *input, Y10Device *device,
    const Y10Image *image, GError **error)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (image->format);
  guint8 *to;

  input->staged = FALSE;
  if (image->memory != Y10_MEMORY_HOST)
    return TRUE;
  if (!y10_cuda_input_reserve (input, device, image, error))
    return FALSE;
  to = input->pinned;
  for (guint i = 0; i < info->n_planes; i++) {
    PlaneRegion r;

    if (!plane_region (image, info, i, &r))
      continue;
    input->stride[i] = (gint64) r.pitch;
    input->plane[i] = input->device + (to - input->pinned) - r.row * r.pitch
        - r.first;
    for (guint y = 0; y < r.rows; y++, to += r.pitch)
      memcpy (to, image->plane[i] + (r.row + y) * image->stride[i] + r.first,
          r.length);
  }
  input->staged_size = (gsize) (to - input->pinned);
  input->staged = TRUE;
  return TRUE;
}

static gboolean
update_taps (Y10CudaInput *input, const Y10CudaDriver *d, guint width,
    const Y10Letterbox *l, CUstream stream, GError **error)
{
  Y10Tap *taps = (Y10Tap *) input->taps;

  if (input->width == width && memcmp (&input->letterbox, l, sizeof *l) == 0)
    return TRUE;
  for (guint i = 0; i < l->width; i++)
    taps[i] = y10_tap_column (i, width, l->width);
  for (guint i = 0; i < l->height; i++)
    taps[l->width + i] = y10_tap_row (i, l->src_height, l->height);
  memset (&input->letterbox, 0, sizeof input->letterbox);
  if (!y10_cuda_check (d,
          d->memcpy_htod_async (input->device_taps, input->taps,
              (l->width + l->height) * sizeof (Y10KTap), stream),
          "copying the letterbox", error))
    return FALSE;
  input->letterbox = *l;
  input->width = width;
  return TRUE;
}

static void
fill_picture (Y10KPicture *p, const Y10Image *image, const Y10FormatInfo *info,
    const Y10Letterbox *l)
{
  p->x = image->x;
  p->y = image->y;
  p->yuv = info->yuv;
  p->sample_size = info->sample_size;
  for (guint i = 0; i < 3; i++) {
    const Y10Component *c = &info->component[i];

    p->component[i] = (Y10KComponent){ c->plane, c->step, c->offset, c->xshift,
      c->yshift };
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
y10_cuda_inputs_load (Y10CudaInputs *inputs, Y10Device *device, guint i,
    const Y10Image *image, const Y10Letterbox *letterbox, CUstream stream,
    GError **error)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (image->format);
  const Y10CudaDriver *d = device->driver;
  Y10CudaInput *input = &inputs->images[i];
  Y10KPicture *p = &inputs->pictures[i];

  *p = (Y10KPicture){ 0 };
  fill_picture (p, image, info, letterbox);
  p->column = GSIZE_TO_POINTER (input->device_taps);
  p->row = p->column + letterbox->width;
  if (image->memory != Y10_MEMORY_HOST) {
    for (guint k = 0; k < info->n_planes; k++) {
      p->plane[k] = image->plane[k];
      p->stride[k] = image->stride[k];
    }
  } else {
    /* Nobody staged it: a test, or the second run of the same step. */
    if (!input->staged && !y10_cuda_input_stage (input, device, image, error))
      return FALSE;
    input->staged = FALSE;
    for (guint k = 0; k < info->n_planes; k++) {
      p->plane[k] = GSIZE_TO_POINTER (input->plane[k]);
      p->stride[k] = input->stride[k];
    }
    if (!y10_cuda_check (d,
            d->memcpy_htod_async (input->device, input->pinned,
                input->staged_size, stream),
            "copying a frame", error))
      return FALSE;
  }
  inputs->n_loaded = i + 1;
  return update_taps (input, d, image->width, letterbox, stream, error);
}

static gboolean
copy_pictures (const Y10CudaInputs *inputs, const Y10CudaDriver *d,
    CUstream stream, GError **error)
{
  return y10_cuda_check (d,
      d->memcpy_htod_async (inputs->device_pictures, inputs->pictures,
          inputs->n_loaded * sizeof *inputs->pictures, stream),
      "copying the pictures' descriptions", error);
}

gboolean
y10_cuda_inputs_run (Y10CudaInputs *inputs, const Y10Program *program,
    Y10KView out, CUstream stream, GError **error)
{
  const Y10CudaKernels *kernels = &program->device->kernels;
  const Y10KPreprocess p = {
    .pictures = GSIZE_TO_POINTER (inputs->device_pictures),
    .out = out,
    .images = (int) inputs->n_loaded,
  };
  gboolean ok = copy_pictures (inputs, program->device->driver, stream, error);

  inputs->n_loaded = 0;
  return ok
      && y10_cuda_launch (kernels, kernels->preprocess[program->type],
          y10_preprocess_launch (&p), stream, &p, error);
}

gboolean
y10_cuda_inputs_run_stem (Y10CudaInputs *inputs, const Y10Program *program,
    Y10KView out, CUstream stream, GError **error)
{
  const Y10CudaKernels *kernels = &program->device->kernels;
  const Y10Graph *graph = program->plan->graph;
  const Y10KStem p = {
    .pictures = GSIZE_TO_POINTER (inputs->device_pictures),
    .height = (int) graph->height,
    .width = (int) graph->width,
    .out = out,
    .weight = GSIZE_TO_POINTER (program->weights + program->weight[0]),
    .bias = GSIZE_TO_POINTER (program->weights + program->bias[0]),
    .images = (int) inputs->n_loaded,
    .silu = graph->ops[0].act == Y10_ACT_SILU,
  };
  gboolean ok = copy_pictures (inputs, program->device->driver, stream, error);

  inputs->n_loaded = 0;
  return ok
      && y10_cuda_launch (kernels, kernels->stem[program->type],
          y10_stem_launch (&p), stream, &p, error);
}
