/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Prepares op plans for more batch sizes while steps run. cuDNN's heuristics
 * take a millisecond or more for each convolution; one thread asks them, one
 * batch size after the other, the smallest first. It publishes what it made,
 * and each slot takes that over between two of its steps (takeover.c). A slot
 * runs a number of images that nothing is prepared for as the next larger one. */

#include "config.h"

#include <sys/resource.h>

#include "prepare.h"
#include "program.h"

#define NICENESS 10 /* frames come first */

struct _Y10CudaPreparer
{
  Y10Program *program;
  Y10TuneChanged changed;
  gpointer data;
  GCancellable *cancellable;
  CUstream stream; /* biases are read on it */
  pthread_t thread;
  gboolean running;

  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t work;
  guint64 wanted; /* bit n - 1: n images */
  gboolean busy;
};

static void
count (Y10CudaPreparer *preparer, int n)
{
  g_atomic_int_add (&preparer->program->base->n_preparing, n);
}

/* 0: end the thread. */
static guint
wait_for_size (Y10CudaPreparer *preparer)
{
  guint n = 0;

  pthread_mutex_lock (&preparer->lock);
  if (preparer->busy)
    count (preparer, -1);
  preparer->busy = FALSE;
  if (!preparer->wanted) {
    pthread_mutex_unlock (&preparer->lock);
    preparer->changed (preparer->data);
    pthread_mutex_lock (&preparer->lock);
  }
  while (
      !preparer->wanted && !g_cancellable_is_cancelled (preparer->cancellable))
    pthread_cond_wait (&preparer->work, &preparer->lock);
  if (!g_cancellable_is_cancelled (preparer->cancellable)) {
    n = y10_cuda_smallest_size (preparer->wanted, 1);
    preparer->wanted &= ~Y10_CUDA_SIZE_BIT (n);
    preparer->busy = TRUE;
  }
  pthread_mutex_unlock (&preparer->lock);
  return n;
}

static void *
prepare_thread (void *data)
{
  Y10CudaPreparer *preparer = data;
  Y10Device *device = preparer->program->device;
  gboolean entered = y10_cuda_enter (device, NULL);
  guint n;

  setpriority (PRIO_PROCESS, 0, NICENESS); /* Linux: of this thread */
  while ((n = wait_for_size (preparer)) > 0) {
    g_autoptr (GError) error = NULL;
    Y10CudaOpPlans *batch = entered
        ? y10_cuda_program_prepare (preparer->program, n, preparer->stream,
            preparer->cancellable, &error)
        : NULL;

    if (!batch && !g_cancellable_is_cancelled (preparer->cancellable))
      g_message ("CUDA: steps of %u images run as larger ones: %s", n,
          error ? error->message : "the context cannot be entered");
    y10_cuda_op_plans_unref (batch);
  }
  if (entered)
    y10_cuda_leave (device);
  return NULL;
}

Y10CudaPreparer *
y10_cuda_preparer_new (Y10Program *program, Y10TuneChanged changed,
    gpointer data, GError **error)
{
  Y10CudaPreparer *preparer = g_new0 (Y10CudaPreparer, 1);
  const Y10CudaDriver *d = program->device->driver;

  preparer->program = program;
  preparer->changed = changed;
  preparer->data = data;
  preparer->cancellable = g_cancellable_new ();
  pthread_mutex_init (&preparer->lock, NULL);
  pthread_cond_init (&preparer->work, NULL);
  if (!y10_cuda_check (d,
          d->stream_create (&preparer->stream, Y10_CU_STREAM_NON_BLOCKING, 0),
          "a stream", error)) {
    y10_cuda_preparer_free (preparer);
    return NULL;
  }
  preparer->running = pthread_create (&preparer->thread, NULL, prepare_thread,
                          preparer)
      == 0;
  if (preparer->running)
    return preparer;
  g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
      "cannot start the thread that prepares batch sizes");
  y10_cuda_preparer_free (preparer);
  return NULL;
}

void
y10_cuda_preparer_free (Y10CudaPreparer *preparer)
{
  if (!preparer)
    return;
  pthread_mutex_lock (&preparer->lock);
  g_cancellable_cancel (preparer->cancellable);
  pthread_cond_signal (&preparer->work);
  pthread_mutex_unlock (&preparer->lock);
  if (preparer->running)
    pthread_join (preparer->thread, NULL);
  count (preparer, -__builtin_popcountll (preparer->wanted));
  if (preparer->stream)
    preparer->program->device->driver->stream_destroy (preparer->stream);
  g_object_unref (preparer->cancellable);
  pthread_mutex_destroy (&preparer->lock);
  pthread_cond_destroy (&preparer->work);
  g_free (preparer);
}

void
y10_cuda_preparer_add (Y10CudaPreparer *preparer, guint n)
{
  pthread_mutex_lock (&preparer->lock);
  if (!(preparer->wanted & Y10_CUDA_SIZE_BIT (n)))
    count (preparer, 1);
  preparer->wanted |= Y10_CUDA_SIZE_BIT (n);
  pthread_cond_signal (&preparer->work);
  pthread_mutex_unlock (&preparer->lock);
}
