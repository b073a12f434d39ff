/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* TLS: clients until the handshake is done.
 *
 * GLib shakes hands in one of ten threads that all its tasks share, and each client that
 * says nothing would keep one of them. So fewer handshakes are under way at once, each
 * from the client's first byte on. When there is one more, the oldest of the address that
 * has most of them ends. Nor may a client shake hands again later, as TLS 1.2 lets it. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "http/handshake.h"
#include "http/tap.h"

#define MAX_HANDSHAKES 8
#define RECORD_HEAD \
  5 /* bytes: the type, a version and the length of what follows */
#define RECORD_HANDSHAKE 22

struct _HttpHandshakes
{
  GTlsCertificate *certificate;
  GPtrArray *silent, *shaking; /* Handshake, the oldest first */
};

/* What a client sends, as it is encrypted. TLS 1.3 has another type for all that comes
 * after the handshake. */
typedef struct
{
  guint8 head[RECORD_HEAD];
  guint n_head;
  gsize n_left; /* of a record */
  gint is_done; /* the handshake, of another thread */
} Records;

typedef struct
{
  HttpHandshakes *owner; /* that has it in a list, or NULL */
  HttpConnection *connection;
  GIOStream *plain;
  Records *records;
  GSource *source;
  HttpHandshakeFunc func;
  gpointer data;
} Handshake;

static gboolean
admit (const guint8 *bytes, gsize n, gpointer data)
{
  Records *records = data;

  while (n) {
    const gsize skipped = MIN (n, records->n_left);

    records->n_left -= skipped;
    bytes += skipped;
    n -= skipped;
    if (!n)
      break;
    records->head[records->n_head++] = *bytes++;
    n--;
    if (records->n_head < RECORD_HEAD)
      continue;
    records->n_head = 0;
    records->n_left = (gsize) records->head[3] << 8 | records->head[4];
    if (records->head[0] == RECORD_HANDSHAKE
        && g_atomic_int_get (&records->is_done))
      return FALSE;
  }
  return TRUE;
}

/* Takes @stream. */
static void
finish (Handshake *handshake, GIOStream *stream)
{
  if (handshake->source) {
    g_source_destroy (handshake->source);
    g_source_unref (handshake->source);
  }
  handshake->func (stream, handshake->data);
  http_connection_unref (handshake->connection);
  g_object_unref (handshake->plain);
  g_rc_box_release (handshake->records);
  g_free (handshake);
}

static void
on_shaken (GObject *stream, GAsyncResult *result, gpointer data)
{
  Handshake *handshake = data;
  const gboolean ok = g_tls_connection_handshake_finish (G_TLS_CONNECTION (
                                                             stream),
      result, NULL);

  g_atomic_int_set (&handshake->records->is_done, TRUE);
  if (handshake->owner)
    g_ptr_array_remove (handshake->owner->shaking, handshake);
  finish (handshake, ok ? g_object_ref (G_IO_STREAM (stream)) : NULL);
}

static guint
count (const GPtrArray *handshakes, const guint8 *place)
{
  guint n = 0;

  for (guint i = 0; i < handshakes->len; i++)
    n += !memcmp (((Handshake *) handshakes->pdata[i])->connection->place,
        place, HTTP_PLACE);
  return n;
}

static void
end_one (GPtrArray *handshakes)
{
  Handshake *found = NULL;
  guint most = 0;

  for (guint i = 0; i < handshakes->len; i++) {
    Handshake *handshake = handshakes->pdata[i];
    const guint n = count (handshakes, handshake->connection->place);

    if (n <= most)
      continue;
    most = n;
    found = handshake;
  }
  g_ptr_array_remove (handshakes, found);
  found->owner = NULL;
  http_connection_end (found->connection);
}

static void
shake (Handshake *handshake)
{
  HttpHandshakes *owner = handshake->owner;
  /* Without the system's authorities: clients have no certificates, and each connection
   * would load them again, 3 MB. */
  g_autoptr (GIOStream)
      stream = g_initable_new (g_tls_backend_get_server_connection_type (
                                   g_tls_backend_get_default ()),
          NULL, NULL, "base-io-stream", handshake->plain, "certificate",
          owner->certificate, "database", NULL, NULL);

  if (!stream) {
    finish (handshake, NULL);
    return;
  }
  if (owner->shaking->len >= MAX_HANDSHAKES)
    end_one (owner->shaking);
  g_ptr_array_add (owner->shaking, handshake);
  g_tls_connection_handshake_async (G_TLS_CONNECTION (stream),
      G_PRIORITY_DEFAULT, NULL, on_shaken, handshake);
}

static gboolean
on_first_byte (GSocket *socket, GIOCondition condition, gpointer data)
{
  Handshake *handshake = data;

  g_clear_pointer (&handshake->source, g_source_unref);
  g_ptr_array_remove (handshake->owner->silent, handshake);
  shake (handshake);
  return G_SOURCE_REMOVE;
}

void
http_handshakes_begin (HttpHandshakes *handshakes, HttpConnection *connection,
    GIOStream *plain, HttpHandshakeFunc func, gpointer data)
{
  static const HttpTapFuncs funcs = { admit, NULL, g_rc_box_release };
  Handshake *handshake = g_new0 (Handshake, 1);

  handshake->owner = handshakes;
  handshake->connection = g_rc_box_acquire (connection);
  handshake->records = g_rc_box_new0 (Records);
  handshake->plain = http_tap_new (plain, connection->socket, &funcs,
      g_rc_box_acquire (handshake->records));
  g_object_unref (plain);
  handshake->func = func;
  handshake->data = data;
  handshake->source = g_socket_create_source (connection->socket, G_IO_IN,
      NULL);
  g_source_set_callback (handshake->source, G_SOURCE_FUNC (on_first_byte),
      handshake, NULL);
  g_source_attach (handshake->source, NULL);
  g_ptr_array_add (handshakes->silent, handshake);
}

HttpHandshakes *
http_handshakes_new (GTlsCertificate *certificate)
{
  HttpHandshakes *handshakes = g_new0 (HttpHandshakes, 1);

  handshakes->certificate = certificate;
  handshakes->silent = g_ptr_array_new ();
  handshakes->shaking = g_ptr_array_new ();
  return handshakes;
}

void
http_handshakes_free (HttpHandshakes *handshakes)
{
  for (guint i = 0; i < handshakes->silent->len; i++)
    finish (handshakes->silent->pdata[i], NULL);
  for (guint i = 0; i < handshakes->shaking->len; i++)
    ((Handshake *) handshakes->shaking->pdata[i])->owner = NULL;
  g_ptr_array_unref (handshakes->silent);
  g_ptr_array_unref (handshakes->shaking);
  g_free (handshakes);
}

#endif
