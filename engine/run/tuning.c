/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What an engine says about the faster ways that its backend looks for while
 * steps run already, and waiting for them. */

#include "config.h"

#include <errno.h>

#include "base/sized.h"
#include "run/internal.h"

void
y10_engine_tuned (gpointer data)
{
  Y10Engine *engine = data;

  pthread_mutex_lock (&engine->lock);
  pthread_cond_broadcast (&engine->changed);
  pthread_mutex_unlock (&engine->lock);
}

/**
 * y10_engine_get_tuning_progress:
 * @engine: an engine
 * @progress: (inout): how far it is; the caller sets its size
 *
 * A backend may go on looking for faster ways to run the network when it
 * already runs: on an NVIDIA GPU convolutions that do their activation, too,
 * take seconds each to build. Each slot takes over what was found when its next
 * step begins. Other backends have nothing to look for, and are finished. Any
 * thread; does not wait and allocates nothing.
 *
 * Since: 0.1
 */
void
y10_engine_get_tuning_progress (Y10Engine *engine, Y10TuningProgress *progress)
{
  Y10TuningProgress p = {.finished = TRUE };

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
 * @until: the time of g_get_monotonic_time() to wait for, or -1 for ever
 * @cancellable: (nullable): gives up early
 * @error: where to say why not
 *
 * Waits until nothing faster is looked for any more, for a benchmark: what is
 * there for everybody else is used as soon as it is found. A slot's next step
 * still takes longer, because it takes over what was found.
 *
 * Returns: %FALSE with %Y10_ERROR_TIMED_OUT or %G_IO_ERROR_CANCELLED
 *
 * Since: 0.1
 */
gboolean
y10_engine_wait_tuned (Y10Engine *engine, gint64 until,
    GCancellable *cancellable, GError **error)
{
  gulong handler = cancellable ? g_cancellable_connect (cancellable,
      G_CALLBACK (wake), engine, NULL) : 0;
  struct timespec t = {.tv_sec = until / G_USEC_PER_SEC,
    .tv_nsec = until % G_USEC_PER_SEC * 1000
  };
  Y10TuningProgress progress = {.size = sizeof progress };
  int result = 0;

  pthread_mutex_lock (&engine->lock);
  y10_engine_get_tuning_progress (engine, &progress);
  while (!progress.finished && result != ETIMEDOUT
      && !g_cancellable_is_cancelled (cancellable)) {
    if (until < 0)
      pthread_cond_wait (&engine->changed, &engine->lock);
    else
      result = pthread_cond_timedwait (&engine->changed, &engine->lock, &t);
    y10_engine_get_tuning_progress (engine, &progress);
  }
  pthread_mutex_unlock (&engine->lock);
  if (handler)
    g_cancellable_disconnect (cancellable, handler);
  if (progress.finished)
    return TRUE;
  if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    g_set_error (error, Y10_ERROR, Y10_ERROR_TIMED_OUT,
        "%u of %u convolutions have been looked at", progress.done,
        progress.total);
  return FALSE;
}
