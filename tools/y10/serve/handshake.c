/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* TLS: clients until the handshake is done.
 *
 * GLib shakes hands in one of ten threads that all its tasks share, and each client that
 * says nothing would keep one of them. So fewer handshakes are under way at once, each
 * from the client's first byte on. When there is one more, the oldest of the address that
 * has most of them ends. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "serve/handshake.h"

#define MOST_HANDSHAKES 8

struct _ServeHandshakes
{
  GTlsCertificate *certificate;
  GPtrArray *silent, *shaking; /* Handshake, the oldest first */
};

typedef struct
{
  ServeHandshakes *owner; /* that has it in a list, or NULL */
  ServeConnection *connection;
  GIOStream *plain;
  GSource *source;
  ServeHandshakeFunc func;
  gpointer data;
} Handshake;

/* Takes @stream. */
static void
finish (Handshake *handshake, GIOStream *stream)
{
  if (handshake->source) {
    g_source_destroy (handshake->source);
    g_source_unref (handshake->source);
  }
  handshake->func (stream, handshake->data);
  serve_connection_unref (handshake->connection);
  g_object_unref (handshake->plain);
  g_free (handshake);
}

static void
on_shaken (GObject *stream, GAsyncResult *result, gpointer data)
{
  Handshake *handshake = data;
  const gboolean ok = g_tls_connection_handshake_finish (G_TLS_CONNECTION (
                                                             stream),
      result, NULL);

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
        place, SERVE_PLACE);
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
  serve_connection_end (found->connection);
}

static void
shake (Handshake *handshake)
{
  ServeHandshakes *owner = handshake->owner;
  /* Without the system's authorities: clients have no certificates, and each connection
   * would load them again, 3 MB. */
  GIOStream *stream = g_initable_new (g_tls_backend_get_server_connection_type (
                                          g_tls_backend_get_default ()),
      NULL, NULL, "base-io-stream", handshake->plain, "certificate",
      owner->certificate, "database", NULL, NULL);

  if (!stream) {
    finish (handshake, NULL);
    return;
  }
  if (owner->shaking->len >= MOST_HANDSHAKES)
    end_one (owner->shaking);
  g_ptr_array_add (owner->shaking, handshake);
  g_tls_connection_handshake_async (G_TLS_CONNECTION (stream),
      G_PRIORITY_DEFAULT, NULL, on_shaken, handshake);
  g_object_unref (stream);
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
serve_handshakes_begin (ServeHandshakes *handshakes,
    ServeConnection *connection, GIOStream *plain, ServeHandshakeFunc func,
    gpointer data)
{
  Handshake *handshake = g_new0 (Handshake, 1);

  handshake->owner = handshakes;
  handshake->connection = g_rc_box_acquire (connection);
  handshake->plain = plain;
  handshake->func = func;
  handshake->data = data;
  handshake->source = g_socket_create_source (connection->socket, G_IO_IN,
      NULL);
  g_source_set_callback (handshake->source, G_SOURCE_FUNC (on_first_byte),
      handshake, NULL);
  g_source_attach (handshake->source, NULL);
  g_ptr_array_add (handshakes->silent, handshake);
}

ServeHandshakes *
serve_handshakes_new (GTlsCertificate *certificate)
{
  ServeHandshakes *handshakes = g_new0 (ServeHandshakes, 1);

  handshakes->certificate = certificate;
  handshakes->silent = g_ptr_array_new ();
  handshakes->shaking = g_ptr_array_new ();
  return handshakes;
}

void
serve_handshakes_free (ServeHandshakes *handshakes)
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
