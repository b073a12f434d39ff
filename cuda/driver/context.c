/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Contexts of devices that were given none. The primary context is the first
 * choice: the decoder, GStreamer and the CUDA runtime use it too, and frames
 * need no copy between contexts. Other code in the process holds objects in it,
 * so it is never reset. A lost primary context stays lost until the last of its
 * users releases it; until then our devices share a context of their own, as
 * the elements do (gst/common/cuda.c). */

#include "config.h"

#include <pthread.h>
#include <y10/error.h>

#include "driver/context.h"

struct _Y10CudaContext
{
  const Y10CudaDriver *driver;
  CUcontext handle;
  CUdevice id;
  gboolean primary;
  guint users; /* lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GSList *contexts; /* lock; not owned */

/* Calls in a lost context return the error that it was lost by. */
static gboolean
is_usable (const Y10CudaDriver *d, CUcontext handle)
{
  size_t unused[2];
  CUcontext popped;
  int result = d->ctx_push (handle);

  if (result == Y10_CU_SUCCESS) {
    result = d->mem_get_info (&unused[0], &unused[1]);
    d->ctx_pop (&popped);
  }
  return !y10_cuda_is_lost (result);
}

static Y10CudaContext *
find (CUdevice id)
{
  for (GSList *l = contexts; l; l = l->next) {
    Y10CudaContext *context = l->data;

    if (context->id == id && is_usable (context->driver, context->handle))
      return context;
  }
  return NULL;
}

/* Retaining a lost primary context succeeds. */
static gboolean
retain_primary (Y10CudaContext *context, GError **error)
{
  const Y10CudaDriver *d = context->driver;

  if (!y10_cuda_check (d, d->primary_ctx_retain (&context->handle, context->id),
          "taking the GPU's primary context", error))
    return FALSE;
  context->primary = is_usable (d, context->handle);
  if (!context->primary)
    d->primary_ctx_release (context->id);
  return TRUE;
}

static gboolean
create (Y10CudaContext *context, GError **error)
{
  const Y10CudaDriver *d = context->driver;
  CUcontext popped;

  if (!y10_cuda_check (d, d->ctx_create (&context->handle, 0, context->id),
          "creating a context to replace the lost one", error))
    return FALSE;
  d->ctx_pop (&popped);
  return TRUE;
}

Y10CudaContext *
y10_cuda_context_take (const Y10CudaDriver *driver, CUdevice id, GError **error)
{
  Y10CudaContext *context;

  pthread_mutex_lock (&lock);
  context = find (id);
  if (!context) {
    context = g_new0 (Y10CudaContext, 1);
    context->driver = driver;
    context->id = id;
    if (retain_primary (context, error)
        && (context->primary || create (context, error)))
      contexts = g_slist_prepend (contexts, context);
    else
      g_clear_pointer (&context, g_free);
  }
  if (context)
    context->users++;
  pthread_mutex_unlock (&lock);
  return context;
}

CUcontext
y10_cuda_context_get (const Y10CudaContext *context)
{
  return context->handle;
}

void
y10_cuda_context_release (Y10CudaContext *context)
{
  if (!context)
    return;
  pthread_mutex_lock (&lock);
  if (--context->users == 0) {
    contexts = g_slist_remove (contexts, context);
    if (context->primary)
      context->driver->primary_ctx_release (context->id);
    else
      context->driver->ctx_destroy (context->handle);
    g_free (context);
  }
  pthread_mutex_unlock (&lock);
}
