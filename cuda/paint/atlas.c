/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* An atlas of texts on the GPU, stored one after the other. The atlas has no list:
 * each text stores its offset and the serial of the atlas, a process-wide unique
 * number that changes when the atlas is emptied. A full atlas is emptied, and
 * texts still in use are copied again. That costs less than tracking their use,
 * and since copies are ordered by the stream, nothing waits. */

#include "config.h"

#include "paint/atlas.h"

#define FIRST_SIZE ((gsize) 4 << 20)
#define LAST_SIZE \
  ((gsize) 64 << 20) /* maximum size, unless one text is larger */
#define ALIGN 16

static gsize
next_serial (void)
{
  static gsize last; /* atomic; the last serial, 0: none */

  return (gsize) g_atomic_pointer_add (&last, 1) + 1;
}

gboolean
y10_cuda_atlas_init (Y10CudaAtlas *atlas, const Y10CudaDriver *driver,
    GError **error)
{
  *atlas = (Y10CudaAtlas){ .size = FIRST_SIZE, .serial = next_serial () };
  return y10_cuda_check (driver, driver->mem_alloc (&atlas->data, atlas->size),
      "memory for texts", error);
}

void
y10_cuda_atlas_clear (Y10CudaAtlas *atlas, const Y10CudaDriver *driver)
{
  if (atlas->data)
    driver->mem_free (atlas->data);
  atlas->data = 0;
}

void
y10_cuda_atlas_empty (Y10CudaAtlas *atlas, gboolean again)
{
  if (again)
    atlas->wanted = MIN (2 * atlas->size, LAST_SIZE);
  atlas->used = 0;
  atlas->serial = next_serial ();
}

/* Replaces the atlas by an empty one of @size bytes. */
static gboolean
grow (Y10CudaAtlas *atlas, const Y10CudaDriver *d, gsize size, CUstream stream,
    GError **error)
{
  CUdeviceptr data;

  if (!y10_cuda_check (d, d->mem_alloc (&data, size), "memory for texts",
          error))
    return FALSE;
  if (!y10_cuda_check (d, d->stream_synchronize (stream),
          "waiting for what was drawn", error)) {
    d->mem_free (data);
    return FALSE;
  }
  d->mem_free (atlas->data);
  atlas->data = data;
  atlas->size = size;
  return TRUE;
}

/* The driver reads pageable host memory before the call returns. */
static gboolean
copy (const Y10CudaAtlas *atlas, const Y10CudaDriver *d, gsize place,
    const guint8 *from, gsize size, CUstream stream, GError **error)
{
  return !size
      || y10_cuda_check (d,
          d->memcpy_htod_async (atlas->data + place, from, size, stream),
          "copying a text", error);
}

Y10CudaAtlasResult
y10_cuda_atlas_add (Y10CudaAtlas *atlas, const Y10CudaDriver *driver,
    Y10PaintText *text, CUstream stream, GError **error)
{
  gsize full = (gsize) text->width * text->height;
  gsize half = text->half ? (gsize) text->half_width * text->half_height : 0;
  gsize size = (full + half + ALIGN - 1) / ALIGN * ALIGN;

  if (text->serial == atlas->serial)
    return Y10_CUDA_ATLAS_THERE;
  if (atlas->used && size > atlas->size - atlas->used)
    return Y10_CUDA_ATLAS_FULL;
  if (!atlas->used && MAX (size, atlas->wanted) > atlas->size
      && !grow (atlas, driver, MAX (size, atlas->wanted), stream, error))
    return Y10_CUDA_ATLAS_FAILED;
  if (!copy (atlas, driver, atlas->used, text->full, full, stream, error)
      || !copy (atlas, driver, atlas->used + full, text->half, half, stream,
          error))
    return Y10_CUDA_ATLAS_FAILED;
  text->place = atlas->used;
  text->serial = atlas->serial;
  atlas->used += size;
  return Y10_CUDA_ATLAS_THERE;
}
