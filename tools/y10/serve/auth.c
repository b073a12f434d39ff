/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Who may.
 *
 * The token stays in its file and in the head of a machine's requests; a page trades it
 * for a session, whose number is random and no token. A page of another site can make a
 * browser send requests, so the Origin must be the Host; and it can have its name lead
 * to this machine (DNS rebinding), so the Host must be known: an address, which no name
 * can fake, localhost, or what --host says. */

#include "config.h"

#ifdef HAVE_SERVE

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <y10/y10.h>

#include "serve/auth.h"
#include "serve/settings.h"

#define TOKEN_BYTES 16
#define TOKEN_LENGTH (2 * TOKEN_BYTES)
#define MOST_SESSIONS 64
#define SESSION_TIME (30 * G_TIME_SPAN_DAY)
#define MOST_FAILURES 10 /* of an address */
#define FAILURE_TIME (60 * G_USEC_PER_SEC)
#define MOST_ADDRESSES 1024

typedef struct
{
  gint64 since;
  guint n;
} Failures;

struct _ServeAuth
{
  char *token, *cookie;
  gboolean secure, loopback;
  char **hosts;
  GHashTable *sessions; /* number → gint64 *, its end */
  GHashTable *failures; /* address → Failures */
};

/* Returns NULL without randomness. */
static char *
make_secret (void)
{
  guint8 bytes[TOKEN_BYTES];
  char *text;

  if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
    return NULL;
  text = g_malloc0 (TOKEN_LENGTH + 1);
  for (guint i = 0; i < TOKEN_BYTES; i++)
    g_snprintf (text + 2 * i, 3, "%02x", bytes[i]);
  return text;
}

static gboolean
is_secret (const char *text)
{
  return strlen (text) == TOKEN_LENGTH
      && strspn (text, "0123456789abcdef") == TOKEN_LENGTH;
}

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
  char *token = make_secret (), *line;

  if (!token) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "cannot make a token: %s",
        g_strerror (errno));
    return NULL;
  }
  line = g_strconcat (token, "\n", NULL);
  if (!serve_write_private (path, line, error))
    g_clear_pointer (&token, g_free);
  g_free (line);
  return token;
}

static char *
read_token (const char *path, GError **error)
{
  struct stat status;
  char *text;

  if (stat (path, &status) != 0 && errno == ENOENT)
    return make_token (path, error);
  if (!g_file_get_contents (path, &text, NULL, error))
    return NULL;
  g_strstrip (text);
  if (status.st_mode & 077)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: others may read the token; run chmod 600 on it, or remove it for a new one",
        path);
  else if (!is_secret (text))
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: no token; expected %d hexadecimal digits; remove it for a new one",
        path, TOKEN_LENGTH);
  else
    return text;
  g_free (text);
  return NULL;
}

ServeAuth *
serve_auth_new (const char *token_path, guint port, gboolean secure,
    gboolean loopback, char **hosts, GError **error)
{
  char *token = read_token (token_path, error);
  ServeAuth *auth;

  if (!token)
    return NULL;
  auth = g_new0 (ServeAuth, 1);
  auth->token = token;
  auth->cookie = g_strdup_printf ("y10-%u", port);
  auth->secure = secure;
  auth->loopback = loopback;
  auth->hosts = hosts;
  auth->sessions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  auth->failures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  return auth;
}

void
serve_auth_free (ServeAuth *auth)
{
  g_hash_table_unref (auth->sessions);
  g_hash_table_unref (auth->failures);
  g_free (auth->token);
  g_free (auth->cookie);
  g_free (auth);
}

const char *
serve_auth_get_token (const ServeAuth *auth)
{
  return auth->token;
}

static gboolean
is_known_host (const ServeAuth *auth, const char *host)
{
  GInetAddress *address;
  gboolean known = !g_ascii_strcasecmp (host, "localhost");

  for (guint i = 0; !known && auth->hosts && auth->hosts[i]; i++)
    known = !g_ascii_strcasecmp (host, auth->hosts[i]);
  address = known ? NULL : g_inet_address_new_from_string (host);
  if (address) {
    known = !auth->loopback || g_inet_address_get_is_loopback (address);
    g_object_unref (address);
  }
  return known;
}

gboolean
serve_auth_check_host (ServeAuth *auth, SoupServerMessage *message)
{
  SoupMessageHeaders *head = soup_server_message_get_request_headers (message);
  const char *host = soup_message_headers_get_one (head, "Host");
  const char *origin = soup_message_headers_get_one (head, "Origin");
  const char *scheme_end = origin ? strstr (origin, "://") : NULL;
  char *text = host ? g_strconcat ("http://", host, "/", NULL) : NULL;
  GUri *uri = text ? g_uri_parse (text, G_URI_FLAGS_NONE, NULL) : NULL;
  gboolean ok = uri && !g_uri_get_userinfo (uri) && g_uri_get_host (uri)
      && !strcmp (g_uri_get_path (uri), "/")
      && is_known_host (auth, g_uri_get_host (uri));

  /* A proxy may speak another scheme than this server, but no other name. */
  if (origin)
    ok = ok && scheme_end && !g_ascii_strcasecmp (scheme_end + 3, host);
  g_clear_pointer (&uri, g_uri_unref);
  g_free (text);
  return ok;
}

static char *
get_address (SoupServerMessage *message)
{
  GSocketAddress *address = soup_server_message_get_remote_address (message);

  return G_IS_INET_SOCKET_ADDRESS (address)
      ? g_inet_address_to_string (
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)))
      : g_strdup ("?");
}

/* Returns its failures of the last minute, or NULL. */
static Failures *
find_failures (ServeAuth *auth, const char *address)
{
  Failures *failures = g_hash_table_lookup (auth->failures, address);

  if (failures && g_get_monotonic_time () - failures->since > FAILURE_TIME) {
    g_hash_table_remove (auth->failures, address);
    return NULL;
  }
  return failures;
}

/* Compares what claims to be the token; returns 200, 401 or 429. */
static guint
check_token (ServeAuth *auth, SoupServerMessage *message, const char *token)
{
  char *address = get_address (message);
  Failures *failures = find_failures (auth, address);
  guint status = SOUP_STATUS_UNAUTHORIZED;

  if (failures && failures->n >= MOST_FAILURES) {
    status = 429;
  } else if (equals_secret (token, auth->token)) {
    status = SOUP_STATUS_OK;
  } else if (failures) {
    failures->n++;
  } else {
    if (g_hash_table_size (auth->failures) >= MOST_ADDRESSES)
      g_hash_table_remove_all (auth->failures);
    failures = g_new0 (Failures, 1);
    failures->since = g_get_monotonic_time ();
    failures->n = 1;
    g_hash_table_insert (auth->failures, g_steal_pointer (&address), failures);
  }
  g_free (address);
  return status;
}

/* Returns what the message's cookie says, or NULL. */
static char *
get_cookie (const ServeAuth *auth, SoupServerMessage *message)
{
  const char *header =
      soup_message_headers_get_list (soup_server_message_get_request_headers (
                                         message),
          "Cookie");
  char **cookies = g_strsplit (header ? header : "", ";", 64);
  const gsize length = strlen (auth->cookie);
  char *number = NULL;

  for (guint i = 0; cookies[i] && !number; i++) {
    const char *cookie = g_strstrip (cookies[i]);

    if (!strncmp (cookie, auth->cookie, length) && cookie[length] == '=')
      number = g_strdup (cookie + length + 1);
  }
  g_strfreev (cookies);
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
serve_auth_get_session (const ServeAuth *auth, SoupServerMessage *message)
{
  return get_bearer (message) ? NULL : get_cookie (auth, message);
}

gboolean
serve_auth_is_open (const ServeAuth *auth, const char *session)
{
  const gint64 *end = g_hash_table_lookup (auth->sessions, session);

  return end && g_get_monotonic_time () < *end;
}

guint
serve_auth_check (ServeAuth *auth, SoupServerMessage *message)
{
  const char *bearer = get_bearer (message);
  char *session;
  gboolean is_open;

  if (bearer)
    return check_token (auth, message, bearer);
  session = get_cookie (auth, message);
  is_open = session && serve_auth_is_open (auth, session);
  g_free (session);
  return is_open ? SOUP_STATUS_OK : SOUP_STATUS_UNAUTHORIZED;
}

static void
remove_oldest (GHashTable *sessions)
{
  GHashTableIter iter;
  gpointer number, end, oldest = NULL;
  gint64 first = G_MAXINT64;

  g_hash_table_iter_init (&iter, sessions);
  while (g_hash_table_iter_next (&iter, &number, &end)) {
    if (*(gint64 *) end < first) {
      first = *(gint64 *) end;
      oldest = number;
    }
  }
  if (oldest)
    g_hash_table_remove (sessions, oldest);
}

static void
set_cookie (ServeAuth *auth, SoupServerMessage *message, const char *number,
    int seconds)
{
  char *cookie =
      g_strdup_printf ("%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s",
          auth->cookie, number, seconds, auth->secure ? "; Secure" : "");

  soup_message_headers_replace (soup_server_message_get_response_headers (
                                    message),
      "Set-Cookie", cookie);
  g_free (cookie);
}

guint
serve_auth_open (ServeAuth *auth, SoupServerMessage *message, const char *token)
{
  const guint status = check_token (auth, message, token);
  char *number;
  gint64 *end;

  if (status != SOUP_STATUS_OK)
    return status;
  number = make_secret ();
  if (!number)
    return SOUP_STATUS_INTERNAL_SERVER_ERROR;
  if (g_hash_table_size (auth->sessions) >= MOST_SESSIONS)
    remove_oldest (auth->sessions);
  end = g_new (gint64, 1);
  *end = g_get_monotonic_time () + SESSION_TIME;
  set_cookie (auth, message, number, (int) (SESSION_TIME / G_USEC_PER_SEC));
  g_hash_table_insert (auth->sessions, number, end);
  return SOUP_STATUS_NO_CONTENT;
}

void
serve_auth_close (ServeAuth *auth, SoupServerMessage *message)
{
  char *number = get_cookie (auth, message);

  if (number)
    g_hash_table_remove (auth->sessions, number);
  g_free (number);
  set_cookie (auth, message, "", 0);
}

#endif
