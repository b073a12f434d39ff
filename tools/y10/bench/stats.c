/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Statistics over many runs. Percentiles use the nearest rank, so that each is a
 * measured value. */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "bench/stats.h"

static int
compare (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
percentile (const double *sorted, guint n, double p)
{
  guint rank = (guint) ceil (p * n);

  return sorted[rank > 0 ? rank - 1 : 0];
}

void
tool_stats (double *values, guint n, ToolStats *stats)
{
  double sum = 0;

  qsort (values, n, sizeof *values, compare);
  for (guint i = 0; i < n; i++)
    sum += values[i];
  stats->median = percentile (values, n, 0.5);
  stats->p95 = percentile (values, n, 0.95);
  stats->min = values[0];
  stats->mean = sum / n;
}
