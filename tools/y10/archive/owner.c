/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which process a temporary file belongs to: its name has the host, the boot,
 * the PID namespace, the PID and the time at which the process started. A
 * process is known to be gone after a reboot of this host, or if nothing in the same
 * namespace has its PID and start time; of other hosts nothing is known. */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
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
  char *text = NULL, *boot;

  g_file_get_contents ("/proc/sys/kernel/random/boot_id", &text, NULL, NULL);
  boot = make_part (text ? g_strstrip (text) : "");
  g_free (text);
  return boot;
}

static char *
get_namespace (void)
{
  char *text = g_file_read_link ("/proc/self/ns/pid", NULL);
  char *part = make_part (text ? text : "");

  g_free (text);
  return part;
}

/* In clock ticks since the boot, or "" if it cannot be read. */
static char *
get_start (const char *pid)
{
  char *path = g_strdup_printf ("/proc/%s/stat", pid), *text = NULL;
  char **fields = NULL, *start = NULL, *name_end;

  if (g_file_get_contents (path, &text, NULL, NULL)
      && (name_end = strrchr (text, ')'))) {
    fields = g_strsplit (name_end + 1, " ", PROC_STAT_START + 2);
    if (g_strv_length (fields) > PROC_STAT_START)
      start = g_strdup (fields[PROC_STAT_START]);
  }
  g_strfreev (fields);
  g_free (text);
  g_free (path);
  return start ? start : g_strdup ("");
}

char *
tool_owner_make_name (const char *key)
{
  static gint serial;
  char *host = make_part (g_get_host_name ()), *boot = get_boot ();
  char *namespace = get_namespace ();
  char *pid = g_strdup_printf ("%ld", (long) getpid ());
  char *start = get_start (pid);
  char *number = g_strdup_printf ("%d-%08x", g_atomic_int_add (&serial, 1),
      g_random_int ());
  char *name = g_strjoin (SEPARATOR, key, host, boot, namespace, pid, start,
      number, NULL);

  g_free (host);
  g_free (boot);
  g_free (namespace);
  g_free (pid);
  g_free (start);
  g_free (number);
  return name;
}

static ToolOwnerState
get_process_state (const char *pid, const char *start)
{
  char *end, *now;
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
  g_free (now);
  return state;
}

ToolOwnerState
tool_owner_get_state (const char *name)
{
  char **parts = g_strsplit (name, SEPARATOR, -1);
  char *host = make_part (g_get_host_name ()), *boot = get_boot ();
  char *namespace = get_namespace ();
  ToolOwnerState state = TOOL_OWNER_UNKNOWN;

  /* Many machines may be called localhost. */
  if (g_strv_length (parts) == N_PARTS && !strcmp (parts[HOST], host)
      && !g_str_has_prefix (host, "localhost") && *boot && *parts[BOOT]) {
    if (strcmp (parts[BOOT], boot) != 0)
      state = TOOL_OWNER_GONE;
    else if (*namespace && !strcmp (parts[NAMESPACE], namespace))
      state = get_process_state (parts[PID], parts[START]);
  }
  g_strfreev (parts);
  g_free (host);
  g_free (boot);
  g_free (namespace);
  return state;
}
