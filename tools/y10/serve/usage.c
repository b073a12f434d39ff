/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the CPUs do: of those that this process may use, the kernel says how long each was
 * idle, whoever used it otherwise: other programs, or the hypervisor for other machines.
 * In a container these are still the CPUs of the host. */

#include "config.h"

#ifdef HAVE_SERVE

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "serve/usage.h"

static double
read_process (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Adds up "cpuN user nice system idle iowait …", in ticks. */
static double
add_idle (const char *text, const cpu_set_t *set)
{
  guint64 sum = 0;
  guint n = 0;

  for (const char *line = text; line; line = strchr (line, '\n')) {
    unsigned long long idle, waiting;
    unsigned cpu;

    line += *line == '\n';
    if (sscanf (line, "cpu%u %*u %*u %*u %llu %llu", &cpu, &idle, &waiting) != 3
        || cpu >= CPU_SETSIZE || !CPU_ISSET (cpu, set))
      continue;
    sum += idle + waiting;
    n++;
  }
  return n ? (double) sum / (double) sysconf (_SC_CLK_TCK) : NAN;
}

static double
read_idle (void)
{
  cpu_set_t set;
  g_autofree char *text = NULL;

  if (sched_getaffinity (0, sizeof set, &set) != 0
      || !g_file_get_contents ("/proc/stat", &text, NULL, NULL))
    return NAN;
  return add_idle (text, &set);
}

void
serve_usage_read (ServeUsage *usage)
{
  usage->process = read_process ();
  usage->idle = read_idle ();
}

#endif
