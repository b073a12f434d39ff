/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <time.h>

/* Time of CLOCK_MONOTONIC in nanoseconds. */
static inline gint64
y10_clock_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (gint64) t.tv_sec * 1000000000 + t.tv_nsec;
}
