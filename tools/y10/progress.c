/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A progress bar on stderr. It shows only on a terminal and only when the
 * work has taken a second, is redrawn ten times a second at most, and leaves
 * no trace. */

#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

#define BAR_WIDTH 24
#define SHOW_AFTER (1 * G_USEC_PER_SEC)
#define REDRAW_EVERY (G_USEC_PER_SEC / 10)

struct _ToolProgress
{
  gboolean enabled, shown;
  guint n_inputs, n_frames;
  Y10Engine *engine;            /* borrowed */
  gint64 start, drawn;
};

static gboolean
is_terminal (void)
{
  return isatty (STDERR_FILENO) && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
}

ToolProgress *
tool_progress_new (guint n_inputs, Y10Engine *engine)
{
  ToolProgress *progress = g_new0 (ToolProgress, 1);

  progress->enabled = is_terminal ();
  progress->engine = engine;
  progress->n_inputs = n_inputs;
  progress->start = progress->drawn = g_get_monotonic_time ();
  return progress;
}

/* "  tuning 40 %", or nothing. */
static void
print_tuning (const ToolProgress *progress)
{
  Y10EngineProgress p;

  y10_engine_get_progress (progress->engine, &p);
  if (!p.finished && p.total)
    fprintf (stderr, "  tuning %u %%", 100 * p.done / p.total);
  fputs ("\033[K", stderr);
}

void
tool_progress_update (ToolProgress *progress, guint input, double fraction,
    const char *name)
{
  const gint64 now = g_get_monotonic_time ();
  const double seconds = (double) (now - progress->start) / G_USEC_PER_SEC;
  char bar[BAR_WIDTH + 1], *base;

  progress->n_frames++;
  if (!progress->enabled || now - progress->start < SHOW_AFTER
      || now - progress->drawn < REDRAW_EVERY)
    return;
  progress->drawn = now;
  progress->shown = TRUE;

  base = g_filename_display_basename (name);
  if (fraction < 0 && progress->n_inputs == 1) {
    fprintf (stderr, "\r%u frames  %.1f/s  %.40s", progress->n_frames,
        progress->n_frames / seconds, base);
  } else {
    double done = (input + CLAMP (fraction, 0, 1)) / progress->n_inputs;
    int filled = (int) (done * BAR_WIDTH + 0.5);

    memset (bar, '#', filled);
    memset (bar + filled, '.', BAR_WIDTH - filled);
    bar[BAR_WIDTH] = 0;
    fprintf (stderr, "\r[%s] %3.0f %%  %.1f/s  %.40s", bar, 100 * done,
        progress->n_frames / seconds, base);
  }
  print_tuning (progress);
  fflush (stderr);
  g_free (base);
}

void
tool_progress_hide (ToolProgress *progress)
{
  if (!progress->shown)
    return;
  fputs ("\r\033[K", stderr);
  fflush (stderr);
  progress->shown = FALSE;
}

void
tool_progress_free (ToolProgress *progress)
{
  if (!progress)
    return;
  tool_progress_hide (progress);
  g_free (progress);
}

void
tool_progress_wait_tuned (Y10Engine *engine)
{
  gboolean enabled = is_terminal (), shown = FALSE;
  Y10EngineProgress p;

  while (!y10_engine_wait_tuned (engine, g_get_monotonic_time ()
          + REDRAW_EVERY, NULL, NULL)) {
    y10_engine_get_progress (engine, &p);
    if (!enabled || !p.total)
      continue;
    shown = TRUE;
    fprintf (stderr, "\rtuning: %u of %u convolutions, %u %%\033[K", p.done,
        p.total, 100 * p.done / p.total);
    fflush (stderr);
  }
  if (shown) {
    fputs ("\r\033[K", stderr);
    fflush (stderr);
  }
}
