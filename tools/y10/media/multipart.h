/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pictures that a web server sends one after the other. */

#include <gst/gst.h>

/* Has @source, a souphttpsrc, begin such a body as multipartdemux expects it. */
void tool_multipart_watch (GstElement *source);
