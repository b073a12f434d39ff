/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Where the frames of a camera come from. */

#include <gst/gst.h>

#include "base/address.h"
#include "camera/setup.h"

/* @source: "demo", "test:" with a pattern of videotestsrc, the address of a network camera,
 * a device "/dev/video0" or below /dev/v4l, or "file:" with a name below the folder of
 * media. */

/* Says in @error what is wrong with @source, without its secrets. @media: that folder, or
 * NULL. */
gboolean tool_source_check (const char *source, const char *media,
    GError **error);
/* What may be shown: of an address, no user, password, path or query. */
char *tool_source_show (const char *source);
/* Takes an address apart; NULL: @source is none. */
ToolAddress *tool_source_get_address (const char *source);
/* Whether its end is followed by its beginning. */
gboolean tool_source_is_file (const char *source);
/* What gst_parse_launch() makes the source of; the last one has the frames. */
char *tool_source_describe (const char *source);
/* Sets up the elements of that. @udp: of a camera that takes either, offers UDP and not
 * TCP. @fd: set to a descriptor to close after the pipeline, or to -1. */
gboolean tool_source_set_up (const ToolCameraSetup *setup, gboolean udp,
    GstBin *pipeline, int *fd, GError **error);
