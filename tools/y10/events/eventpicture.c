/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Pictures of events. An event names a file, and lines are untrusted: only names as
 * yolov10publish makes them are opened, and the kernel keeps them below the folder.
 *
 * The line tells whether the picture is covered, which the pipeline knows that took it. A
 * camera that is private shows no other: neither a clock, a restart, another folder nor a
 * pipeline that ends late can make an older picture one of these. */

#include "config.h"

#ifdef HAVE_SERVE

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "events/eventapi.h"
#include "events/eventpicture.h"
#include "events/eventquery.h"
#include "events/thumbnail.h"
#include "http/connection.h"
#include "http/inflight.h"

#define MAX_PICTURE (16 << 20)
#define PATIENCE 30 /* s that a thumbnail may take */

typedef struct
{
  ServeEventApi *api;
  SoupServerMessage *message; /* NULL: it has ended */
  GstY10SpoolPosition place;
} Waiting;

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
      && status.st_size > 3 && status.st_size <= MAX_PICTURE) {
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

static gboolean
is_covered (const ServeEventLine *line)
{
  const GstY10LineMember *member = &line->members[SERVE_EVENT_SNAPSHOT_COVERED];

  return member->json && member->length == strlen ("true")
      && !memcmp (member->json, "true", member->length);
}

static void answer (ServeEventApi *api, SoupServerMessage *message,
    GstY10SpoolPosition place, gboolean make_small, GBytes *small);

static void
on_finished (SoupServerMessage *message, gpointer data)
{
  Waiting *waiting = data;

  g_signal_handlers_disconnect_by_data (message, waiting);
  g_clear_object (&waiting->message);
}

/* A ServeThumbnailFunc. Whether the picture may be seen is decided anew: privacy may have
 * begun. */
static void
on_small (GBytes *small, gpointer data)
{
  Waiting *waiting = data;
  SoupServerMessage *message = g_steal_pointer (&waiting->message);

  if (message) {
    g_signal_handlers_disconnect_by_data (message, waiting);
    answer (waiting->api, message, waiting->place, FALSE, small);
    soup_server_message_unpause (message);
    g_object_unref (message);
  }
  g_free (waiting);
}

/* FALSE: there are too many at once. */
static gboolean
begin_small (ServeEventApi *api, SoupServerMessage *message,
    GstY10SpoolPosition place, GBytes *picture)
{
  Waiting *waiting = g_new0 (Waiting, 1);

  if (!serve_thumbnail_make (picture, on_small, waiting)) {
    g_free (waiting);
    return FALSE;
  }
  waiting->api = api;
  waiting->message = g_object_ref (message);
  waiting->place = place;
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), waiting);
  http_connection_set_deadline (message, PATIENCE);
  soup_server_message_pause (message);
  return TRUE;
}

/* @make_small: answers later; @small: answers with that, or NULL. */
static void
answer (ServeEventApi *api, SoupServerMessage *message,
    GstY10SpoolPosition place, gboolean make_small, GBytes *small)
{
  g_autoptr (GString) stream = g_string_new (NULL), name = g_string_new (NULL);
  g_autoptr (GBytes) picture = NULL;
  const char *why = "there is no such event";
  GstY10SpoolLine line;
  ServeEventLine event;

  /* Without events, it is being stopped. */
  if (api->events && serve_event_index_get (api->events, place)
      && serve_event_index_read_event (api->events, place, &line, &event)) {
    gst_y10_line_member_get (&event.members[SERVE_EVENT_STREAM], stream);
    gst_y10_line_member_get (&event.members[SERVE_EVENT_SNAPSHOT], name);
    why = "this event has no picture";
    if (!is_covered (&event) && api->is_private (stream->str, api->user))
      why = "this picture was taken without the camera's privacy";
    else if (is_picture (name->str))
      picture = small ? g_bytes_ref (small)
                      : read_picture (api->snapshots, name->str);
  }
  if (!picture) {
    http_reply_error (message, SOUP_STATUS_NOT_FOUND, why);
  } else if (!make_small || !begin_small (api, message, place, picture)) {
    if (!is_covered (&event))
      http_inflight_add (message, stream->str);
    http_reply_bytes (message, SOUP_STATUS_OK, "image/jpeg", picture);
  }
}

static void
reply (ServeEventApi *api, SoupServerMessage *message, const char *name,
    gboolean make_small)
{
  GstY10SpoolPosition place;

  if (serve_event_place_parse (name, &place) && api->events)
    answer (api, message, place, make_small, NULL);
  else
    serve_events_find_nothing (message, name, api);
}

void
serve_event_get_picture (SoupServerMessage *message, const char *name,
    gpointer api)
{
  reply (api, message, name, FALSE);
}

void
serve_event_get_thumbnail (SoupServerMessage *message, const char *name,
    gpointer api)
{
  reply (api, message, name, TRUE);
}

#endif
