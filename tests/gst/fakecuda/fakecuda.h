/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A libcuda.so.1 with two GPUs that are host memory, for GStreamer's CUDA
 * library and our own code to load: contexts, memory and streams work, kernels
 * where a test lends something that runs them. Device addresses carry a bit
 * that no pointer has, so that reading one on the host ends the test. */

#include <glib.h>

G_BEGIN_DECLS

#define FAKE_CUDA_DEVICES 2
#define FAKE_CUDA_TAG ((guint64) 1 << 62)

typedef gboolean (*FakeCudaLaunch) (const char *kernel, const guint grid[3],
    const guint block[3], guint shared_bytes, const void *params);

typedef struct
{
  gboolean broken;              /* to be set: cuInit() fails */
  gint primaries[FAKE_CUDA_DEVICES];    /* retained and not released */
  gint contexts;                /* created and not destroyed */
  gint allocations;             /* of device memory, not freed */
  gint allocated;               /* of device and pinned memory, ever */
  gint misuses;                 /* calls that the driver would not forgive */
  /* Bytes that went from host to device and back: of planes, of plain memory. */
  gsize planes_copied, bytes_copied;
  /* To be set: runs a kernel whose pointers the host can read. Without it none
   * can be run. */
  FakeCudaLaunch launch;
  gint launches;

  /* What the backend cuda of these tests was told. */
  gint opened, images;
  gboolean lost;                /* to be set: it is, until opened again */
  gpointer context, stream;
} FakeCuda;

extern FakeCuda fake_cuda;

G_END_DECLS
