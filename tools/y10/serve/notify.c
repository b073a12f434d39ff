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

#define INTERVAL 250 /* ms between looks at how cameras are */

struct _ServeNotify
{
  const ServeCameras *cameras;
  GSocket *socket; /* NULL: there is no manager */
  GSocketAddress *address;
  char *status;
  guint look_id, watchdog_id;
};

/* What is lost is told again, or is told by the process's end. */
static void
tell (ServeNotify *notify, const char *text)
{
  if (notify->socket)
    g_socket_send_to (notify->socket, notify->address, text, strlen (text),
        NULL, NULL);
}

/* Of the watchdog, ms; 0: there is none. */
static guint
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
  return (guint) CLAMP (us / 2000, 1, G_MAXINT);
}

static gboolean
tell_status (gpointer data)
{
  ServeNotify *notify = data;
  g_autofree char *text =
      g_strdup_printf ("STATUS=%u of %u cameras live, %u quarantined",
          serve_cameras_count (notify->cameras, TOOL_CAMERA_LIVE),
          notify->cameras->all->len,
          serve_cameras_count (notify->cameras, TOOL_CAMERA_QUARANTINED));

  if (g_strcmp0 (text, notify->status) != 0) {
    tell (notify, text);
    g_free (notify->status);
    notify->status = g_steal_pointer (&text);
  }
  return G_SOURCE_CONTINUE;
}

/* That the main loop runs. */
static gboolean
tell_watchdog (gpointer notify)
{
  tell (notify, "WATCHDOG=1");
  return G_SOURCE_CONTINUE;
}

ServeNotify *
serve_notify_new (const ServeCameras *cameras)
{
  ServeNotify *notify = g_new0 (ServeNotify, 1);
  const char *path = g_getenv ("NOTIFY_SOCKET");
  guint period;

  notify->cameras = cameras;
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
  notify->look_id = g_timeout_add (INTERVAL, tell_status, notify);
  period = get_period ();
  if (period)
    notify->watchdog_id = g_timeout_add (period, tell_watchdog, notify);
  return notify;
}

void
serve_notify_free (ServeNotify *notify)
{
  g_clear_handle_id (&notify->look_id, g_source_remove);
  g_clear_handle_id (&notify->watchdog_id, g_source_remove);
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
  g_clear_handle_id (&notify->look_id, g_source_remove);
  g_clear_handle_id (&notify->watchdog_id, g_source_remove);
  tell (notify, "STOPPING=1");
}

#endif
