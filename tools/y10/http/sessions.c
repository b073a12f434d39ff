/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Sessions, in memory and in a file.
 *
 * The file has no number that opens anything, but its HMAC with the token as the key: who
 * reads it gets in nowhere, and with another token all sessions are over. A session ends
 * at a time of the wall clock, and after it was open for that long while the program ran:
 * so none lasts for ever on a machine whose clock is set back, such as at each start. */

#include "config.h"

#ifdef HAVE_SERVE

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <y10/y10.h>

#include "base/log.h"
#include "base/privatefile.h"
#include "http/sessions.h"

#define MAX_SESSIONS 64
#define HASH_LENGTH 64
#define MAX_FILE 16384
#define KEEP_INTERVAL 3600 /* s */

typedef struct
{
  gint64 end;      /* s since 1970 */
  gint64 deadline; /* of the monotonic clock, us */
} Session;

struct _HttpSessions
{
  char *path, *token;
  GHashTable *sessions; /* hash → Session */
  guint keeping;        /* a source */
  gboolean is_lost;     /* they cannot be kept, and that was logged */
};

char *
http_secret_new (void)
{
  guint8 bytes[HTTP_SECRET_LENGTH / 2];
  char *text;

  if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
    return NULL;
  text = g_malloc0 (HTTP_SECRET_LENGTH + 1);
  for (guint i = 0; i < sizeof bytes; i++)
    g_snprintf (text + 2 * i, 3, "%02x", bytes[i]);
  return text;
}

static gboolean
is_hexadecimal (const char *text, gsize length)
{
  return strlen (text) == length && strspn (text, "0123456789abcdef") == length;
}

gboolean
http_secret_is_one (const char *text)
{
  return is_hexadecimal (text, HTTP_SECRET_LENGTH);
}

static char *
hash (const HttpSessions *self, const char *number)
{
  return g_compute_hmac_for_string (G_CHECKSUM_SHA256,
      (const guchar *) self->token, strlen (self->token), number, -1);
}

static gint64
get_seconds (void)
{
  return g_get_real_time () / G_USEC_PER_SEC;
}

/* The seconds that it may still be open while the program runs. */
static gint64
get_left (const Session *session)
{
  return (session->deadline - g_get_monotonic_time ()) / G_USEC_PER_SEC;
}

static gboolean
is_over (const Session *session)
{
  return get_left (session) <= 0 || get_seconds () >= session->end;
}

static Session *
add_session (HttpSessions *self, char *hash, gint64 end, gint64 left)
{
  Session *session = g_new (Session, 1);

  session->end = end;
  session->deadline = g_get_monotonic_time () + left * G_USEC_PER_SEC;
  g_hash_table_insert (self->sessions, hash, session);
  return session;
}

/* Returns FALSE for a line that is none. */
static gboolean
read_line (HttpSessions *self, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 4);
  gint64 end, left;
  const gboolean ok = g_strv_length (words) == 3
      && is_hexadecimal (words[0], HASH_LENGTH)
      && g_ascii_string_to_signed (words[1], 10, 0, G_MAXINT64, &end, NULL)
      && g_ascii_string_to_signed (words[2], 10, 1, HTTP_SESSION_TIME, &left,
          NULL)
      && g_hash_table_size (self->sessions) < MAX_SESSIONS;

  if (ok && end > get_seconds ())
    add_session (self, g_strdup (words[0]), end, left);
  return ok;
}

/* Returns the file's text, or NULL with what is wrong with it, which is NULL if there is
 * none. */
static char *
read_file (const char *path, const char **why)
{
  const int file = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status;
  char *text = NULL;
  gssize n = -1;

  *why = file < 0 && errno != ENOENT ? g_strerror (errno) : NULL;
  if (file < 0)
    return NULL;
  if (fstat (file, &status) != 0 || !S_ISREG (status.st_mode)) {
    *why = "it is no file";
  } else if (status.st_uid != geteuid () || status.st_mode & 077) {
    *why = "others may read or write it, or it is another user's";
  } else {
    text = g_malloc (MAX_FILE + 1);
    n = read (file, text, MAX_FILE + 1);
    *why = "it is damaged";
  }
  close (file);
  if (n < 0 || n > MAX_FILE || memchr (text, 0, (gsize) n)) {
    g_clear_pointer (&text, g_free);
    return NULL;
  }
  text[n] = 0;
  return text;
}

/* All of it counts, or nothing. */
static void
load (HttpSessions *self)
{
  const char *why;
  g_autofree char *text = read_file (self->path, &why);
  g_auto (GStrv) lines = g_strsplit (text ? text : "", "\n", -1);
  gboolean ok = text || !why;

  for (guint i = 0; ok && lines[i]; i++)
    ok = lines[i + 1] ? read_line (self, lines[i]) : !*lines[i];
  if (!ok) {
    g_hash_table_remove_all (self->sessions);
    tool_log (TOOL_LOG_WARNING, "all sessions are over: %s: %s", self->path,
        why);
  }
}

static gboolean
save (HttpSessions *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GHashTableIter iter;
  gpointer hash, value;

  g_hash_table_iter_init (&iter, self->sessions);
  while (g_hash_table_iter_next (&iter, &hash, &value)) {
    const Session *session = value;

    if (is_over (session))
      g_hash_table_iter_remove (&iter);
    else
      g_string_append_printf (text,
          "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", (char *) hash,
          session->end, get_left (session));
  }
  return !self->path || tool_write_private (self->path, text->str, error);
}

/* Where they cannot be kept, they go on until the process ends. */
static void
keep (HttpSessions *self)
{
  g_autoptr (GError) error = NULL;

  if (save (self, &error)) {
    self->is_lost = FALSE;
    return;
  }
  if (!self->is_lost)
    tool_log (TOOL_LOG_WARNING, "sessions end with this process: %s",
        error->message);
  self->is_lost = TRUE;
}

/* How long they have been open is kept, too. */
static gboolean
keep_on (gpointer data)
{
  HttpSessions *self = data;

  if (g_hash_table_size (self->sessions))
    keep (self);
  return G_SOURCE_CONTINUE;
}

HttpSessions *
http_sessions_new (const char *path, const char *token)
{
  HttpSessions *self = g_new0 (HttpSessions, 1);

  self->path = g_strdup (path);
  self->token = g_strdup (token);
  self->sessions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  if (path)
    load (self);
  self->keeping = g_timeout_add_seconds (KEEP_INTERVAL, keep_on, self);
  return self;
}

void
http_sessions_free (HttpSessions *self)
{
  g_source_remove (self->keeping);
  if (g_hash_table_size (self->sessions))
    keep (self);
  g_hash_table_unref (self->sessions);
  g_free (self->path);
  g_free (self->token);
  g_free (self);
}

static void
remove_oldest (GHashTable *sessions)
{
  GHashTableIter iter;
  gpointer hash, value, oldest = NULL;
  gint64 first = G_MAXINT64;

  g_hash_table_iter_init (&iter, sessions);
  while (g_hash_table_iter_next (&iter, &hash, &value)) {
    const Session *session = value;

    if (session->deadline < first) {
      first = session->deadline;
      oldest = hash;
    }
  }
  if (oldest)
    g_hash_table_remove (sessions, oldest);
}

char *
http_sessions_open (HttpSessions *self)
{
  char *number = http_secret_new ();

  if (!number)
    return NULL;
  if (g_hash_table_size (self->sessions) >= MAX_SESSIONS)
    remove_oldest (self->sessions);
  add_session (self, hash (self, number), get_seconds () + HTTP_SESSION_TIME,
      HTTP_SESSION_TIME);
  keep (self);
  return number;
}

gboolean
http_sessions_is_open (const HttpSessions *self, const char *number)
{
  g_autofree char *key = hash (self, number);
  const Session *session = g_hash_table_lookup (self->sessions, key);

  return session && !is_over (session);
}

gboolean
http_sessions_close (HttpSessions *self, const char *number, GError **error)
{
  g_autofree char *key = number ? hash (self, number) : NULL;
  gboolean had;

  if (key) {
    had = g_hash_table_remove (self->sessions, key);
  } else {
    had = TRUE;
    g_hash_table_remove_all (self->sessions);
  }
  return !had || save (self, error);
}

#endif
