/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Why a network camera cannot be reached. Main thread only. */

#include <gst/gst.h>

#include "base/address.h"

typedef struct _ToolReach ToolReach;

/* @why: what is wrong, or NULL: something accepts connections there. Ends @reach; it is
 * not to be freed then. */
typedef void (*ToolReachFunc) (const char *why, gpointer user);

/* Says what @error, an element's message of an error, is about, without secrets of
 * @address, which may be NULL. Sets @unclear where tool_reach_new() may know more. Free with
 * g_free(). */
char *tool_reach_explain (const ToolAddress *address,
    const ToolRemoteOptions *options, GstMessage *error, gboolean *unclear);
/* Connects to the host to find out; @func is called within some seconds. @asks: also asks
 * how it wants to be told a password, without one. */
ToolReach *tool_reach_new (const ToolAddress *address, gboolean asks,
    ToolReachFunc func, gpointer user);
/* @func is not called any more. */
void tool_reach_free (ToolReach *reach);
