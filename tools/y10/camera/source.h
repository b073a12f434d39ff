/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Where the frames of a camera come from. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* @source: "demo", "test:" with a pattern of videotestsrc, an rtsp: or rtsps: URI, a
 * device "/dev/video0", or "file:" with a name below the folder of media. */

/* Says in @error what is wrong with @source, without its secrets. @media: that folder, or
 * NULL. */
gboolean tool_source_check (const char *source, const char *media,
    GError **error);
/* What may be shown: of a URI, no user, password, path or query. */
char *tool_source_show (const char *source);
/* Replaces @source's secrets in a text of other elements. Free with g_free(). */
char *tool_source_censor (const char *source, const char *text);
/* Whether its end is followed by its beginning. */
gboolean tool_source_is_file (const char *source);
/* What gst_parse_launch() makes the source of; the last one has the frames. */
char *tool_source_describe (const char *source);
/* Sets up the elements of that; @fd: set to a descriptor to close after the pipeline, or
 * to -1. */
gboolean tool_source_set_up (const char *source, const char *media,
    GstBin *pipeline, int *fd, GError **error);

G_END_DECLS
