/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Memory available to this process: the machine's, or less if a control
 * group sets a limit. A small weights file can describe a network of any
 * size, Linux overcommits memory, and the OOM killer would end the process
 * while it runs. So a request beyond the limit fails. Memory in use by other
 * processes is ignored, because it changes. */

#include "config.h"

#include <string.h>
#include <y10/error.h>

#include "base/control-group.h"
#include "base/memory-limit.h"

typedef struct
{
  const char *root;
  guint64 limit;
  char *what;
} Limit;

static guint64
read_physical (const char *root)
{
  g_autofree char *text = y10_control_group_read (root, "/proc", "meminfo");
  const char *line = text ? strstr (text, "MemTotal:") : NULL;
  guint64 kib = 0;

  if (line)
    kib = g_ascii_strtoull (line + strlen ("MemTotal:"), NULL, 10);
  return kib && kib < G_MAXUINT64 / 1024 ? kib * 1024 : G_MAXUINT64;
}

/* Reads @folder/@file; returns G_MAXUINT64 if it is missing or "max". */
static guint64
read_limit (const char *root, const char *folder, const char *file)
{
  g_autofree char *text = y10_control_group_read (root, folder, file);
  char *end;
  guint64 limit;

  if (!text)
    return G_MAXUINT64;
  limit = g_ascii_strtoull (text, &end, 10);
  return end == text ? G_MAXUINT64 : limit;
}

static void
check_group (guint version, const char *folder, const char *name, gpointer user)
{
  Limit *l = user;
  guint64 here = read_limit (l->root, folder,
      version == 1 ? "memory.limit_in_bytes" : "memory.max");

  if (here >= l->limit)
    return;
  l->limit = here;
  g_free (l->what);
  l->what = g_strdup_printf ("the control group %s", name);
}

guint64
y10_memory_limit (const char *root, char **what)
{
  Limit l = { root, read_physical (root), g_strdup ("this machine") };

  y10_control_group_foreach (root, "memory", check_group, &l);
  *what = l.what;
  return l.limit;
}

gboolean
y10_memory_check (guint64 size, const char *purpose, GError **error)
{
  g_autofree char *what = NULL;
  guint64 limit = y10_memory_limit ("", &what);

  if (size <= limit)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
      "%s would need %" G_GUINT64_FORMAT
      " MB of memory; %s has %" G_GUINT64_FORMAT " MB",
      purpose, size / 1000000, what, limit / 1000000);
  return FALSE;
}
