/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How many CPUs this process can use. A container often sees all CPUs of the
 * host but gets the time of a few: with a thread for each CPU, the kernel
 * would stop all threads for most of every period. */

#include "config.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/control-group.h"
#include "base/cpus.h"

typedef struct
{
  const char *root;
  double cpus; /* 0: no quota */
  char *group;
} Quota;

guint
y10_cpus_allowed (void)
{
  cpu_set_t set;

  CPU_ZERO (&set);
  if (sched_getaffinity (0, sizeof set, &set) == 0)
    return MAX ((guint) CPU_COUNT (&set), 1);
  return MAX (g_get_num_processors (), 1);
}

/* Reads the first two numbers of "quota period" (version 2), or of the files of
 * version 1. The quota is "max" or -1 where there is none. */
static gboolean
read_quota (guint version, const char *root, const char *folder, gint64 *quota,
    gint64 *period)
{
  g_autofree char *text = y10_control_group_read (root, folder,
      version == 1 ? "cpu.cfs_quota_us" : "cpu.max");
  g_autofree char *second = version == 1
      ? y10_control_group_read (root, folder, "cpu.cfs_period_us")
      : NULL;
  char *end;

  if (!text || (version == 1 && !second))
    return FALSE;
  *quota = g_ascii_strtoll (text, &end, 10);
  if (end == text)
    return FALSE;
  *period = g_ascii_strtoll (second ? second : end, NULL, 10);
  return *quota > 0 && *period > 0;
}

static void
check_group (guint version, const char *folder, const char *name, gpointer user)
{
  Quota *least = user;
  gint64 quota, period;
  double cpus;

  if (!read_quota (version, least->root, folder, &quota, &period))
    return;
  cpus = (double) quota / (double) period;
  if (least->cpus > 0 && cpus >= least->cpus)
    return;
  least->cpus = cpus;
  g_free (least->group);
  least->group = g_strdup (name);
}

double
y10_cpus_quota (const char *root, char **group)
{
  Quota least = { root, 0, NULL };

  y10_control_group_foreach (root, "cpu", check_group, &least);
  if (group)
    *group = least.group;
  else
    g_free (least.group);
  return least.cpus;
}

guint
y10_cpus_granted (const char *root)
{
  double allowed = y10_cpus_allowed (), quota = y10_cpus_quota (root, NULL);

  return (guint) (quota > 0 ? MIN (allowed, ceil (quota)) : allowed);
}
