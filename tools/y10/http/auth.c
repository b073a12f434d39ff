/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Authentication: the token, the sessions that it opens, and from which pages.
 *
 * The token stays in its file and in the head of a machine's requests; a page trades it
 * for a session, whose number is random and no token. A page of another site can make a
 * browser send requests, so the Origin must be the Host; and it can have its name lead
 * to this machine (DNS rebinding), so the Host must be known: an address, which no name
 * can fake, localhost, or what --host says. */

#include "config.h"

#ifdef HAVE_SERVE

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <y10/y10.h>

#include "base/log.h"
#include "base/privatefile.h"
#include "base/readfile.h"
#include "base/text.h"
#include "http/auth.h"
#include "http/refusals.h"
#include "http/sessions.h"

#define MAX_FILE 4096   /* bytes, of the token */
#define MAX_SHOWN 64    /* bytes of what a client says */
#define TOO_MANY 429    /* libsoup has no name for it */
#define MAX_FAILURES 10 /* of an address */
#define FAILURE_TIME (60 * G_USEC_PER_SEC)
#define MAX_ADDRESSES 1024

typedef struct
{
  gint64 since;
  guint n;
} Failures;

struct _HttpAuth
{
  char *token, *cookie;
  gboolean secure, loopback;
  char **hosts;
  HttpSessions *sessions;
  HttpRefusals *refusals;
  GHashTable *failures; /* address → Failures */
};

/* Takes the same time wherever the difference is. */
static gboolean
equals_secret (const char *text, const char *secret)
{
  guint8 differs = 0;

  if (strlen (text) != strlen (secret))
    return FALSE;
  for (gsize i = 0; secret[i]; i++)
    differs |= (guint8) (text[i] ^ secret[i]);
  return differs == 0;
}

static char *
make_token (const char *path, GError **error)
{
  char *token = http_secret_new ();
  g_autofree char *line = NULL;

  if (!token) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "cannot make a token: %s",
        g_strerror (errno));
    return NULL;
  }
  line = g_strconcat (token, "\n", NULL);
  if (!tool_write_private (path, line, error))
    g_clear_pointer (&token, g_free);
  return token;
}

static char *
read_token (const char *path, GError **error)
{
  struct stat status;
  g_autofree char *text = NULL;

  if (stat (path, &status) != 0 && errno == ENOENT)
    return make_token (path, error);
  text = tool_read_file (path, MAX_FILE, NULL, error);
  if (!text)
    return NULL;
  g_strstrip (text);
  if (status.st_mode & 077)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: others may read the token; run chmod 600 on it, or remove it for a new one",
        path);
  else if (!http_secret_is_one (text))
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: no token; expected %d hexadecimal digits; remove it for a new one",
        path, HTTP_SECRET_LENGTH);
  else
    return g_steal_pointer (&text);
  return NULL;
}

HttpAuth *
http_auth_new (const char *token_path, const char *sessions_path, guint port,
    gboolean secure, gboolean loopback, char **hosts, GError **error)
{
  char *token = read_token (token_path, error);
  HttpAuth *auth;

  if (!token)
    return NULL;
  auth = g_new0 (HttpAuth, 1);
  auth->token = token;
  auth->cookie = g_strdup_printf ("y10-%u", port);
  auth->secure = secure;
  auth->loopback = loopback;
  auth->hosts = hosts;
  auth->sessions = http_sessions_new (sessions_path, token);
  auth->refusals = http_refusals_new ();
  auth->failures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  return auth;
}

void
http_auth_free (HttpAuth *auth)
{
  http_sessions_free (auth->sessions);
  http_refusals_free (auth->refusals);
  g_hash_table_unref (auth->failures);
  g_free (auth->token);
  g_free (auth->cookie);
  g_free (auth);
}

const char *
http_auth_get_token (const HttpAuth *auth)
{
  return auth->token;
}

static gboolean
is_known_host (const HttpAuth *auth, const char *host)
{
  g_autoptr (GInetAddress) address = NULL;
  gboolean known = !g_ascii_strcasecmp (host, "localhost");

  for (guint i = 0; !known && auth->hosts && auth->hosts[i]; i++)
    known = !g_ascii_strcasecmp (host, auth->hosts[i]);
  address = known ? NULL : g_inet_address_new_from_string (host);
  if (address)
    known = !auth->loopback || g_inet_address_get_is_loopback (address);
  return known;
}

/* Free with g_free(). */
static char *
get_address (SoupServerMessage *message)
{
  GSocketAddress *address = soup_server_message_get_remote_address (message);

  return G_IS_INET_SOCKET_ADDRESS (address)
      ? g_inet_address_to_string (
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)))
      : g_strdup ("?");
}

static void
log_refusal (HttpAuth *auth, SoupServerMessage *message, const char *reason,
    const char *details)
{
  g_autofree char *address = get_address (message);

  http_refusals_add (auth->refusals, address, reason, details);
}

static gboolean
is_own_host (HttpAuth *auth, const char *host, const char *origin)
{
  const char *scheme_end = origin ? strstr (origin, "://") : NULL;
  g_autofree char *text = host ? g_strconcat ("http://", host, "/", NULL)
                               : NULL;
  g_autoptr (GUri) uri = text ? g_uri_parse (text, G_URI_FLAGS_NONE, NULL)
                              : NULL;
  gboolean ok = uri && !g_uri_get_userinfo (uri) && g_uri_get_host (uri)
      && !strcmp (g_uri_get_path (uri), "/")
      && is_known_host (auth, g_uri_get_host (uri));

  /* A proxy may speak another scheme than this server, but no other name. */
  if (origin)
    ok = ok && scheme_end && !g_ascii_strcasecmp (scheme_end + 3, host);
  return ok;
}

gboolean
http_auth_check_host (HttpAuth *auth, SoupServerMessage *message)
{
  SoupMessageHeaders *head = soup_server_message_get_request_headers (message);
  const char *host = soup_message_headers_get_one (head, "Host");
  const char *origin = soup_message_headers_get_one (head, "Origin");
  g_autofree char *details = NULL;

  if (is_own_host (auth, host, origin))
    return TRUE;
  host = host ? host : "";
  origin = origin ? origin : "";
  details = g_strdup_printf (", Host '%.*s', Origin '%.*s'",
      y10_text_fit (host, MAX_SHOWN), host, y10_text_fit (origin, MAX_SHOWN),
      origin);
  log_refusal (auth, message, "unknown host or origin", details);
  return FALSE;
}

/* Returns its failures of the last minute, or NULL. */
static Failures *
find_failures (HttpAuth *auth, const char *address)
{
  Failures *failures = g_hash_table_lookup (auth->failures, address);

  if (failures && g_get_monotonic_time () - failures->since > FAILURE_TIME) {
    g_hash_table_remove (auth->failures, address);
    return NULL;
  }
  return failures;
}

/* Compares what claims to be the token; returns 200, 401 or 429. Whoever has the token is
 * not kept out by others of the same address, such as that of a proxy. */
static guint
check_token (HttpAuth *auth, SoupServerMessage *message, const char *token)
{
  g_autofree char *address = get_address (message);
  Failures *failures = find_failures (auth, address);
  guint status = SOUP_STATUS_UNAUTHORIZED;

  if (equals_secret (token, auth->token)) {
    status = SOUP_STATUS_OK;
  } else if (failures && failures->n >= MAX_FAILURES) {
    status = TOO_MANY;
  } else if (failures) {
    failures->n++;
  } else {
    if (g_hash_table_size (auth->failures) >= MAX_ADDRESSES)
      g_hash_table_remove_all (auth->failures);
    failures = g_new0 (Failures, 1);
    failures->since = g_get_monotonic_time ();
    failures->n = 1;
    g_hash_table_insert (auth->failures, g_steal_pointer (&address), failures);
  }
  if (status != SOUP_STATUS_OK)
    log_refusal (auth, message,
        status == TOO_MANY ? "too many wrong tokens" : "wrong token", NULL);
  return status;
}

/* Returns what the message's cookie says, or NULL. */
static char *
get_cookie (const HttpAuth *auth, SoupServerMessage *message)
{
  const char *header =
      soup_message_headers_get_list (soup_server_message_get_request_headers (
                                         message),
          "Cookie");
  g_auto (GStrv) cookies = g_strsplit (header ? header : "", ";", 64);
  const gsize length = strlen (auth->cookie);
  char *number = NULL;

  for (guint i = 0; cookies[i] && !number; i++) {
    const char *cookie = g_strstrip (cookies[i]);

    if (!strncmp (cookie, auth->cookie, length) && cookie[length] == '=')
      number = g_strdup (cookie + length + 1);
  }
  return number;
}

/* Returns what claims to be the token, or NULL. */
static const char *
get_bearer (SoupServerMessage *message)
{
  const char *bearer =
      soup_message_headers_get_one (soup_server_message_get_request_headers (
                                        message),
          "Authorization");

  return bearer && !g_ascii_strncasecmp (bearer, "Bearer ", 7) ? bearer + 7
                                                               : NULL;
}

char *
http_auth_get_session (const HttpAuth *auth, SoupServerMessage *message)
{
  return get_bearer (message) ? NULL : get_cookie (auth, message);
}

gboolean
http_auth_is_open (const HttpAuth *auth, const char *session)
{
  return http_sessions_is_open (auth->sessions, session);
}

guint
http_auth_check (HttpAuth *auth, SoupServerMessage *message)
{
  const char *bearer = get_bearer (message);
  g_autofree char *session = NULL;
  gboolean is_open;

  if (bearer)
    return check_token (auth, message, bearer);
  session = get_cookie (auth, message);
  is_open = session && http_auth_is_open (auth, session);
  return is_open ? SOUP_STATUS_OK : SOUP_STATUS_UNAUTHORIZED;
}

static void
set_cookie (HttpAuth *auth, SoupServerMessage *message, const char *number,
    int seconds)
{
  g_autofree char *cookie =
      g_strdup_printf ("%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s",
          auth->cookie, number, seconds, auth->secure ? "; Secure" : "");

  soup_message_headers_replace (soup_server_message_get_response_headers (
                                    message),
      "Set-Cookie", cookie);
}

guint
http_auth_open (HttpAuth *auth, SoupServerMessage *message, const char *token)
{
  const guint status = check_token (auth, message, token);
  g_autofree char *number = NULL, *address = NULL;

  if (status != SOUP_STATUS_OK)
    return status;
  number = http_sessions_open (auth->sessions);
  if (!number)
    return SOUP_STATUS_INTERNAL_SERVER_ERROR;
  address = get_address (message);
  tool_log (TOOL_LOG_NOTICE, "a session began, from %s", address);
  set_cookie (auth, message, number, HTTP_SESSION_TIME);
  return SOUP_STATUS_NO_CONTENT;
}

gboolean
http_auth_close (HttpAuth *auth, SoupServerMessage *message, GError **error)
{
  g_autofree char *number = get_cookie (auth, message);
  const gboolean ok = !number
      || http_sessions_close (auth->sessions, number, error);

  set_cookie (auth, message, "", 0);
  return ok;
}

gboolean
http_auth_close_all (HttpAuth *auth, GError **error)
{
  return http_sessions_close (auth->sessions, NULL, error);
}

void
http_auth_log (SoupServerMessage *message, const char *format, ...)
{
  g_autofree char *address = get_address (message), *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  tool_log (TOOL_LOG_NOTICE, "%s, by %s from %s", what,
      get_bearer (message) ? "the token" : "a session", address);
}

#endif
