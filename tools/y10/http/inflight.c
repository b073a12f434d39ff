/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What is on its way to clients, so that it can be called back.
 *
 * What was written to a socket is in the kernel's queue until the client has acknowledged
 * it: hundreds of kilobytes of a slow one, and also once libsoup has answered and closed.
 * Closing or shutting down a socket lets the kernel send them; only a reset drops them. So
 * each connection that has such an answer is known here, by a file descriptor of its own, until
 * the queue is empty. */

#include "config.h"

#ifdef HAVE_SERVE

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/sockios.h>
#include <unistd.h>

#include "http/connection.h"
#include "http/inflight.h"

#define PATIENCE \
  (30 * G_USEC_PER_SEC) /* that the end of a closed one may take */
#define INTERVAL 250 /* ms between looks at what has arrived: nothing tells */

typedef struct
{
  SoupServerMessage *message; /* NULL: it is finished */
  HttpConnection *connection;
  int file; /* of the same socket */
  char *subject;
  gboolean is_queued; /* libsoup has something of it */
  gint64 closed;      /* by libsoup; 0: it is not */
} Sent;

static GPtrArray *all; /* Sent, or NULL */
static guint look_id;  /* a source, while there are some */

static void
on_finished (SoupServerMessage *message, gpointer data)
{
  Sent *sent = data;

  g_signal_handlers_disconnect_by_data (message, sent);
  g_clear_object (&sent->message);
  sent->is_queued = FALSE;
}

static void
free_sent (gpointer data)
{
  Sent *sent = data;

  if (sent->message)
    on_finished (sent->message, sent);
  http_connection_unref (sent->connection);
  close (sent->file);
  g_free (sent->subject);
  g_free (sent);
}

static Sent *
find (const SoupServerMessage *message)
{
  for (guint i = 0; all && i < all->len; i++) {
    Sent *sent = all->pdata[i];

    if (sent->message == message)
      return sent;
  }
  return NULL;
}

/* Whether the kernel has something that the client has not acknowledged. */
static gboolean
is_in_kernel (const Sent *sent)
{
  int n = 0;

  return ioctl (sent->file, SIOCOUTQ, &n) != 0 || n > 0;
}

/* Drops the kernel's queue and tells the client; all file descriptors of the socket fail
 * from now on, by which libsoup learns of it. */
static void
reset (const Sent *sent)
{
  const struct sockaddr nowhere = { .sa_family = AF_UNSPEC };
  const struct linger at_once = { .l_onoff = 1 };

  if (connect (sent->file, &nowhere, sizeof nowhere) == 0)
    return;
  setsockopt (sent->file, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  http_connection_end (sent->connection);
}

/* What libsoup has closed ends here, once all has arrived. Returns whether it has. */
static gboolean
has_ended (Sent *sent, gint64 now)
{
  if (sent->message)
    return FALSE;
  if (!is_in_kernel (sent))
    return TRUE;
  if (!sent->closed && http_connection_is_closed (sent->connection)) {
    sent->closed = now;
    shutdown (sent->file, SHUT_WR);
  }
  if (!sent->closed || now - sent->closed < PATIENCE)
    return FALSE;
  reset (sent);
  return TRUE;
}

static gboolean
look (gpointer unused)
{
  const gint64 now = g_get_monotonic_time ();

  for (guint i = all->len; i-- > 0;)
    if (has_ended (all->pdata[i], now))
      g_ptr_array_remove_index_fast (all, i);
  if (all->len)
    return G_SOURCE_CONTINUE;
  look_id = 0;
  return G_SOURCE_REMOVE;
}

void
http_inflight_add (SoupServerMessage *message, const char *subject)
{
  Sent *sent = find (message);
  HttpConnection *connection = sent ? NULL : http_connection_ref (message);
  const int file = connection ? http_connection_dup (connection) : -1;

  if (sent) {
    sent->is_queued = TRUE;
  } else if (file < 0) {
    /* Without a file descriptor it could not be called back. */
    http_connection_end (connection);
    http_connection_unref (connection);
  } else {
    sent = g_new0 (Sent, 1);
    sent->message = g_object_ref (message);
    sent->connection = connection;
    sent->file = file;
    sent->subject = g_strdup (subject);
    sent->is_queued = TRUE;
    g_signal_connect (message, "finished", G_CALLBACK (on_finished), sent);
    if (!all)
      all = g_ptr_array_new_with_free_func (free_sent);
    g_ptr_array_add (all, sent);
    if (!look_id)
      look_id = g_timeout_add (INTERVAL, look, NULL);
  }
}

void
http_inflight_written (const SoupServerMessage *message)
{
  Sent *sent = find (message);

  if (sent)
    sent->is_queued = FALSE;
}

void
http_inflight_reset (const char *subject)
{
  for (guint i = 0; all && i < all->len; i++) {
    const Sent *sent = all->pdata[i];

    if (!g_strcmp0 (sent->subject, subject)
        && (sent->is_queued || is_in_kernel (sent)))
      reset (sent);
  }
}

void
http_inflight_stop (void)
{
  g_clear_handle_id (&look_id, g_source_remove);
  g_clear_pointer (&all, g_ptr_array_unref);
}

#endif
