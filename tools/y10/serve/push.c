/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What pages are told of cameras: one that comes, of all, and from then on of those that
 * are not as it was told last, at most twice a second. */

#include "config.h"

#ifdef HAVE_SERVE

#include "serve/push.h"

#define INTERVAL 500 /* ms */

struct _ServePush
{
  const ServeCameras *cameras;
  HttpSockets *sockets;
  GHashTable *told; /* id → line */
  guint tell_id;    /* a source, while there are pages */
};

/* Returns {"type": "cameras", "all": @all, "cameras": [@lines]}, with the ids of those
 * that are gone. */
static char *
make_message (gboolean all, const GPtrArray *lines, const GPtrArray *removed)
{
  GString *text = g_string_new ("{\"type\":\"cameras\",\"all\":");

  g_string_append_printf (text, "%s,\"cameras\":[", all ? "true" : "false");
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (text, "%s%s", i ? "," : "",
        (const char *) lines->pdata[i]);
  g_string_append (text, "],\"removed\":[");
  for (guint i = 0; removed && i < removed->len; i++)
    g_string_append_printf (text, "%s\"%s\"", i ? "," : "",
        (const char *) removed->pdata[i]);
  g_string_append (text, "]}");
  return g_string_free (text, FALSE);
}

static char *
make_line (const ServeCamera *camera)
{
  GString *json = g_string_new (NULL);

  serve_camera_write (camera, json, FALSE);
  return g_string_free (json, FALSE);
}

/* Adds lines of cameras that differ from what was told. */
static void
find_changes (ServePush *push, GPtrArray *lines)
{
  for (guint i = 0; i < push->cameras->all->len; i++) {
    const ServeCamera *camera = push->cameras->all->pdata[i];
    const char *id = camera->settings->id;
    g_autofree char *line = make_line (camera);

    if (!g_strcmp0 (line, g_hash_table_lookup (push->told, id)))
      continue;
    g_ptr_array_add (lines, line);
    g_hash_table_insert (push->told, g_strdup (id), g_steal_pointer (&line));
  }
}

/* Forgets cameras that are gone, and adds their ids. */
static void
find_removed (ServePush *push, GPtrArray *removed)
{
  GHashTableIter iter;
  gpointer id;

  g_hash_table_iter_init (&iter, push->told);
  while (g_hash_table_iter_next (&iter, &id, NULL)) {
    if (serve_camera_find (push->cameras, id))
      continue;
    g_ptr_array_add (removed, g_strdup (id));
    g_hash_table_iter_remove (&iter);
  }
}

static gboolean
tell_changes (gpointer data)
{
  ServePush *push = data;
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  g_autoptr (GPtrArray) removed = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *message = NULL;

  if (!http_sockets_are_any (push->sockets)) {
    push->tell_id = 0;
    return G_SOURCE_REMOVE;
  }
  find_changes (push, lines);
  find_removed (push, removed);
  if (lines->len || removed->len) {
    message = make_message (FALSE, lines, removed);
    http_sockets_send (push->sockets, message);
  }
  return G_SOURCE_CONTINUE;
}

/* An HttpGreeting. */
static char *
greet (gpointer data)
{
  ServePush *push = data;
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < push->cameras->all->len; i++)
    g_ptr_array_add (lines, make_line (push->cameras->all->pdata[i]));
  if (!push->tell_id)
    push->tell_id = g_timeout_add (INTERVAL, tell_changes, push);
  return make_message (TRUE, lines, NULL);
}

HttpSockets *
serve_push_get_sockets (ServePush *push)
{
  return push->sockets;
}

ServePush *
serve_push_new (const ServeCameras *cameras)
{
  ServePush *push = g_new0 (ServePush, 1);

  push->cameras = cameras;
  push->sockets = http_sockets_new (greet, push);
  push->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return push;
}

void
serve_push_free (ServePush *push)
{
  g_clear_handle_id (&push->tell_id, g_source_remove);
  http_sockets_free (push->sockets);
  g_hash_table_unref (push->told);
  g_free (push);
}

#endif
