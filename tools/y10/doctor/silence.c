/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Time counts as silence while a process sleeps or computes, but not while its
 * threads are ready and other processes have all cores. A process that computes
 * counts at the rate at which it does, however many of its threads are ready, so
 * an endless loop is silence on a busy machine, too. Nor does the time count in
 * which this process was stopped, since the other one probably was as well. */

#include "config.h"

#include "doctor/silence.h"

/* Sums over all threads, in ns. Linux without scheduler statistics has zeros or no
 * files: then all time counts. */
static void
add_threads (GPid pid, guint64 *ran, guint64 *waited)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/task", (int) pid);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  *ran = *waited = 0;
  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *file = g_build_filename (path, name, "schedstat", NULL);
    g_autofree char *text = NULL;
    char *end;

    if (!g_file_get_contents (file, &text, NULL, NULL))
      continue;
    *ran += g_ascii_strtoull (text, &end, 10);
    *waited += g_ascii_strtoull (end, NULL, 10);
  }
}

void
doctor_silence_begin (DoctorSilence *silence, GPid pid)
{
  *silence = (DoctorSilence){
    .pid = pid,
    .seen_at = g_get_monotonic_time (),
  };
  add_threads (pid, &silence->seen_ran, &silence->seen_waited);
}

/* The sums become smaller when a thread ends. */
static guint64
grown (guint64 *seen, guint64 now)
{
  guint64 by = now > *seen ? (now - *seen) / 1000 : 0;

  *seen = now;
  return by;
}

gint64
doctor_silence_measure (DoctorSilence *silence)
{
  gint64 now = g_get_monotonic_time ();
  guint64 ran, waited;

  add_threads (silence->pid, &ran, &waited);
  silence->passed += MIN (now - silence->seen_at,
      2000 * DOCTOR_SILENCE_STEP_MS);
  silence->seen_at = now;
  silence->ran += grown (&silence->seen_ran, ran);
  silence->waited += grown (&silence->seen_waited, waited);
  /* Linux adds a wait when it ends, so only the sums are compared. */
  return CLAMP (silence->passed - (gint64) silence->waited,
      MIN ((gint64) silence->ran, silence->passed), silence->passed);
}
