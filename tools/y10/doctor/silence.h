/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* How long a process has been silent, so that one that hangs can be told from one
 * that has to wait for a core. */

#include <glib.h>

typedef struct
{
  GPid pid;
  gint64 seen_at; /* monotonic, in µs */
  guint64 seen_ran, seen_waited;
  /* Since the process was last heard, in µs. */
  gint64 passed;
  guint64 ran, waited;
} DoctorSilence;

/* How often doctor_silence_measure() has to be called at least. */
#define DOCTOR_SILENCE_STEP_MS 1000

/* Starts anew: the process @pid was heard. */
void doctor_silence_begin (DoctorSilence *silence, GPid pid);
/* Returns for how many µs the process has been silent. */
gint64 doctor_silence_measure (DoctorSilence *silence);
