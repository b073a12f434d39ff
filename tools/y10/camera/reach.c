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

#include "camera/reach.h"
#include "media/remote.h"

#define PATIENCE 3 /* s */

struct _ToolReach
{
  GCancellable *cancellable;
  ToolReachFunc func; /* NULL: freed; it lives until GIO is done */
  gpointer user;
  char *host;
  gboolean has_address, is_late;
  guint timer;
};

/* What the element says. */
static char *
read_text (const ToolAddress *address, GstMessage *message)
{
  GError *error;
  char *debug, *text, *valid, *clean;
  const char *last;

  gst_message_parse_error (message, &error, &debug);
  last = debug ? strrchr (debug, '\n') : NULL;
  text = g_strconcat (error->message, last ? " " : NULL, last ? last + 1 : NULL,
      NULL);
  clean = address ? tool_address_censor (address, text) : g_strdup (text);
  valid = g_utf8_make_valid (clean, -1);
  g_free (clean);
  g_free (text);
  g_free (debug);
  g_error_free (error);
  return valid;
}

char *
tool_reach_explain (const ToolAddress *address,
    const ToolRemoteOptions *options, GstMessage *message, gboolean *unclear)
{
  GError *error;
  char *text = address ? tool_remote_explain (message, address, options) : NULL;

  gst_message_parse_error (message, &error, NULL);
  *unclear = address && !text && error->domain == GST_RESOURCE_ERROR;
  g_error_free (error);
  return text ? text : read_text (address, message);
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
tool_reach_new (const ToolAddress *address, ToolReachFunc func, gpointer user)
{
  GSocketConnectable *place = g_network_address_new (address->host,
      (guint16) tool_remote_get_port (address));
  GSocketClient *client = g_socket_client_new ();
  ToolReach *reach;

  reach = g_new0 (ToolReach, 1);
  reach->cancellable = g_cancellable_new ();
  reach->func = func;
  reach->user = user;
  reach->host = g_strdup (address->host);
  reach->timer = g_timeout_add_seconds (PATIENCE, on_late, reach);
  g_socket_client_set_enable_proxy (client, FALSE);
  g_signal_connect (client, "event", G_CALLBACK (on_event), reach);
  g_socket_client_connect_async (client, place, reach->cancellable,
      on_connected, reach);
  g_object_unref (client);
  g_object_unref (place);
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
