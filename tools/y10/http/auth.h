/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Authentication: the token, the sessions that it opens, and from which pages. */

#include <libsoup/soup.h>

typedef struct _HttpAuth HttpAuth;

/* Reads the token's file, or makes it. @sessions_path: where sessions are kept, or NULL.
 * @hosts: names by which a proxy calls this server, or NULL; borrowed. @loopback: the
 * server listens on this machine's own address only. */
HttpAuth *http_auth_new (const char *token_path, const char *sessions_path,
    guint port, gboolean secure, gboolean loopback, char **hosts,
    GError **error);
void http_auth_free (HttpAuth *auth);
const char *http_auth_get_token (const HttpAuth *auth);
/* Whether the Host is one of ours and the Origin, if any, is that Host. */
gboolean http_auth_check_host (HttpAuth *auth, SoupServerMessage *message);
/* Whether a session or the token came along: returns 200, 401, or 429 after too many
 * wrong ones. */
guint http_auth_check (HttpAuth *auth, SoupServerMessage *message);
/* Opens a session for @token and sets its cookie. Returns 204, 401 or 429. */
guint http_auth_open (HttpAuth *auth, SoupServerMessage *message,
    const char *token);
/* The session by which http_auth_check() lets @message in, or NULL: it has the token. Free
 * with g_free(). */
char *http_auth_get_session (const HttpAuth *auth, SoupServerMessage *message);
gboolean http_auth_is_open (const HttpAuth *auth, const char *session);
/* Ends the message's session. Fails as http_sessions_close(). */
gboolean http_auth_close (HttpAuth *auth, SoupServerMessage *message,
    GError **error);
/* Ends all sessions. */
gboolean http_auth_close_all (HttpAuth *auth, GError **error);
/* Logs what was done, and by whom: the sender of a message that was let in. */
void http_auth_log (SoupServerMessage *message, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
