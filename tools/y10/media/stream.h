/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Inputs that can be read only once, such as pipes. */

#include <glib.h>

#include "base/address.h"

typedef struct _ToolStream ToolStream;

ToolStream *tool_stream_open (const char *path, GError **error);
ToolStream *tool_stream_open_uri (const char *uri,
    const ToolRemoteOptions *options, GError **error);
gboolean tool_stream_is_picture (const ToolStream *stream);
/* Copies at most @n of the first bytes and returns their number. */
gsize tool_stream_get_start (const ToolStream *stream, guint8 *bytes, gsize n);
/* Reads the whole stream into memory and returns a path to it, which is valid
 * until the stream is closed. */
char *tool_stream_to_file (ToolStream *stream, GError **error);
/* Returns the number of bytes read, -1 on error, or 0 at the end or if another
 * thread has set *@stop. */
gssize tool_stream_read (ToolStream *stream, guint8 *bytes, gsize n,
    const gint *stop);
void tool_stream_close (ToolStream *stream);
gboolean tool_write_all (int fd, const guint8 *bytes, gsize n);
