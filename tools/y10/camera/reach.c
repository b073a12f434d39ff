/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Why a network camera cannot be reached.
 *
 * rtspsrc says the status that a camera answers with, but of a connection that could not
 * be made only that. So another one is tried, and closed at once: it tells a wrong name
 * from a closed port, and sends nothing, no password in particular. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <gio/gio.h>
#include <string.h>

#include "base/text.h"
#include "camera/reach.h"

#define PORT 554       /* that rtspsrc takes, also for rtsps: */
#define PATIENCE 3     /* s */
#define MOST_PHRASE 80 /* bytes of what a camera says */
#define UNAUTHORIZED 401
#define NOT_FOUND 404

struct _ToolReach
{
  GCancellable *cancellable;
  ToolReachFunc func; /* NULL: freed; it lives until GIO is done */
  gpointer user;
  char *host;
  gboolean has_address, is_late;
  guint timer;
};

static gboolean
is_rtsp (const char *source)
{
  return g_str_has_prefix (source, "rtsp://")
      || g_str_has_prefix (source, "rtsps://");
}

static char *
explain_status (const char *source, guint status, const char *phrase)
{
  GUri *uri = g_uri_parse (source, G_URI_FLAGS_ENCODED, NULL);
  const gboolean has_user = uri && g_uri_get_userinfo (uri);

  g_clear_pointer (&uri, g_uri_unref);
  if (status == UNAUTHORIZED)
    return g_strdup (has_user
            ? "401: wrong user or password"
            : "401: expected a user and a password, rtsp://USER:PASSWORD@…");
  if (status == NOT_FOUND)
    return g_strdup ("404: no such path");
  if (!phrase)
    phrase = "no reason given";
  return g_strdup_printf ("%u: %.*s", status,
      y10_text_fit (phrase, MOST_PHRASE), phrase);
}

char *
tool_reach_explain (const char *source, GstMessage *message, gboolean *unclear)
{
  const GstStructure *details;
  GError *error;
  char *debug, *text;
  const char *last;
  guint status = 0;

  gst_message_parse_error (message, &error, &debug);
  gst_message_parse_error_details (message, &details);
  last = debug ? strrchr (debug, '\n') : NULL;
  if (details)
    gst_structure_get_uint (details, "rtsp-status-code", &status);
  *unclear = is_rtsp (source) && !status && error->domain == GST_RESOURCE_ERROR;
  text = status ? explain_status (source, status,
             gst_structure_get_string (details, "rtsp-status-reason"))
                : g_strconcat (error->message, last ? " " : NULL,
                    last ? last + 1 : NULL, NULL);
  g_free (debug);
  g_error_free (error);
  return text;
}

static void
free_reach (ToolReach *reach)
{
  g_clear_handle_id (&reach->timer, g_source_remove);
  g_object_unref (reach->cancellable);
  g_free (reach->host);
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

static void
on_connected (GObject *client, GAsyncResult *result, gpointer data)
{
  ToolReach *reach = data;
  GError *error = NULL;
  GSocketConnection *connection =
      g_socket_client_connect_finish (G_SOCKET_CLIENT (client), result, &error);
  char *why = connection ? NULL : explain_error (reach, error);

  g_signal_handlers_disconnect_by_data (client, reach);
  if (reach->func)
    reach->func (why, reach->user);
  g_free (why);
  g_clear_object (&connection);
  g_clear_error (&error);
  free_reach (reach);
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

ToolReach *
tool_reach_new (const char *source, ToolReachFunc func, gpointer user)
{
  GUri *uri = g_uri_parse (source, G_URI_FLAGS_ENCODED, NULL);
  const char *host = uri ? g_uri_get_host (uri) : NULL;
  GSocketConnectable *address;
  GSocketClient *client;
  ToolReach *reach;
  int port;

  if (!host) {
    g_clear_pointer (&uri, g_uri_unref);
    return NULL;
  }
  port = g_uri_get_port (uri);
  address = g_network_address_new (host, (guint16) (port > 0 ? port : PORT));
  client = g_socket_client_new ();
  reach = g_new0 (ToolReach, 1);
  reach->cancellable = g_cancellable_new ();
  reach->func = func;
  reach->user = user;
  reach->host = g_strdup (host);
  reach->timer = g_timeout_add_seconds (PATIENCE, on_late, reach);
  g_socket_client_set_enable_proxy (client, FALSE);
  g_signal_connect (client, "event", G_CALLBACK (on_event), reach);
  g_socket_client_connect_async (client, address, reach->cancellable,
      on_connected, reach);
  g_object_unref (client);
  g_object_unref (address);
  g_uri_unref (uri);
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
