/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A GPU's primary context, when nobody has given us one. A lost one is lost for
 * the whole process and lives for as long as somebody holds it, and libraries
 * may never let go; so it is reset, but only by the last of our devices: what
 * another one still has there would else be freed once more, in a new context
 * that has other things at those addresses. */

#include "config.h"

#include <pthread.h>

#include "driver/primary.h"

#define MAX_GPUS 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static guint holders[MAX_GPUS];

gboolean
y10_cuda_primary_retain (const Y10CudaDriver *driver, CUdevice id,
    CUcontext *context, GError **error)
{
  gboolean ok;

  pthread_mutex_lock (&lock);
  ok = y10_cuda_check (driver, driver->primary_ctx_retain (context, id),
      "taking the GPU's primary context", error);
  if (ok && id < MAX_GPUS)
    holders[id]++;
  pthread_mutex_unlock (&lock);
  return ok;
}

void
y10_cuda_primary_release (const Y10CudaDriver *driver, CUdevice id,
    gboolean lost)
{
  pthread_mutex_lock (&lock);
  if (id < MAX_GPUS && --holders[id] == 0 && lost)
    driver->primary_ctx_reset (id);
  driver->primary_ctx_release (id);
  pthread_mutex_unlock (&lock);
}
