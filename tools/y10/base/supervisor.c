/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A file can make a decoder crash the process, or end it by exit(). So a child process
 * does the work, and tells in shared memory which input it is at. If that ends it,
 * the parent names the signal and the input, and another child does the inputs that are
 * left; after three inputs in a row that crashed, none follows. The parent does nothing but
 * wait: neither GStreamer nor CUDA survives a fork.
 *
 * Whoever kills or interrupts the parent means the child, which also dies with it. With
 * Y10_NO_SUPERVISOR in the environment there is no child, for debuggers. */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/command.h"
#include "base/supervisor.h"
#include "base/terminal.h"

#define MAX_IN_A_ROW 3
#define NONE G_MAXUINT

/* What became of an input. */
enum
{
  LEFT,
  DONE,
  GIVEN_UP /* by the parent */
};

typedef struct
{
  guint current; /* input, or NONE */
  gboolean in_line;
  gboolean finished; /* the child has done all that it could */
  ToolCounts counts;
  guint n_over; /* not LEFT */
  guint8 inputs[];
} Shared;

static const int signals[] = { SIGINT, SIGTERM };

static Shared *shared;
static gint64 began, resumed_since;
static volatile pid_t child; /* 0 in the child */
static struct sigaction before[G_N_ELEMENTS (signals)];

gboolean
tool_supervisor_is_done (guint index)
{
  return shared->inputs[index] != LEFT;
}

void
tool_supervisor_begin (guint index)
{
  shared->current = index;
}

void
tool_supervisor_end (guint index)
{
  shared->n_over += shared->inputs[index] == LEFT;
  shared->inputs[index] = child ? GIVEN_UP : DONE;
}

void
tool_supervisor_rest (void)
{
  shared->current = NONE;
}

void
tool_supervisor_set_in_line (gboolean in_line)
{
  if (shared)
    shared->in_line = in_line;
}

ToolCounts *
tool_supervisor_get_counts (void)
{
  static ToolCounts alone; /* without a supervisor */

  return shared ? &shared->counts : &alone;
}

gint64
tool_supervisor_get_began (void)
{
  return began ? began : g_get_monotonic_time ();
}

gint64
tool_supervisor_get_start (void)
{
  return resumed_since;
}

gboolean
tool_supervisor_has_written (const char *path)
{
  GStatBuf info;

  return resumed_since && g_stat (path, &info) == 0
      && info.st_mtime >= resumed_since;
}

/* A terminal sends its signals to the child itself. */
static void
forward (int number, siginfo_t *info, void *context)
{
  if (info->si_code <= 0 && child > 0)
    kill (child, number);
}

static void
catch_signals (void)
{
  struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART };

  action.sa_sigaction = forward;
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (sigaction (signals[i], NULL, &before[i]) == 0
        && before[i].sa_handler != SIG_IGN)
      sigaction (signals[i], &action, NULL);
}

static void
block_signals (int how)
{
  sigset_t set;

  sigemptyset (&set);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaddset (&set, signals[i]);
  sigprocmask (how, &set, NULL);
}

/* Signals that something in the child has caused, or the lack of memory. */
static gboolean
is_crash (int number)
{
  return number == SIGSEGV || number == SIGBUS || number == SIGFPE
      || number == SIGILL || number == SIGABRT || number == SIGTRAP
      || number == SIGSYS || number == SIGKILL;
}

static int
run_child (const ToolWork *work, pid_t parent)
{
  int status;

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &before[i], NULL);
  block_signals (SIG_UNBLOCK);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent) /* it ended before that */
    return TOOL_FAILED;
  status = work->run (work->user);
  shared->finished = TRUE;
  return status;
}

/* Returns what waitpid() says of a child, or -1. */
static int
start_and_wait (const ToolWork *work)
{
  const pid_t parent = getpid ();
  int status;

  shared->current = NONE;
  shared->finished = FALSE;
  fflush (NULL);
  /* Until the parent knows whom to forward them to. */
  block_signals (SIG_BLOCK);
  child = fork ();
  if (child == 0)
    exit (run_child (work, parent));
  block_signals (SIG_UNBLOCK);
  if (child < 0) {
    tool_error ("cannot start a process: %s", g_strerror (errno));
    return -1;
  }
  while (waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return status;
}

/* Ends like the child, whose core dump stays. */
static int
end_by (int number)
{
  const struct rlimit none = { 0, 0 };

  setrlimit (RLIMIT_CORE, &none);
  signal (number, SIG_DFL);
  raise (number);
  return 128 + number;
}

static void
report (const ToolWork *work, int status)
{
  const int number = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
  g_autofree char *why = number
      ? g_strdup_printf ("reading it ended the process by signal "
                         "%d (%s)%s",
          number, g_strsignal (number),
          number == SIGKILL ? ", as happens without enough memory" : "")
      : g_strdup_printf ("reading it ended the process with status %d",
          WEXITSTATUS (status));

  if (shared->in_line) {
    shared->in_line = FALSE;
    putchar ('\n');
    fflush (stdout);
  }
  work->report (shared->current, why, work->user);
  tool_supervisor_end (shared->current);
}

/* Whether nothing was done between two inputs, in their order. */
static gboolean
is_in_a_row (guint last, guint current)
{
  while (++last < current && shared->inputs[last] == GIVEN_UP)
    ;
  return last == current;
}

int
tool_supervise (const ToolWork *work)
{
  const gint64 start = g_get_real_time () / G_USEC_PER_SEC;
  guint in_a_row = 0, n_crashes = 0, last = 0;

  shared = mmap (NULL, sizeof *shared + work->n * sizeof *shared->inputs,
      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    tool_error ("no memory");
    return TOOL_FAILED;
  }
  began = g_get_monotonic_time ();
  if (g_getenv ("Y10_NO_SUPERVISOR"))
    return work->run (work->user);
  catch_signals ();
  while (in_a_row < MAX_IN_A_ROW) {
    const int status = start_and_wait (work);
    const int number = status >= 0 && WIFSIGNALED (status) ? WTERMSIG (status)
                                                           : 0;

    if (status < 0)
      return TOOL_FAILED;
    if (!number && (shared->finished || shared->current == NONE))
      return n_crashes && WEXITSTATUS (status) == TOOL_OK
          ? TOOL_FAILED
          : WEXITSTATUS (status);
    if (number && (!is_crash (number) || shared->current == NONE))
      return end_by (number);
    in_a_row = n_crashes++ && is_in_a_row (last, shared->current) ? in_a_row + 1
                                                                  : 1;
    last = shared->current;
    report (work, status);
    if (shared->n_over == work->n)
      return TOOL_FAILED;
    resumed_since = start;
  }
  tool_error (
      "stopping after %d inputs in a row that ended the process; %u input%s "
      "left",
      MAX_IN_A_ROW, work->n - shared->n_over,
      work->n - shared->n_over == 1 ? " is" : "s are");
  return TOOL_FAILED;
}
