/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Sessions of browsers, which outlive the process. */

#include <glib.h>

#define HTTP_SECRET_LENGTH 32              /* hexadecimal digits */
#define HTTP_SESSION_TIME (30 * 24 * 3600) /* s */

typedef struct _HttpSessions HttpSessions;

/* A random number of HTTP_SECRET_LENGTH digits, or NULL without randomness. Free with
 * g_free(). */
char *http_secret_new (void);
gboolean http_secret_is_one (const char *text);

/* Reads those of @path that @token opened; what is wrong with it is logged. @path: NULL to
 * keep none. */
HttpSessions *http_sessions_new (const char *path, const char *token);
/* They go on in the file. */
void http_sessions_free (HttpSessions *sessions);
/* Opens one; of too many, the oldest ends. Returns its number, or NULL without randomness.
 * Free with g_free(). */
char *http_sessions_open (HttpSessions *sessions);
gboolean http_sessions_is_open (const HttpSessions *sessions,
    const char *number);
/* Ends the session @number, or all for NULL. Fails where it would be open again after a
 * restart, since the file cannot be written. */
gboolean http_sessions_close (HttpSessions *sessions, const char *number,
    GError **error);
