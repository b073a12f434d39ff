/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Pictures of events. An event names a file, and lines are untrusted: only names as
 * yolov10publish makes them are opened, and the kernel keeps them below the folder. */

#include "config.h"

#ifdef HAVE_SERVE

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "serve/eventpicture.h"
#include "serve/reply.h"

#define MOST_PICTURE (16 << 20)

/* 20260131T235959.999Z-STREAM-1.jpg */
static gboolean
is_picture (const char *name)
{
  static const char form[] = "00000000T000000.000Z-";
  const gsize length = strlen (name);

  if (length < sizeof form + 5 || length > 250
      || strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-") != length
      || !g_str_has_suffix (name, ".jpg")
      || !g_ascii_isdigit (name[length - 5]))
    return FALSE;
  for (gsize i = 0; i < sizeof form - 1; i++)
    if (form[i] == '0' ? !g_ascii_isdigit (name[i]) : name[i] != form[i])
      return FALSE;
  return TRUE;
}

static int
open_picture (const char *folder, const char *name)
{
  struct open_how how = {
    .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  const int dir = open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int file = -1;

  if (dir < 0)
    return -1;
  file = (int) syscall (SYS_openat2, dir, name, &how, sizeof how);
  close (dir);
  return file;
}

/* NULL: there is none. */
static GBytes *
read_picture (const char *folder, const char *name)
{
  const int file = open_picture (folder, name);
  struct stat status;
  gsize size = 0;
  guint8 *data = NULL;

  if (file >= 0 && fstat (file, &status) == 0 && S_ISREG (status.st_mode)
      && status.st_size > 3 && status.st_size <= MOST_PICTURE) {
    size = (gsize) status.st_size;
    data = g_malloc (size);
  }
  if (data
      && (read (file, data, size) != (gssize) size
          || memcmp (data, "\xff\xd8\xff", 3) != 0))
    g_clear_pointer (&data, g_free);
  if (file >= 0)
    close (file);
  return data ? g_bytes_new_take (data, size) : NULL;
}

void
serve_event_picture_reply (Serve *serve, SoupServerMessage *message,
    ServeEventPlace place)
{
  const ServeEvent *event = serve_events_get (serve->events, place);
  GString *name = g_string_new (NULL);
  GBytes *picture = NULL;
  ServeEventLine line;
  const char *text;

  if (event && serve_events_read (serve->events, place, event, &text, &line)) {
    serve_event_value_get (&line.members[SERVE_EVENT_SNAPSHOT], name);
    if (is_picture (name->str))
      picture = read_picture (serve->config->snapshots, name->str);
  }
  if (picture)
    serve_reply_bytes (message, SOUP_STATUS_OK, "image/jpeg", picture);
  else
    serve_reply_error (message, SOUP_STATUS_NOT_FOUND,
        event ? "this event has no picture" : "there is no such event");
  g_clear_pointer (&picture, g_bytes_unref);
  g_string_free (name, TRUE);
}

#endif
