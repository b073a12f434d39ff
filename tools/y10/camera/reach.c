/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Why a network camera cannot be reached.
 *
 * rtspsrc says the status that a camera answers with, but of a connection that could not
 * be made only that. So another one is tried, and closed at once: it tells a wrong name
 * from a closed port, and sends nothing. To a camera that has refused a password, it sends
 * the same request without one, and reads which ways of telling it there are. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <gio/gio.h>
#include <string.h>

#include "camera/reach.h"
#include "media/remote.h"

#define PATIENCE 3      /* s */
#define MAX_ANSWER 4095 /* bytes of a head */
#define UNAUTHORIZED 401

struct _ToolReach
{
  GCancellable *cancellable;
  ToolReachFunc func; /* NULL: freed; it lives until GIO is done */
  gpointer user;
  char *host;
  gboolean has_address, is_late;
  guint timer;
  char *request;                 /* NULL: connecting will do */
  GSocketConnection *connection; /* on which that is */
  char answer[MAX_ANSWER + 1];
};

/* What the element says. */
static char *
read_text (const ToolAddress *address, GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *debug = NULL, *text = NULL, *clean = NULL;
  const char *last;

  gst_message_parse_error (message, &error, &debug);
  last = debug ? strrchr (debug, '\n') : NULL;
  text = g_strconcat (error->message, last ? " " : NULL, last ? last + 1 : NULL,
      NULL);
  clean = address ? tool_address_censor (address, text) : g_strdup (text);
  return g_utf8_make_valid (clean, -1);
}

char *
tool_reach_explain (const ToolAddress *address,
    const ToolRemoteOptions *options, GstMessage *message, gboolean *unclear)
{
  g_autoptr (GError) error = NULL;
  char *text = address ? tool_remote_explain (message, address, options) : NULL;

  gst_message_parse_error (message, &error, NULL);
  *unclear = address
      && (text ? tool_remote_get_status (message) == UNAUTHORIZED
                  && address->user
               : error->domain == GST_RESOURCE_ERROR);
  return text ? text : read_text (address, message);
}

static void
free_reach (ToolReach *reach)
{
  g_clear_handle_id (&reach->timer, g_source_remove);
  g_object_unref (reach->cancellable);
  g_free (reach->host);
  g_free (reach->request);
  g_clear_object (&reach->connection);
  g_free (reach);
}

/* Returns NULL for an error that says nothing. */
static char *
explain_error (const ToolReach *reach, const GError *error)
{
  if (reach->is_late)
    return reach->has_address
        ? g_strdup_printf ("no answer from %s within %d s", reach->host,
            PATIENCE)
        : g_strdup_printf ("unknown host %s: no name server answers",
            reach->host);
  if (error->domain == G_RESOLVER_ERROR)
    return g_strdup_printf ("unknown host %s", reach->host);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED))
    return g_strdup ("connection refused");
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE))
    return g_strdup_printf ("no route to host %s", reach->host);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE))
    return g_strdup_printf ("no network to %s", reach->host);
  return g_strdup (error->message);
}

/* Ends @reach. */
static void
tell (ToolReach *reach, const char *why)
{
  if (reach->func)
    reach->func (why, reach->user);
  free_reach (reach);
}

/* Whether a camera says only by SHA-256 (RFC 7616) how it wants to be told a password: the
 * elements have Basic and MD5. */
static gboolean
wants_sha (const char *answer)
{
  g_auto (GStrv) lines = g_strsplit (answer, "\n", -1);
  guint n = 0, n_sha = 0;

  for (guint i = 0; lines[i]; i++) {
    g_autofree char *line = g_ascii_strdown (lines[i], -1);

    if (g_str_has_prefix (line, "www-authenticate:")) {
      n++;
      n_sha += strstr (line, "digest") && strstr (line, "sha-");
    }
  }
  return n && n == n_sha;
}

static void
on_answer (GObject *stream, GAsyncResult *result, gpointer data)
{
  ToolReach *reach = data;

  /* What was read in front of an error is read. */
  g_input_stream_read_finish (G_INPUT_STREAM (stream), result, NULL);
  tell (reach,
      wants_sha (reach->answer)
          ? "401: the camera wants Digest authentication with SHA-256 only; expected MD5 "
            "or Basic among its settings, since GStreamer has no SHA-256"
          : NULL);
}

static void
on_asked (GObject *stream, GAsyncResult *result, gpointer data)
{
  ToolReach *reach = data;

  if (!g_output_stream_write_all_finish (G_OUTPUT_STREAM (stream), result, NULL,
          NULL)) {
    tell (reach, NULL);
    return;
  }
  /* A head is sent at once. */
  g_input_stream_read_async (g_io_stream_get_input_stream (
                                 G_IO_STREAM (reach->connection)),
      reach->answer, MAX_ANSWER, G_PRIORITY_DEFAULT, reach->cancellable,
      on_answer, reach);
}

static void
on_connected (GObject *client, GAsyncResult *result, gpointer data)
{
  ToolReach *reach = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketConnection)
      connection = g_socket_client_connect_finish (G_SOCKET_CLIENT (client),
          result, &error);
  g_autofree char *why = NULL;

  g_signal_handlers_disconnect_by_data (client, reach);
  if (connection && reach->request && reach->func) {
    reach->connection = g_steal_pointer (&connection);
    g_output_stream_write_all_async (g_io_stream_get_output_stream (
                                         G_IO_STREAM (reach->connection)),
        reach->request, strlen (reach->request), G_PRIORITY_DEFAULT,
        reach->cancellable, on_asked, reach);
    return;
  }
  why = connection ? NULL : explain_error (reach, error);
  tell (reach, why);
}

static void
on_event (GSocketClient *client, GSocketClientEvent event,
    GSocketConnectable *connectable, GIOStream *connection, gpointer data)
{
  ToolReach *reach = data;

  reach->has_address |= event == G_SOCKET_CLIENT_CONNECTING;
}

static gboolean
on_late (gpointer data)
{
  ToolReach *reach = data;

  reach->timer = 0;
  reach->is_late = TRUE;
  g_cancellable_cancel (reach->cancellable);
  return G_SOURCE_REMOVE;
}

/* The request that needs a password, without one. */
static char *
make_request (const ToolAddress *address)
{
  g_autofree char *uri = tool_remote_get_uri (address);
  char *request;

  if (tool_remote_get_kind (address) == TOOL_REMOTE_RTSP)
    request = g_strdup_printf ("DESCRIBE %s RTSP/1.0\r\nCSeq: 1\r\n\r\n", uri);
  else
    request = g_strdup_printf (
        "GET %s%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
        *address->path == '/' ? "" : "/", address->path, address->host);
  return request;
}

ToolReach *
tool_reach_new (const ToolAddress *address, gboolean asks, ToolReachFunc func,
    gpointer user)
{
  g_autoptr (GSocketConnectable) place = g_network_address_new (address->host,
      (guint16) tool_remote_get_port (address));
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  ToolReach *reach;

  reach = g_new0 (ToolReach, 1);
  reach->cancellable = g_cancellable_new ();
  reach->func = func;
  reach->user = user;
  reach->host = g_strdup (address->host);
  /* By TLS, one that is not verified would be asked. */
  if (asks && !g_str_has_suffix (address->scheme, "s"))
    reach->request = make_request (address);
  reach->timer = g_timeout_add_seconds (PATIENCE, on_late, reach);
  g_socket_client_set_enable_proxy (client, FALSE);
  g_signal_connect (client, "event", G_CALLBACK (on_event), reach);
  g_socket_client_connect_async (client, place, reach->cancellable,
      on_connected, reach);
  return reach;
}

void
tool_reach_free (ToolReach *reach)
{
  reach->func = NULL;
  g_clear_handle_id (&reach->timer, g_source_remove);
  g_cancellable_cancel (reach->cancellable);
}

#endif
