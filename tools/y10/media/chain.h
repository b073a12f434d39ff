/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What y10 detect and y10 serve have between what they play and what they detect in. */

#include <gst/gst.h>

/* What gst_parse_launch() makes of frames what a viewer sees: upright, where elements can
 * do so. The first element is "convert". Free with g_free(). */
char *tool_chain_describe (gboolean is_upright);
/* Sets up decoders, and has one video of what they decode linked to "convert": @stream, from
 * 1 in the order of the tracks; 0 is the first. @decoder: a decodebin or uridecodebin of
 * @pipeline that has no pads yet. @is_alone: there is only one, of which more pads may
 * follow. */
void tool_chain_set_up (GstElement *pipeline, GstElement *decoder, guint stream,
    gboolean is_alone);
