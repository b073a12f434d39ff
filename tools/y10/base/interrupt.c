/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The first SIGINT or SIGTERM asks the command to end: it stops reading, and
 * finishes what it has begun to write. Another one ends the process, unless it comes at
 * once: timeout(1) sends a signal to a process and to its group. */

#include "config.h"

#include <signal.h>

#include "base/interrupt.h"

static const int signals[] = { SIGINT, SIGTERM };

#define AT_ONCE (200 * G_TIME_SPAN_MILLISECOND)

static volatile sig_atomic_t interrupted;
static volatile gint64 interrupted_at;

static void
on_signal (int number)
{
  const gint64 now = g_get_monotonic_time ();

  if (!interrupted) {
    interrupted_at = now;
    interrupted = 1;
  } else if (now - interrupted_at > AT_ONCE) {
    signal (number, SIG_DFL);
    raise (number);
  }
}

void
tool_interrupt_catch (void)
{
  /* Without SA_RESTART, a signal ends waiting for a writer of a pipe. */
  const struct sigaction action = { .sa_handler = on_signal };
  struct sigaction before;

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    /* nohup and shells that run a command in the background ignore SIGINT. */
    if (sigaction (signals[i], NULL, &before) == 0
        && before.sa_handler != SIG_IGN)
      sigaction (signals[i], &action, NULL);
}

gboolean
tool_interrupted (void)
{
  return interrupted != 0;
}
