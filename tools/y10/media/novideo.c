/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Videos where y10 was built without GStreamer: there are none. */

#include "config.h"

#include "media/frame.h"
#include "media/stream.h"
#include "media/video.h"

#ifndef HAVE_GST

ToolVideo *
tool_video_open (const char *source, const char *path, ToolStream *stream,
    const ToolRemoteOptions *options, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "not a picture, and this y10 was built without GStreamer and cannot read "
      "videos");
  return NULL;
}

ToolVideo *
tool_video_open_range (const char *source, const char *path,
    const ToolRange *range, GError **error)
{
  return tool_video_open (source, path, NULL, NULL, error);
}

gboolean
tool_video_is_live (ToolVideo *video)
{
  return FALSE;
}

gboolean
tool_video_has_end (ToolVideo *video)
{
  return TRUE;
}

guint64
tool_video_get_n_frames (ToolVideo *video)
{
  return 0;
}

gboolean
tool_video_has_sound (ToolVideo *video)
{
  return FALSE;
}

const char *
tool_video_get_uri (ToolVideo *video)
{
  return NULL;
}

int
tool_video_next (ToolVideo *video, ToolFrame *frame, GError **error)
{
  return 0;
}

double
tool_video_get_progress (ToolVideo *video, gint64 timestamp)
{
  return -1;
}

char *
tool_video_find_damage (ToolVideo *video)
{
  return NULL;
}

void
tool_video_close (ToolVideo *video)
{
}

#endif
