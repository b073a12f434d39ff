/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

#include "media/movie.h"

/* Reads, and corrects, the box 'moov' on its way into a qtdemux. */
typedef struct _ToolMoviePad ToolMoviePad;

ToolMoviePad *tool_movie_pad_new (GstElement *qtdemux);
/* NULL until the box was read. Any thread. */
const ToolMovie *tool_movie_pad_get (ToolMoviePad *self);
/* Call it after the pipeline has stopped. */
void tool_movie_pad_free (ToolMoviePad *self);
