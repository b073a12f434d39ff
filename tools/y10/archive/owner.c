/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which process a temporary file belongs to: its name has the host, the boot,
 * the PID namespace, the PID and the time at which the process started. A
 * process is known to be gone after a reboot of this host, or if nothing in the same
 * namespace has its PID and start time; of other hosts nothing is known. */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "archive/owner.h"

#define SEPARATOR "~"
#define MAX_HOST 64
#define PROC_STAT_START 20 /* proc(5): field 22, counted behind the name */

enum
{
  KEY,
  HOST,
  BOOT,
  NAMESPACE,
  PID,
  START,
  SERIAL,
  N_PARTS
};

/* Without what cannot be in a file name or separates the parts. */
static char *
make_part (const char *text)
{
  char *part = g_strndup (text, MAX_HOST);

  g_strcanon (part, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-.", '_');
  return part;
}

static char *
get_boot (void)
{
  g_autofree char *text = NULL;

  g_file_get_contents ("/proc/sys/kernel/random/boot_id", &text, NULL, NULL);
  return make_part (text ? g_strstrip (text) : "");
}

static char *
get_namespace (void)
{
  g_autofree char *text = g_file_read_link ("/proc/self/ns/pid", NULL);

  return make_part (text ? text : "");
}

/* In clock ticks since the boot, or "" if it cannot be read. */
static char *
get_start (const char *pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/stat", pid), *text = NULL;
  char *start = NULL, *name_end;
  g_auto (GStrv) fields = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL)
      && (name_end = strrchr (text, ')'))) {
    fields = g_strsplit (name_end + 1, " ", PROC_STAT_START + 2);
    if (g_strv_length (fields) > PROC_STAT_START)
      start = g_strdup (fields[PROC_STAT_START]);
  }
  return start ? start : g_strdup ("");
}

char *
tool_owner_make_name (const char *key)
{
  static gint serial;
  g_autofree char *host = make_part (g_get_host_name ()), *boot = get_boot ();
  g_autofree char *namespace = get_namespace ();
  g_autofree char *pid = g_strdup_printf ("%ld", (long) getpid ());
  g_autofree char *start = get_start (pid);
  g_autofree char *number = g_strdup_printf ("%d-%08x",
      g_atomic_int_add (&serial, 1), g_random_int ());

  return g_strjoin (SEPARATOR, key, host, boot, namespace, pid, start, number,
      NULL);
}

static ToolOwnerState
get_process_state (const char *pid, const char *start)
{
  char *end;
  g_autofree char *now = NULL;
  const gint64 number = g_ascii_strtoll (pid, &end, 10);
  ToolOwnerState state = TOOL_OWNER_UNKNOWN;

  if (*end || number <= 0 || number > G_MAXINT)
    return TOOL_OWNER_UNKNOWN;
  if (kill ((pid_t) number, 0) != 0 && errno == ESRCH)
    return TOOL_OWNER_GONE;
  /* The PID may belong to another process by now. */
  now = get_start (pid);
  if (*now && *start)
    state = strcmp (now, start) ? TOOL_OWNER_GONE : TOOL_OWNER_ALIVE;
  return state;
}

ToolOwnerState
tool_owner_get_state (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, SEPARATOR, -1);
  g_autofree char *host = make_part (g_get_host_name ()), *boot = get_boot ();
  g_autofree char *namespace = get_namespace ();
  ToolOwnerState state = TOOL_OWNER_UNKNOWN;

  /* Many machines may be called localhost. */
  if (g_strv_length (parts) == N_PARTS && !strcmp (parts[HOST], host)
      && !g_str_has_prefix (host, "localhost") && *boot && *parts[BOOT]) {
    if (strcmp (parts[BOOT], boot) != 0)
      state = TOOL_OWNER_GONE;
    else if (*namespace && !strcmp (parts[NAMESPACE], namespace))
      state = get_process_state (parts[PID], parts[START]);
  }
  return state;
}
