/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Cameras, videos and pictures behind an address: the elements that receive them. */

#include <gst/gst.h>

#include "base/address.h"

typedef enum
{
  TOOL_REMOTE_NONE, /* none that is known here */
  TOOL_REMOTE_RTSP,
  TOOL_REMOTE_HTTP,
} ToolRemoteKind;

ToolRemoteKind tool_remote_get_kind (const ToolAddress *address);
/* The name of the element that receives it, or NULL. */
const char *tool_remote_get_element (ToolRemoteKind kind);
/* That of the address or the default of its scheme. */
guint tool_remote_get_port (const ToolAddress *address);
/* Takes @text apart. Returns what is to be played, or NULL with an error; of schemes that
 * are not known here that is @text itself, and @address may be NULL. */
char *tool_remote_open (const char *text, ToolAddress **address,
    GError **error);
/* What the element gets for a URI, without user and password. Free with g_free(). */
char *tool_remote_get_uri (const ToolAddress *address);
gboolean tool_remote_check_transport (const char *transport, GError **error);
/* Sets up an rtspsrc or souphttpsrc, and nothing else. @udp: where both will do, offers UDP
 * and not TCP. */
void tool_remote_set_up (GstElement *source, const ToolAddress *address,
    const ToolRemoteOptions *options, gboolean udp);
/* Whether @message, an error, says that a camera took none of the transports that were
 * offered, and others are worth a try. */
gboolean tool_remote_wants_other (GstMessage *message,
    const ToolAddress *address, const ToolRemoteOptions *options);
/* The status that a camera or server has answered, or 0. */
guint tool_remote_get_status (GstMessage *message);
/* Says what an error of those elements means and what to do, or returns NULL. It has no
 * secrets. Free with g_free(). */
char *tool_remote_explain (GstMessage *message, const ToolAddress *address,
    const ToolRemoteOptions *options);
