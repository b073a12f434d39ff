/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Answers to requests for events: pages of them, and how many there were when.
 * A line of the spool is sent as it is, once it has been parsed to its end. */

#include "config.h"

#ifdef HAVE_SERVE

#include "base/json.h"
#include "events/eventapi.h"
#include "events/eventquery.h"
#include "spool/watch.h"

#define MAX_EVENTS (2 << 20) /* 48 MiB */
#define MAX_BUCKETS 2000
#define LOOK_TIME G_USEC_PER_SEC /* where others write */
#define PUSH_TIME (G_USEC_PER_SEC / 4)
#define MAX_PUSHED 50     /* in that time; pages see more in their list */
#define LONGEST_PUSH 8192 /* bytes, of an event */

static void
append_place (GString *json, const char *before, GstY10SpoolPosition place)
{
  g_string_append_printf (json,
      "%s\"%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT "\"", before,
      place.segment, place.offset);
}

/* Without the brace that ends it, which is its last byte. */
static void
append_event (GString *json, const GstY10SpoolLine *line)
{
  g_string_append_len (json, line->text, (gssize) line->length - 1);
  append_place (json, ",\"at\":", line->at);
  g_string_append_c (json, '}');
}

/* A ServeEventFunc: tells pages. */
static void
on_event (const GstY10SpoolLine *line, gpointer data)
{
  ServeEventApi *api = data;
  g_autoptr (GString) json = NULL;

  if (line->length > LONGEST_PUSH || ++api->n_pushed > MAX_PUSHED)
    return;
  json = g_string_new ("{\"type\":\"event\",\"event\":");
  append_event (json, line);
  g_string_append_c (json, '}');
  http_sockets_send (api->sockets, json->str);
}

static gboolean
read_on (gpointer data)
{
  ServeEventApi *api = data;

  if (serve_event_index_read_on (api->events))
    return G_SOURCE_CONTINUE;
  api->read_id = 0;
  return G_SOURCE_REMOVE;
}

/* What there is at the start is read between requests and pictures. */
static gboolean
look (gpointer data)
{
  ServeEventApi *api = data;

  if (g_get_monotonic_time () - api->pushed_since >= PUSH_TIME) {
    api->pushed_since = g_get_monotonic_time ();
    api->n_pushed = 0;
  }
  if (!api->read_id && serve_event_index_read_on (api->events))
    api->read_id = g_idle_add (read_on, api);
  return G_SOURCE_CONTINUE;
}

ServeEventApi *
serve_event_api_new (const char *snapshots, HttpSockets *sockets,
    ServeIsPrivate is_private, gpointer user)
{
  ServeEventApi *api = g_new0 (ServeEventApi, 1);

  api->snapshots = snapshots;
  api->sockets = sockets;
  api->is_private = is_private;
  api->user = user;
  return api;
}

void
serve_event_api_start (ServeEventApi *api, const char *folder)
{
  api->events = serve_event_index_new (folder, MAX_EVENTS, on_event, api);
  api->watch = gst_y10_spool_watch_new (folder, LOOK_TIME, look, api, NULL);
  look (api);
}

void
serve_event_api_stop (ServeEventApi *api)
{
  g_clear_pointer (&api->watch, gst_y10_spool_watch_free);
  g_clear_handle_id (&api->read_id, g_source_remove);
  g_clear_pointer (&api->events, serve_event_index_free);
}

void
serve_event_api_free (ServeEventApi *api)
{
  serve_event_api_stop (api);
  g_free (api);
}

gboolean
serve_event_api_has_events (const ServeEventApi *api,
    SoupServerMessage *message)
{
  if (!api->events)
    http_reply_error (message, SOUP_STATUS_NOT_FOUND, "no events are kept");
  return api->events != NULL;
}

static void
reply (SoupServerMessage *message, GString *json)
{
  http_reply_text (message, SOUP_STATUS_OK, "application/json",
      g_string_free (json, FALSE));
}

void
serve_events_list (SoupServerMessage *message, const char *name, gpointer data)
{
  const ServeEventApi *api = data;
  GstY10SpoolPosition place, last = { 0 };
  const ServeEvent *event;
  ServeEventQuery query;
  GString *json;
  guint n = 0;

  if (!serve_event_api_has_events (api, message)
      || !serve_event_query_read (api->events, message, SERVE_QUERY_PAGE,
          &query))
    return;
  json = g_string_new ("{\"events\":[");
  place = query.before;
  while ((event = serve_event_index_find_before (api->events, &query.filter,
              &place))) {
    GstY10SpoolLine line;
    ServeEventLine read;

    if (n == query.limit)
      break;
    last = place;
    if (!serve_event_index_read_event (api->events, place, &line, &read))
      continue;
    if (n++)
      g_string_append_c (json, ',');
    append_event (json, &line);
  }
  g_string_append (json, "],\"next\":");
  if (event)
    append_place (json, "", last);
  else
    g_string_append (json, "null");
  g_string_append_printf (json, ",\"complete\":%s}",
      serve_event_index_is_complete (api->events) ? "true" : "false");
  reply (message, json);
}

void
serve_events_get_counts (SoupServerMessage *message, const char *name,
    gpointer data)
{
  const ServeEventApi *api = data;
  ServeEventQuery query;
  guint64 n;
  g_autofree guint *counts = NULL;
  GString *json;

  if (!serve_event_api_has_events (api, message)
      || !serve_event_query_read (api->events, message, SERVE_QUERY_BUCKET,
          &query))
    return;
  n = ((guint64) (query.filter.until - query.filter.since)
          + query.bucket * (guint64) 1000 - 1)
      / (query.bucket * (guint64) 1000);
  if (n > MAX_BUCKETS) {
    g_autofree char *text =
        g_strdup_printf ("bucket is %u, which makes %" G_GUINT64_FORMAT
                         " counts from since to until; expected at most %d",
            query.bucket, n, MAX_BUCKETS);

    http_reply_error (message, SOUP_STATUS_BAD_REQUEST, text);
    return;
  }
  counts = g_new0 (guint, n);
  serve_event_index_histogram (api->events, &query.filter,
      query.bucket * (gint64) 1000, (guint) n, counts);
  json = g_string_new (NULL);
  g_string_append_printf (json,
      "{\"since\":%" G_GINT64_FORMAT ",\"bucket\":%u,\"counts\":[",
      query.filter.since, query.bucket);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (json, "%s%u", i ? "," : "", counts[i]);
  g_string_append (json, "]}");
  reply (message, json);
}

void
serve_events_list_names (SoupServerMessage *message, const char *name,
    gpointer data)
{
  const ServeEventApi *api = data;
  static const char *const members[] = { "cameras", "classes", "zones",
    "kinds" };
  GString *json;

  if (!serve_event_api_has_events (api, message))
    return;
  json = g_string_new (NULL);
  y10_json_open (json, NULL, '{');
  for (guint i = 0; i < SERVE_N_NAMES; i++) {
    const GPtrArray *names = serve_event_index_get_names (api->events, i);

    y10_json_open (json, members[i], '[');
    for (guint n = 0; n < names->len; n++)
      y10_json_add_string (json, NULL, names->pdata[n]);
    y10_json_close (json, ']');
  }
  y10_json_close (json, '}');
  http_reply_json (message, SOUP_STATUS_OK, json);
}

void
serve_events_find_nothing (SoupServerMessage *message, const char *name,
    gpointer api)
{
  if (serve_event_api_has_events (api, message))
    http_reply_error (message, SOUP_STATUS_NOT_FOUND,
        "there is no such thing; expected events/AT/snapshot.jpg or "
        "events/AT/thumbnail.jpg");
}

#endif
