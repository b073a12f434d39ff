/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Who may: the token, the sessions that it opens, and from which pages. */

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _ServeAuth ServeAuth;

/* Reads the token's file, or makes it. @sessions_path: where sessions are kept, or NULL.
 * @hosts: names by which a proxy calls this server, or NULL; borrowed. @loopback: the
 * server listens on this machine's own address only. */
ServeAuth *serve_auth_new (const char *token_path, const char *sessions_path,
    guint port, gboolean secure, gboolean loopback, char **hosts,
    GError **error);
void serve_auth_free (ServeAuth *auth);
const char *serve_auth_get_token (const ServeAuth *auth);
/* Whether the Host is one of ours and the Origin, if any, is that Host. */
gboolean serve_auth_check_host (ServeAuth *auth, SoupServerMessage *message);
/* Whether a session or the token came along: returns 200, 401, or 429 after too many
 * wrong ones. */
guint serve_auth_check (ServeAuth *auth, SoupServerMessage *message);
/* Opens a session for @token and sets its cookie. Returns 204, 401 or 429. */
guint serve_auth_open (ServeAuth *auth, SoupServerMessage *message,
    const char *token);
/* The session by which serve_auth_check() lets @message in, or NULL: it has the token. Free
 * with g_free(). */
char *serve_auth_get_session (const ServeAuth *auth,
    SoupServerMessage *message);
gboolean serve_auth_is_open (const ServeAuth *auth, const char *session);
/* Ends the message's session. Fails as serve_sessions_close(). */
gboolean serve_auth_close (ServeAuth *auth, SoupServerMessage *message,
    GError **error);
/* Ends all sessions. */
gboolean serve_auth_close_all (ServeAuth *auth, GError **error);
/* Logs what was done, and by whom: the sender of a message that was let in. */
void serve_auth_log (SoupServerMessage *message, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* To be called a few times a second. */
void serve_auth_look (ServeAuth *auth);

G_END_DECLS
