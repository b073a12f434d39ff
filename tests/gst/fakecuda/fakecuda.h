/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A libcuda.so.1 with two GPUs that are host memory, for GStreamer's CUDA
 * library and our own code to load: contexts, memory and streams work; kernels
 * do if a test sets a function that runs them. Device addresses have a bit set
 * that no pointer has, so that reading one on the host ends the test. */

#include <glib.h>

G_BEGIN_DECLS

#define FAKE_CUDA_DEVICES 2
#define FAKE_CUDA_TAG ((guint64) 1 << 62)

typedef gboolean (*FakeCudaLaunch) (const char *kernel, const guint grid[3],
    const guint block[3], guint shared_bytes, const void *params);

typedef struct
{
  gboolean broken;                   /* set by tests: cuInit() fails */
  gboolean absent;                   /* set by tests: the backend cannot run */
  gint primaries[FAKE_CUDA_DEVICES]; /* retained and not released */
  gint contexts;                     /* created and not destroyed */
  gint allocations;                  /* of device memory, not freed */
  gint allocated;                    /* of device and pinned memory, in total */
  gint misuses; /* calls that a real driver would not survive */
  /* Bytes copied from host to device and back: of planes, of linear memory. */
  gsize planes_copied, bytes_copied;
  /* Set by tests: runs a kernel whose pointers the host can read. NULL: no
   * kernel can run. */
  FakeCudaLaunch launch;
  gint launches;

  /* Recorded by the tests' backend cuda (fakebackend.c). */
  gint opened, images;
  gboolean lost; /* set by tests: lost, until a device is opened again */
  gpointer context, stream;
} FakeCuda;

extern FakeCuda fake_cuda;

G_END_DECLS
