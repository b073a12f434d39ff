/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Answers to requests. */

#include <libsoup/soup.h>

/* Answers @message. @name: what the star of the route's path stands for, borrowed. A
 * header declares those of a file by this type. */
typedef void HttpHandler (SoupServerMessage *message, const char *name,
    gpointer data);

void http_reply_bytes (SoupServerMessage *message, guint status,
    const char *type, GBytes *bytes);
/* Takes @text. */
void http_reply_text (SoupServerMessage *message, guint status,
    const char *type, char *text);
/* Answers {"error": @text}. */
void http_reply_error (SoupServerMessage *message, guint status,
    const char *text);
/* Takes @json. */
void http_reply_json (SoupServerMessage *message, guint status, GString *json);

/* Whether there is room for another viewer: a live view, a snapshot or a websocket. If
 * not, answers so. */
gboolean http_reply_may_view (SoupServerMessage *message);
/* One comes, or goes. */
void http_reply_begin_view (void);
void http_reply_end_view (void);
