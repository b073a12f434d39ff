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

#include "base/memory-limit.h"

static char *
read_text (const char *root, const char *path)
{
  g_autofree char *name = g_strconcat (root, path, NULL);
  char *text;

  return g_file_get_contents (name, &text, NULL, NULL) ? text : NULL;
}

static guint64
read_physical (const char *root)
{
  g_autofree char *text = read_text (root, "/proc/meminfo");
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
  g_autofree char *path = g_strconcat (folder, "/", file, NULL);
  g_autofree char *text = read_text (root, path);
  char *end;
  guint64 limit;

  if (!text)
    return G_MAXUINT64;
  limit = g_ascii_strtoull (text, &end, 10);
  return end == text ? G_MAXUINT64 : limit;
}

/* The limits of all ancestors apply to a group. In a container the path may
 * be the host's, of which only the end exists in the mount; so each suffix
 * of the path is tried, down to the mount itself. */
static void
check_groups (const char *root, const char *mount, const char *file,
    const char *group, guint64 *limit, char **what)
{
  g_autofree char *path = g_strdup (group);

  for (;;) {
    g_autofree char *folder = NULL;
    char *slash;
    guint64 here;

    if (!strcmp (path, "/"))
      *path = 0;
    folder = g_strconcat (mount, path, NULL);
    here = read_limit (root, folder, file);
    if (here < *limit) {
      *limit = here;
      g_free (*what);
      *what = g_strdup_printf ("the control group %s", *path ? path : "/");
    }
    slash = strrchr (path, '/');
    if (!slash)
      return;
    *slash = 0;
  }
}

guint64
y10_memory_limit (const char *root, char **what)
{
  guint64 limit = read_physical (root);
  g_autofree char *text = read_text (root, "/proc/self/cgroup");
  g_auto (GStrv) lines = g_strsplit (text ? text : "", "\n", -1);

  *what = g_strdup ("this machine");
  /* "0::/path" of version 2, "9:memory:/path" of version 1 */
  for (char **line = lines; *line; line++) {
    g_auto (GStrv) part = g_strsplit (*line, ":", 3);
    g_auto (GStrv) controllers = NULL;

    if (g_strv_length (part) != 3 || *part[2] != '/')
      continue;
    controllers = g_strsplit (part[1], ",", -1);
    if (g_strv_contains ((const char *const *) controllers, "memory")) {
      check_groups (root, "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
          part[2], &limit, what);
    } else if (!strcmp (part[0], "0")) {
      check_groups (root, "/sys/fs/cgroup", "memory.max", part[2], &limit,
          what);
    }
  }
  return limit;
}

gboolean
y10_memory_check (guint64 size, const char *purpose, GError **error)
{
  g_autofree char *what = NULL;
  guint64 limit = y10_memory_limit ("", &what);

  if (size <= limit)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
      "%s would need %" G_GUINT64_FORMAT " MB of memory; %s has %"
      G_GUINT64_FORMAT " MB", purpose, size / 1000000, what, limit / 1000000);
  return FALSE;
}
