/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

#include "base/address.h"

/* The bytes behind a URI, in order. */
typedef struct _ToolFetch ToolFetch;

/* @options: NULL for the defaults; only used here. */
ToolFetch *tool_fetch_open (const char *uri, const ToolRemoteOptions *options,
    GError **error);
/* Returns the number of bytes read, 0 at the end or -1 on error. */
gssize tool_fetch_read (ToolFetch *fetch, guint8 *bytes, gsize n,
    GError **error);
void tool_fetch_close (ToolFetch *fetch);
/* Returns what an error of a source element means. */
const char *tool_fetch_explain (const GError *cause);
