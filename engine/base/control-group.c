/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The control groups of this process, versions 1 and 2. */

#include "config.h"

#include <string.h>

#include "base/control-group.h"

char *
y10_control_group_read (const char *root, const char *folder, const char *file)
{
  g_autofree char *name = g_strconcat (root, folder, "/", file, NULL);
  char *text;

  return g_file_get_contents (name, &text, NULL, NULL) ? text : NULL;
}

/* Calls @func for a group and for each of its ancestors, down to the mount
 * itself. In a container the path may be the host's, and then only the last
 * of these folders exists. */
static void
visit_ancestors (guint version, const char *mount, const char *group,
    Y10ControlGroupFunc func, gpointer user)
{
  g_autofree char *path = g_strdup (group);

  for (;;) {
    g_autofree char *folder = NULL;
    char *slash;

    if (!strcmp (path, "/"))
      *path = 0;
    folder = g_strconcat (mount, path, NULL);
    func (version, folder, *path ? path : "/", user);
    slash = strrchr (path, '/');
    if (!slash)
      return;
    *slash = 0;
  }
}

void
y10_control_group_foreach (const char *root, const char *controller,
    Y10ControlGroupFunc func, gpointer user)
{
  g_autofree char *text = y10_control_group_read (root, "/proc/self", "cgroup");
  g_auto (GStrv) lines = g_strsplit (text ? text : "", "\n", -1);

  /* "0::/path" of version 2, "9:memory:/path" of version 1 */
  for (char **line = lines; *line; line++) {
    g_auto (GStrv) part = g_strsplit (*line, ":", 3);
    g_auto (GStrv) controllers = NULL;

    if (g_strv_length (part) != 3 || *part[2] != '/')
      continue;
    controllers = g_strsplit (part[1], ",", -1);
    if (g_strv_contains ((const char *const *) controllers, controller)) {
      g_autofree char *mount = g_strconcat ("/sys/fs/cgroup/", controller,
          NULL);

      visit_ancestors (1, mount, part[2], func, user);
    } else if (!strcmp (part[0], "0")) {
      visit_ancestors (2, "/sys/fs/cgroup", part[2], func, user);
    }
  }
}
