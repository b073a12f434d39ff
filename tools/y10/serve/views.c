/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Live views, as multipart/x-mixed-replace.
 *
 * A viewer has at most one picture on its way; the next one that it gets is the newest
 * there is when the connection has taken that one. So a slow viewer gets fewer pictures,
 * and one that never reads costs one picture. All viewers share a picture's bytes.
 * The boundary is sent behind a picture, not in front of the next: browsers show a
 * picture once they have read it. */

#include "config.h"

#ifdef HAVE_SERVE

#include "http/connection.h"
#include "http/reply.h"
#include "http/inflight.h"
#include "serve/views.h"

#define BOUNDARY "--y10\r\n"
#define PATIENCE 30                        /* s that a picture may take */
#define SNAPSHOT_TIME (5 * G_USEC_PER_SEC) /* until there is one */
#define INTERVAL \
  250 /* ms between looks for clients that are gone: nothing tells */

struct _ServeViews
{
  ToolCamera *camera;
  char *id;
  GPtrArray *viewers;
  GBytes *chunk;  /* the newest picture, as it is sent, or NULL */
  guint64 number; /* of that picture */
  guint look_id;  /* a source, while there are viewers */
};

typedef struct
{
  ServeViews *views; /* NULL: the camera was removed */
  SoupServerMessage *message;
  gboolean once, ended;
  guint n_sending; /* chunks */
  guint64 number;  /* of the last picture */
  gint64 since;
} Viewer;

static void
send_chunk (Viewer *viewer, GBytes *bytes)
{
  viewer->n_sending++;
  http_connection_set_deadline (viewer->message, PATIENCE);
  soup_message_body_append_bytes (soup_server_message_get_response_body (
                                      viewer->message),
      bytes);
  soup_server_message_unpause (viewer->message);
}

static void
send_once (Viewer *viewer)
{
  g_autoptr (GBytes) picture = tool_camera_get_picture (viewer->views->camera);

  if (!picture)
    return;
  viewer->ended = TRUE;
  http_inflight_add (viewer->message, viewer->views->id);
  http_reply_bytes (viewer->message, SOUP_STATUS_OK, "image/jpeg", picture);
  http_connection_set_deadline (viewer->message, PATIENCE);
  soup_server_message_unpause (viewer->message);
}

static void
feed (Viewer *viewer)
{
  const ServeViews *views = viewer->views;

  if (viewer->ended)
    return;
  if (viewer->once) {
    send_once (viewer);
  } else if (!viewer->n_sending && views->chunk
      && viewer->number != views->number) {
    viewer->number = views->number;
    http_inflight_add (viewer->message, views->id);
    send_chunk (viewer, views->chunk);
  }
}

void
serve_views_feed (ServeViews *views)
{
  g_autoptr (GBytes) picture = views->viewers->len
      ? tool_camera_get_picture (views->camera)
      : NULL;
  GByteArray *chunk;
  char head[80];
  gsize n;

  if (!picture)
    return;
  n = (gsize) g_snprintf (head, sizeof head,
      "Content-Type: image/jpeg\r\nContent-Length: %" G_GSIZE_FORMAT "\r\n\r\n",
      g_bytes_get_size (picture));
  chunk = g_byte_array_sized_new (
      (guint) (n + g_bytes_get_size (picture) + 16));
  g_byte_array_append (chunk, (const guint8 *) head, (guint) n);
  g_byte_array_append (chunk, g_bytes_get_data (picture, NULL),
      (guint) g_bytes_get_size (picture));
  g_byte_array_append (chunk, (const guint8 *) "\r\n" BOUNDARY,
      sizeof "\r\n" BOUNDARY - 1);
  g_clear_pointer (&views->chunk, g_bytes_unref);
  views->chunk = g_byte_array_free_to_bytes (chunk);
  views->number++;
  for (guint i = 0; i < views->viewers->len; i++)
    feed (views->viewers->pdata[i]);
}

static void
on_wrote_chunk (SoupServerMessage *message, gpointer data)
{
  Viewer *viewer = data;

  if (viewer->n_sending)
    viewer->n_sending--;
  if (!viewer->n_sending) {
    http_connection_set_deadline (message, 0);
    http_inflight_written (message);
  }
  feed (viewer);
}

static void
on_finished (SoupServerMessage *message, gpointer data)
{
  Viewer *viewer = data;
  ServeViews *views = viewer->views;

  g_signal_handlers_disconnect_by_data (message, viewer);
  if (views) {
    http_reply_end_view ();
    g_ptr_array_remove_fast (views->viewers, viewer);
    if (!views->viewers->len) {
      tool_camera_want_pictures (views->camera, FALSE);
      g_clear_pointer (&views->chunk, g_bytes_unref);
      g_clear_handle_id (&views->look_id, g_source_remove);
    }
  }
  g_object_unref (message);
  g_free (viewer);
}

static void
begin_stream (Viewer *viewer)
{
  SoupMessageHeaders *head = soup_server_message_get_response_headers (
      viewer->message);
  g_autoptr (GBytes)
      boundary = g_bytes_new_static (BOUNDARY, sizeof BOUNDARY - 1);

  soup_server_message_set_status (viewer->message, SOUP_STATUS_OK, NULL);
  soup_message_headers_set_encoding (head, SOUP_ENCODING_EOF);
  soup_message_headers_replace (head, "Content-Type",
      "multipart/x-mixed-replace; boundary=y10");
  soup_message_body_set_accumulate (soup_server_message_get_response_body (
                                        viewer->message),
      FALSE);
  g_signal_connect (viewer->message, "wrote-chunk", G_CALLBACK (on_wrote_chunk),
      viewer);
  send_chunk (viewer, boundary);
}

/* Makes libsoup finish the message. */
static void
end_view (Viewer *viewer, guint status, const char *why)
{
  if (viewer->once && !viewer->ended)
    http_reply_error (viewer->message, status, why);
  else if (!viewer->once)
    soup_message_body_complete (
        soup_server_message_get_response_body (viewer->message));
  viewer->ended = TRUE;
  soup_server_message_unpause (viewer->message);
}

/* While a camera sends nothing, nothing is written. */
static gboolean
look (gpointer data)
{
  const ServeViews *views = data;
  const gint64 now = g_get_monotonic_time ();

  for (guint i = 0; i < views->viewers->len; i++) {
    Viewer *viewer = views->viewers->pdata[i];

    if (!viewer->ended
        && ((viewer->once && now - viewer->since > SNAPSHOT_TIME)
            || http_connection_is_gone (viewer->message)))
      end_view (viewer, SOUP_STATUS_SERVICE_UNAVAILABLE,
          "the camera sends no picture");
  }
  return G_SOURCE_CONTINUE;
}

void
serve_views_begin (ServeViews *views, SoupServerMessage *message, gboolean once)
{
  Viewer *viewer;

  if (!http_reply_may_view (message))
    return;
  http_reply_begin_view ();
  viewer = g_new0 (Viewer, 1);
  viewer->views = views;
  viewer->message = g_object_ref (message);
  viewer->once = once;
  viewer->since = g_get_monotonic_time ();
  g_ptr_array_add (views->viewers, viewer);
  if (!views->look_id)
    views->look_id = g_timeout_add (INTERVAL, look, views);
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), viewer);
  tool_camera_want_pictures (views->camera, TRUE);
  if (!once) {
    begin_stream (viewer);
    return;
  }
  http_connection_set_deadline (message, PATIENCE);
  soup_server_message_pause (message);
  feed (viewer);
}

guint
serve_views_count (const ServeViews *views)
{
  return views->viewers->len;
}

void
serve_views_forget (ServeViews *views)
{
  g_clear_pointer (&views->chunk, g_bytes_unref);
  http_inflight_reset (views->id);
}

ServeViews *
serve_views_new (ToolCamera *camera, const char *id)
{
  ServeViews *views = g_new0 (ServeViews, 1);

  views->camera = camera;
  views->id = g_strdup (id);
  views->viewers = g_ptr_array_new ();
  return views;
}

void
serve_views_free (ServeViews *views)
{
  g_clear_handle_id (&views->look_id, g_source_remove);
  for (guint i = 0; i < views->viewers->len; i++) {
    Viewer *viewer = views->viewers->pdata[i];

    viewer->views = NULL;
    http_reply_end_view ();
    end_view (viewer, SOUP_STATUS_NOT_FOUND, "the camera was removed");
  }
  g_ptr_array_unref (views->viewers);
  g_clear_pointer (&views->chunk, g_bytes_unref);
  g_free (views->id);
  g_free (views);
}

#endif
