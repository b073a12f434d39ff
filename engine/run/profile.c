/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Measures a network op by op, on the device thread and between steps: the times that
 * `y10 bench` prints. */

#include "config.h"

#include <stdlib.h>

#include "base/clock.h"
#include "run/engine.h"

typedef struct
{
  Y10EngineSlot *slot;
  guint runs;
  gint64 *ns; /* runs × (ops + 2) */
} Profile;

static gboolean
profile_runs (Y10Engine *engine, gpointer data, GError **error)
{
  const Y10BackendClass *backend = engine->backend;
  Profile *p = data;
  guint n = engine->graph->n_ops;

  for (guint run = 0; run < p->runs; run++) {
    gint64 *ns = p->ns + (gsize) run * (n + 2), start = y10_clock_ns ();

    if (!y10_engine_load_images (engine, p->slot, error))
      return FALSE;
    ns[0] = y10_clock_ns () - start;
    for (guint k = 0; k < n; k++) {
      if (!backend->submit (p->slot->slot, 1, k, k + 1, error)
          || (backend->wait && !backend->wait (p->slot->slot, error)))
        return FALSE;
      backend->times (p->slot->slot, &ns[k + 1], &ns[n + 1]);
    }
  }
  return TRUE;
}

static int
compare_ns (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

/**
 * y10_engine_profile:
 * @engine: an engine
 * @runs: number of runs, at least 1
 * @ns_per_op: (out caller-allocates): median time of each op of
 *   y10_engine_get_op(), nanoseconds
 * @error: return location for a #GError, or %NULL
 *
 * Runs the network op by op and measures each op. The sum exceeds the time of a
 * step, because ops that a backend runs together are separate here.
 *
 * Returns: %FALSE with %Y10_ERROR_BUSY or a device error
 *
 * Since: 0.1
 */
gboolean
y10_engine_profile (Y10Engine *engine, guint runs, gint64 *ns_per_op,
    GError **error)
{
  guint n = engine->graph->n_ops + 2;
  guint width = engine->config.width, height = engine->config.height;
  g_autofree gint64 *ns = g_new0 (gint64, (gsize) runs * n);
  g_autofree gint64 *column = g_new (gint64, runs);
  g_autofree guint8 *pixels = g_malloc ((gsize) width * height * 3);
  Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_RGB,
    .width = width,
    .height = height,
    .plane = { pixels },
    .stride = { (gsize) width * 3 },
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Profile profile = { .runs = runs, .ns = ns };
  Y10Step step;
  gboolean ok;

  g_return_val_if_fail (runs > 0, FALSE);
  for (gsize i = 0; i < (gsize) width * height * 3; i++)
    pixels[i] = (i * 2654435761u) >> 24;
  params.max_detections = MIN (params.max_detections,
      engine->config.max_detections);
  if (!y10_step_begin (engine, 0, &step, error))
    return FALSE;
  profile.slot = &engine->slots[step.slot];
  ok = y10_step_add (&step, &image, &params, error)
      && y10_engine_call (engine, profile_runs, &profile, error);
  y10_step_end (&step);
  for (guint k = 0; ok && k < n; k++) {
    for (guint run = 0; run < runs; run++)
      column[run] = ns[(gsize) run * n + k];
    qsort (column, runs, sizeof *column, compare_ns);
    ns_per_op[k] = column[runs / 2];
  }
  return ok;
}
