/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Sessions of browsers, which outlive the process. */

#include <glib.h>

G_BEGIN_DECLS

#define SERVE_SECRET_LENGTH 32              /* hexadecimal digits */
#define SERVE_SESSION_TIME (30 * 24 * 3600) /* s */

typedef struct _ServeSessions ServeSessions;

/* A random number of SERVE_SECRET_LENGTH digits, or NULL without randomness. Free with
 * g_free(). */
char *serve_secret_new (void);
gboolean serve_secret_is_one (const char *text);

/* Reads those of @path that @token opened; what is wrong with it is logged. @path: NULL to
 * keep none. */
ServeSessions *serve_sessions_new (const char *path, const char *token);
/* They go on in the file. */
void serve_sessions_free (ServeSessions *sessions);
/* Opens one; of too many, the oldest ends. Returns its number, or NULL without randomness.
 * Free with g_free(). */
char *serve_sessions_open (ServeSessions *sessions);
gboolean serve_sessions_is_open (const ServeSessions *sessions,
    const char *number);
/* Ends the session @number, or all for NULL. Fails where it would be open again after a
 * restart, since the file cannot be written. */
gboolean serve_sessions_close (ServeSessions *sessions, const char *number,
    GError **error);
/* Keeps how long they have been open; to be called a few times a second. */
void serve_sessions_look (ServeSessions *sessions);

G_END_DECLS
