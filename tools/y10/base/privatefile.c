/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Files that only their owner may read. A file is replaced as a whole, so that a crash
 * leaves the old one or the new one. */

#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <y10/y10.h>

#include "base/privatefile.h"

gboolean
tool_write_private (const char *path, const char *text, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (g_mkdir_with_parents (folder, 0700) != 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "cannot make the folder %s: %s", folder, g_strerror (errno));
    return FALSE;
  }
  return g_file_set_contents_full (path, text, -1,
      G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600,
      error);
}
