/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Answers to requests. */

#include <libsoup/soup.h>

G_BEGIN_DECLS

void http_reply_bytes (SoupServerMessage *message, guint status,
    const char *type, GBytes *bytes);
/* Takes @text. */
void http_reply_text (SoupServerMessage *message, guint status,
    const char *type, char *text);
/* Answers {"error": @text}. */
void http_reply_error (SoupServerMessage *message, guint status,
    const char *text);

G_END_DECLS
