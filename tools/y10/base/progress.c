/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A progress bar on stderr. It appears only on a terminal and after one second,
 * is redrawn at most ten times per second, and is erased at the end. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/progress.h"
#include "base/supervisor.h"
#include "base/terminal.h"

#define BAR_WIDTH 24
#define SHOW_AFTER (1 * G_USEC_PER_SEC)
#define REDRAW_EVERY (G_USEC_PER_SEC / 10)

struct _ToolProgress
{
  gboolean enabled, shown;
  guint n_inputs;
  guint *n_frames;   /* over all children */
  Y10Engine *engine; /* borrowed */
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
  progress->n_frames = &tool_supervisor_get_counts ()->n_frames;
  progress->start = tool_supervisor_get_began ();
  progress->drawn = g_get_monotonic_time ();
  return progress;
}

/* Prints "  tuning 40 %" while the engine is tuning. */
static void
print_tuning (const ToolProgress *progress)
{
  Y10TuningProgress p = { .size = sizeof p };

  y10_engine_get_tuning_progress (progress->engine, &p);
  if (!p.finished && p.total)
    fprintf (stderr, "  tuning %u %%", 100 * p.done / p.total);
  fputs ("\033[K", stderr);
}

/* Prints "1:02:03 left  ". */
static void
print_left (double seconds)
{
  const guint64 left = (guint64) (seconds + 0.5);

  if (left >= 3600)
    fprintf (stderr, "%" G_GUINT64_FORMAT ":%02u:%02u left  ", left / 3600,
        (guint) (left / 60 % 60), (guint) (left % 60));
  else
    fprintf (stderr, "%u:%02u left  ", (guint) (left / 60),
        (guint) (left % 60));
}

static char *
basename_of (const char *name)
{
  g_autofree char *base = g_path_get_basename (name);
  char *safe = tool_escape (base);

  /* Truncate between characters, not within one. */
  if (g_utf8_strlen (safe, -1) > 40)
    *g_utf8_offset_to_pointer (safe, 40) = 0;
  return safe;
}

void
tool_progress_update (ToolProgress *progress, guint input, double fraction,
    const char *name)
{
  const gint64 now = g_get_monotonic_time ();
  const double seconds = (double) (now - progress->start) / G_USEC_PER_SEC;
  char bar[BAR_WIDTH + 1], *base;

  (*progress->n_frames)++;
  if (!progress->enabled || now - progress->start < SHOW_AFTER
      || now - progress->drawn < REDRAW_EVERY)
    return;
  progress->drawn = now;
  progress->shown = TRUE;

  base = basename_of (name);
  if (fraction < 0 && progress->n_inputs == 1) {
    fprintf (stderr, "\r%u frames  %.1f/s  %s", *progress->n_frames,
        *progress->n_frames / seconds, base);
  } else {
    double done = fmin ((input + CLAMP (fraction, 0, 1)) / progress->n_inputs,
        1);
    int filled = (int) (done * BAR_WIDTH + 0.5);

    memset (bar, '#', filled);
    memset (bar + filled, '.', BAR_WIDTH - filled);
    bar[BAR_WIDTH] = 0;
    fprintf (stderr, "\r[%s] %3.0f %%  %.1f/s  ", bar, 100 * done,
        *progress->n_frames / seconds);
    if (done > 0)
      print_left (seconds * (1 - done) / done);
    fputs (base, stderr);
  }
  print_tuning (progress);
  fflush (stderr);
  g_free (base);
}

double
tool_progress_get_seconds (const ToolProgress *progress)
{
  return (double) (g_get_monotonic_time () - progress->start) / G_USEC_PER_SEC;
}

void
tool_progress_summarise (ToolProgress *progress, guint n_inputs,
    const Y10Model *model, const ToolClassCount *classes)
{
  const double seconds = tool_progress_get_seconds (progress);
  const guint n_classes = y10_model_get_n_classes (model);
  const char *separator = ": ";

  if (!progress->enabled && !tool_interrupted ())
    return;
  tool_progress_hide (progress);
  fflush (stdout);
  if (tool_interrupted ())
    fputs ("interrupted after ", stderr);
  fprintf (stderr, "%u input%s, %u frame%s, %.1f s, %.1f frames/s", n_inputs,
      n_inputs == 1 ? "" : "s", *progress->n_frames,
      *progress->n_frames == 1 ? "" : "s", seconds,
      *progress->n_frames / seconds);
  for (guint i = 0; i < n_classes; i++) {
    g_autofree char *name = tool_escape (y10_model_get_class_name (model, i));

    if (classes[i].n_objects) {
      fprintf (stderr, "%s%" G_GUINT64_FORMAT " %s", separator,
          classes[i].n_objects, name);
      separator = ", ";
    }
  }
  fputs ("\n", stderr);
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
tool_progress_show (const char *line)
{
  if (!is_terminal ())
    return;
  fprintf (stderr, "\r%s\033[K", line ? line : "");
  fflush (stderr);
}

void
tool_progress_wait_tuned (Y10Engine *engine)
{
  gboolean enabled = is_terminal (), shown = FALSE;
  Y10TuningProgress p = { .size = sizeof p };

  while (!y10_engine_wait_tuned (engine, g_get_monotonic_time () + REDRAW_EVERY,
      NULL, NULL)) {
    y10_engine_get_tuning_progress (engine, &p);
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
