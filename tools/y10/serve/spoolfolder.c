/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The folder that yolov10publish keeps events in. It has what people did and when, so it
 * is made for its owner only. Whatever would make each camera fail is told once, at the
 * start. */

#include "config.h"

#ifdef HAVE_SERVE

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>
#include <y10/y10.h>

#include "base/log.h"
#include "media/gst.h"
#include "serve/spoolfolder.h"
#include "spool/folder.h"

static gboolean
make_folder (const char *path, GError **error)
{
  if (g_mkdir_with_parents (path, 0700) == 0
      && g_access (path, R_OK | W_OK | X_OK) == 0)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "cannot keep events in %s: %s; expected a folder to write to, which spool= of "
      "[serve] names",
      path, g_strerror (errno));
  return FALSE;
}

/* The lock is yolov10publish's, which takes it with the first camera. */
static gboolean
check_lock (const char *path, GError **error)
{
  const int folder = gst_y10_folder_open (path, 0, error);
  const int lock = folder >= 0 ? gst_y10_folder_lock (folder, path, error) : -1;

  if (lock >= 0)
    close (lock);
  if (folder >= 0)
    close (folder);
  return lock >= 0;
}

gboolean
serve_spool_folder_prepare (ServeSettings *settings, GError **error)
{
  if (!settings->spool)
    return TRUE;
  if (!tool_have_element ("yolov10publish")) {
    tool_log (TOOL_LOG_WARNING,
        "no events are kept, since GStreamer has no yolov10publish; "
        "Debian's package is gstreamer1.0-yolov10-publish");
    g_clear_pointer (&settings->spool, g_free);
    return TRUE;
  }
  return make_folder (settings->spool, error)
      && check_lock (settings->spool, error);
}

#endif
