/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reports the progress of the backend's search for faster convolutions, which
 * continues while steps run, and waits for its end. */

#include "config.h"

#include "base/sized.h"
#include "run/state.h"
#include "run/shape.h"
#include "run/tuning.h"

void
y10_engine_tuned (gpointer data)
{
  Y10Engine *engine = data;

  pthread_mutex_lock (&engine->lock);
  pthread_cond_broadcast (&engine->changed);
  pthread_mutex_unlock (&engine->lock);
}

static gboolean
request_batch_size (Y10Engine *engine, gpointer n, GError **error)
{
  y10_engine_prepare_batch_size (engine, GPOINTER_TO_UINT (n));
  return TRUE;
}

void
y10_engine_request_batch_size (Y10Engine *engine, guint n)
{
  g_return_if_fail (n >= 1);
  if (n < engine->config.max_batch && engine->backend->request_batch_size)
    y10_engine_call (engine, request_batch_size, GUINT_TO_POINTER (n), NULL);
}

/**
 * y10_engine_get_tuning_progress:
 * @engine: an engine
 * @progress: (inout): progress of the tuning; the caller sets @size
 *
 * A backend may search for faster convolutions while steps already run. On an
 * NVIDIA GPU, building a convolution with a fused activation takes seconds. Each
 * slot adopts what was found when its next step begins. The other backends have
 * nothing to tune and report that they have finished. Any thread; does not block
 * and allocates nothing.
 *
 * Since: 0.1
 */
void
y10_engine_get_tuning_progress (Y10Engine *engine, Y10TuningProgress *progress)
{
  Y10TuningProgress p = { .finished = TRUE };

  if (engine->backend->progress)
    engine->backend->progress (engine->program, &p);
  Y10_SIZED_WRITE (Y10TuningProgress, note, progress, &p);
}

static void
wake (GCancellable *cancellable, gpointer engine)
{
  y10_engine_tuned (engine);
}

/**
 * y10_engine_wait_tuned:
 * @engine: an engine
 * @until: deadline on the clock of g_get_monotonic_time(), microseconds; -1
 *   waits forever
 * @cancellable: (nullable): cancels the wait
 * @error: return location for a #GError, or %NULL
 *
 * Waits until tuning has finished. Meant for benchmarks: other programs need
 * not wait, because steps use each improvement as soon as it is found. The next
 * step of each slot still takes longer, because the slot adopts what was found.
 *
 * Returns: %FALSE with %Y10_ERROR_TIMED_OUT or %G_IO_ERROR_CANCELLED
 *
 * Since: 0.1
 */
gboolean
y10_engine_wait_tuned (Y10Engine *engine, gint64 until,
    GCancellable *cancellable, GError **error)
{
  gulong handler = cancellable
      ? g_cancellable_connect (cancellable, G_CALLBACK (wake), engine, NULL)
      : 0;
  Y10TuningProgress progress = { .size = sizeof progress };
  gboolean in_time = TRUE;

  pthread_mutex_lock (&engine->lock);
  y10_engine_get_tuning_progress (engine, &progress);
  while (!progress.finished && in_time
      && !g_cancellable_is_cancelled (cancellable)) {
    in_time = y10_slot_wait_change (engine, until);
    y10_engine_get_tuning_progress (engine, &progress);
  }
  pthread_mutex_unlock (&engine->lock);
  if (handler)
    g_cancellable_disconnect (cancellable, handler);
  if (progress.finished)
    return TRUE;
  if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    g_set_error (error, Y10_ERROR, Y10_ERROR_TIMED_OUT,
        "timed out: %u of %u convolutions have been tuned", progress.done,
        progress.total);
  return FALSE;
}
