/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A process that sleeps is silent all the time, one that computes at least for as long
 * as it runs, and one that shares its core with seven others for less than half of it. */

#include "config.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor/silence.h"

#define STEPS 8

/* Processes that compete for the first core that this one may use. */
static pid_t
start (gboolean computes)
{
  pid_t pid = fork ();

  g_assert_cmpint (pid, >=, 0);
  if (pid == 0) {
    volatile guint n = 0;
    cpu_set_t set;

    /* Nothing goes on computing if this test fails. */
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    alarm (60);
    sched_getaffinity (0, sizeof set, &set);
    for (int i = 0, kept = 0; i < CPU_SETSIZE; i++) {
      if (CPU_ISSET (i, &set) && kept++)
        CPU_CLR (i, &set);
    }
    sched_setaffinity (0, sizeof set, &set);
    while (computes)
      n++;
    for (;;)
      pause ();
  }
  return pid;
}

/* Returns the CPU time of the process, in µs. */
static gint64
stop (pid_t pid)
{
  struct rusage usage;

  kill (pid, SIGKILL);
  g_assert_cmpint (wait4 (pid, NULL, 0, &usage), ==, pid);
  return usage.ru_utime.tv_sec * G_USEC_PER_SEC + usage.ru_utime.tv_usec
      + usage.ru_stime.tv_sec * G_USEC_PER_SEC + usage.ru_stime.tv_usec;
}

static gint64
follow (pid_t pid, DoctorSilence *silence)
{
  gint64 silent = 0;

  doctor_silence_begin (silence, pid);
  for (guint i = 0; i < STEPS; i++) {
    g_usleep (G_USEC_PER_SEC / 4);
    silent = doctor_silence_measure (silence);
    g_assert_cmpint (silent, <=, silence->passed);
  }
  return silent;
}

static gboolean
no_statistics (void)
{
  if (g_file_test ("/proc/self/schedstat", G_FILE_TEST_EXISTS))
    return FALSE;
  g_test_skip ("this Linux has no scheduler statistics");
  return TRUE;
}

static void
test_asleep (void)
{
  pid_t pid = start (FALSE);
  DoctorSilence silence;
  gint64 silent = follow (pid, &silence);

  stop (pid);
  g_assert_cmpint (silence.passed, >=, STEPS * (G_USEC_PER_SEC / 4));
  g_assert_cmpint (silent, >, silence.passed * 3 / 4);
}

/* An endless loop that has to share its core is silent for as long as it runs. */
static void
test_endless (void)
{
  pid_t pid = start (TRUE);
  DoctorSilence silence;
  gint64 silent = follow (pid, &silence), ran = stop (pid);

  g_assert_cmpint (silence.ran, >, 0);
  g_assert_cmpint (silent, >=, silence.ran * 3 / 4);
  g_assert_cmpint (silence.ran, <=, ran + G_USEC_PER_SEC / 20);
}

static void
test_kept_waiting (void)
{
  pid_t others[7], pid;
  DoctorSilence silence;
  gint64 silent;

  if (no_statistics ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    others[i] = start (TRUE);
  pid = start (TRUE);
  silent = follow (pid, &silence);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    stop (others[i]);
  stop (pid);
  g_assert_cmpint (silent, <, silence.passed / 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/silence/asleep", test_asleep);
  g_test_add_func ("/silence/endless", test_endless);
  g_test_add_func ("/silence/kept-waiting", test_kept_waiting);
  return g_test_run ();
}
