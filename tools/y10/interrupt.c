/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The first SIGINT or SIGTERM asks the command to end: it stops reading, and
 * finishes what it has begun to write. The second one ends the process. */

#include "config.h"

#include <signal.h>

#include "tool.h"

static const int signals[] = { SIGINT, SIGTERM };

static volatile sig_atomic_t interrupted;

static void
on_signal (int number)
{
  interrupted = 1;
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    signal (signals[i], SIG_DFL);
}

void
tool_interrupt_catch (void)
{
  /* Without SA_RESTART, a signal ends waiting for a writer of a pipe. */
  const struct sigaction action = {.sa_handler = on_signal };
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
