/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* How long the CPUs were busy. */

#include <glib.h>

typedef struct
{
  double process; /* s of CPU time that this process has used */
  double idle; /* s in which CPUs that it may use did nothing; NAN: not known */
} ServeUsage;

void serve_usage_read (ServeUsage *usage);
