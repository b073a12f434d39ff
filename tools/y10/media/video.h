/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Videos, decoded by GStreamer. */

#include "base/address.h"
#include "media/frame.h"
#include "media/stream.h"

typedef struct _ToolVideo ToolVideo;

/* Opens @path, a file or a URI, or the borrowed @stream unless it is NULL. @options are
 * borrowed; NULL: the defaults. */
ToolVideo *tool_video_open (const char *source, const char *path,
    ToolStream *stream, const ToolRemoteOptions *options, GError **error);
/* The frames of a video from @start until before @end, times of the whole video
 * in ns. */
typedef struct
{
  gint64 start, end;
  gint64 seek;         /* where decoding starts: at the last key frame
                                 * from here back; -1: at the beginning */
  guint64 first_frame; /* number of its first frame in the video */
  guint64 n_frames;    /* expected */
} ToolRange;

/* Gives only the frames of @range. A number of frames that differs from the
 * expected is an error at the end. */
ToolVideo *tool_video_open_range (const char *source, const char *path,
    const ToolRange *range, GError **error);
/* Call these after the first frame. */
/* Returns TRUE if the video comes in real time, as from a camera. */
gboolean tool_video_is_live (ToolVideo *video);
/* Returns TRUE if the end of the video is known. */
gboolean tool_video_has_end (ToolVideo *video);
gboolean tool_video_has_sound (ToolVideo *video);
/* Returns the URI at which the video can be read a second time, or NULL. */
const char *tool_video_get_uri (ToolVideo *video);
/* Call it after the end: returns why not everything was decoded, or NULL. */
char *tool_video_find_damage (ToolVideo *video);
/* The number of frames that were read. */
guint64 tool_video_get_n_frames (ToolVideo *video);
/* Returns 1 with a frame, 0 at the end or when interrupted, or -1 with an error. */
int tool_video_next (ToolVideo *video, ToolFrame *frame, GError **error);
/* Returns 0 to 1, or -1 if the duration is unknown. */
double tool_video_get_progress (ToolVideo *video, gint64 timestamp);
void tool_video_close (ToolVideo *video);
