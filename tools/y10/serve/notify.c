/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* sd_notify(3) without libsystemd: lines of text in a datagram. The manager ends a
 * service whose watchdog is not told in time; half of that time is left for a busy
 * machine. */

#include "config.h"

#ifdef HAVE_SERVE

#include <gio/gunixsocketaddress.h>
#include <string.h>
#include <unistd.h>

#include "serve/notify.h"

struct _ServeNotify
{
  GSocket *socket; /* NULL: there is no manager */
  GSocketAddress *address;
  gint64 period, next; /* of the watchdog, us; 0: none */
  char *status;
};

/* What is lost is told again, or is told by the process's end. */
static void
tell (ServeNotify *notify, const char *text)
{
  if (notify->socket)
    g_socket_send_to (notify->socket, notify->address, text, strlen (text),
        NULL, NULL);
}

static gint64
get_period (void)
{
  const char *period = g_getenv ("WATCHDOG_USEC");
  const char *pid = g_getenv ("WATCHDOG_PID");
  guint64 us = 0, whose = (guint64) getpid ();

  if (!period
      || !g_ascii_string_to_unsigned (period, 10, 1, G_MAXINT64, &us, NULL)
      || (pid
          && !g_ascii_string_to_unsigned (pid, 10, 1, G_MAXINT32, &whose, NULL))
      || whose != (guint64) getpid ())
    return 0;
  return (gint64) (us / 2);
}

ServeNotify *
serve_notify_new (void)
{
  ServeNotify *notify = g_new0 (ServeNotify, 1);
  const char *path = g_getenv ("NOTIFY_SOCKET");

  if (!path || (*path != '/' && *path != '@') || !path[1])
    return notify;
  notify->socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_DEFAULT, NULL);
  if (!notify->socket)
    return notify;
  /* A manager that does not read must not hold this up. */
  g_socket_set_blocking (notify->socket, FALSE);
  notify->address = *path == '@'
      ? g_unix_socket_address_new_with_type (path + 1, -1,
          G_UNIX_SOCKET_ADDRESS_ABSTRACT)
      : g_unix_socket_address_new (path);
  notify->period = get_period ();
  return notify;
}

void
serve_notify_free (ServeNotify *notify)
{
  g_clear_object (&notify->socket);
  g_clear_object (&notify->address);
  g_free (notify->status);
  g_free (notify);
}

void
serve_notify_ready (ServeNotify *notify)
{
  tell (notify, "READY=1");
}

void
serve_notify_stopping (ServeNotify *notify)
{
  tell (notify, "STOPPING=1");
}

static void
tell_status (ServeNotify *notify, const Serve *serve)
{
  guint n_live = 0, n_quarantined = 0;
  char *text;

  for (guint i = 0; i < serve->cameras->len; i++) {
    const ServeCamera *camera = serve->cameras->pdata[i];
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    n_live += status.state == TOOL_CAMERA_LIVE;
    n_quarantined += status.state == TOOL_CAMERA_QUARANTINED;
  }
  text = g_strdup_printf ("STATUS=%u of %u cameras live, %u quarantined",
      n_live, serve->cameras->len, n_quarantined);
  if (!g_strcmp0 (text, notify->status)) {
    g_free (text);
    return;
  }
  tell (notify, text);
  g_free (notify->status);
  notify->status = text;
}

void
serve_notify_look (ServeNotify *notify, const Serve *serve)
{
  const gint64 now = g_get_monotonic_time ();

  if (!notify->socket)
    return;
  tell_status (notify, serve);
  if (!notify->period || now < notify->next)
    return;
  tell (notify, "WATCHDOG=1");
  notify->next = now + notify->period;
}

#endif
