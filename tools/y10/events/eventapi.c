/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Answers to requests for events: pages of them, how many there were when, and pictures.
 * A line of the spool is sent as it is, once it has been parsed to its end. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "base/json.h"
#include "events/eventapi.h"
#include "events/eventexport.h"
#include "events/eventpicture.h"
#include "events/eventquery.h"
#include "http/reply.h"
#include "serve/push.h"

#define MOST_EVENTS (2 << 20) /* 48 MiB */
#define MOST_BUCKETS 2000
#define LOOK_TIME 250     /* ms */
#define MOST_PUSHED 50    /* of one look; pages see more in their list */
#define LONGEST_PUSH 8192 /* bytes, of an event */

static void
append_place (GString *json, const char *before, ServeEventPlace place)
{
  g_string_append_printf (json, "%s\"%" G_GUINT64_FORMAT ":%u\"", before,
      place.segment, place.offset);
}

/* Without the brace that ends it, which is its last byte. */
static void
append_event (GString *json, const char *text, gsize length,
    ServeEventPlace place)
{
  g_string_append_len (json, text, (gssize) length - 1);
  append_place (json, ",\"at\":", place);
  g_string_append_c (json, '}');
}

/* A ServeEventFunc: tells pages. */
static void
on_event (ServeEventPlace place, const char *text, gsize length, gpointer data)
{
  Serve *serve = data;
  GString *json;

  if (length > LONGEST_PUSH || ++serve->n_pushed > MOST_PUSHED)
    return;
  json = g_string_new ("{\"type\":\"event\",\"event\":");
  append_event (json, text, length, place);
  g_string_append_c (json, '}');
  serve_push_json (serve, json->str);
  g_string_free (json, TRUE);
}

static gboolean
read_on (gpointer data)
{
  Serve *serve = data;

  if (serve_events_look (serve->events))
    return G_SOURCE_CONTINUE;
  serve->events_reading = 0;
  return G_SOURCE_REMOVE;
}

/* What there is at the start is read between requests and pictures. */
static gboolean
look (gpointer data)
{
  Serve *serve = data;

  serve->n_pushed = 0;
  if (!serve->events_reading && serve_events_look (serve->events))
    serve->events_reading = g_idle_add (read_on, serve);
  return G_SOURCE_CONTINUE;
}

void
serve_events_start (Serve *serve)
{
  if (!serve->config->spool)
    return;
  serve->events = serve_events_new (serve->config->spool, MOST_EVENTS, on_event,
      serve);
  serve->events_look = g_timeout_add (LOOK_TIME, look, serve);
  look (serve);
}

void
serve_events_stop (Serve *serve)
{
  g_clear_handle_id (&serve->events_look, g_source_remove);
  g_clear_handle_id (&serve->events_reading, g_source_remove);
  g_clear_pointer (&serve->events, serve_events_free);
}

static void
reply (SoupServerMessage *message, GString *json)
{
  http_reply_text (message, SOUP_STATUS_OK, "application/json",
      g_string_free (json, FALSE));
}

static void
list (Serve *serve, SoupServerMessage *message)
{
  ServeEventPlace place, last = { 0 };
  const ServeEvent *event;
  ServeEventQuery query;
  GString *json;
  guint n = 0;

  if (!serve_event_query_read (serve->events, message, SERVE_QUERY_PAGE,
          &query))
    return;
  json = g_string_new ("{\"events\":[");
  place = query.before;
  while ((event = serve_events_find_before (serve->events, &query.filter,
              &place))) {
    ServeEventLine line;
    const char *text;

    if (n == query.limit)
      break;
    last = place;
    if (!serve_events_read (serve->events, place, event, &text, &line))
      continue;
    if (n++)
      g_string_append_c (json, ',');
    append_event (json, text, event->length, place);
  }
  g_string_append (json, "],\"next\":");
  if (event)
    append_place (json, "", last);
  else
    g_string_append (json, "null");
  g_string_append_printf (json, ",\"complete\":%s}",
      serve_events_are_read (serve->events) ? "true" : "false");
  reply (message, json);
}

static void
count (Serve *serve, SoupServerMessage *message)
{
  ServeEventQuery query;
  guint64 n;
  guint *counts;
  GString *json;

  if (!serve_event_query_read (serve->events, message, SERVE_QUERY_BUCKET,
          &query))
    return;
  n = ((guint64) (query.filter.until - query.filter.since)
          + query.bucket * (guint64) 1000 - 1)
      / (query.bucket * (guint64) 1000);
  if (n > MOST_BUCKETS) {
    char *text =
        g_strdup_printf ("bucket is %u, which makes %" G_GUINT64_FORMAT
                         " counts from since to until; expected at most %d",
            query.bucket, n, MOST_BUCKETS);

    http_reply_error (message, SOUP_STATUS_BAD_REQUEST, text);
    g_free (text);
    return;
  }
  counts = g_new0 (guint, n);
  serve_events_histogram (serve->events, &query.filter,
      query.bucket * (gint64) 1000, (guint) n, counts);
  json = g_string_new (NULL);
  g_string_append_printf (json,
      "{\"since\":%" G_GINT64_FORMAT ",\"bucket\":%u,\"counts\":[",
      query.filter.since, query.bucket);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (json, "%s%u", i ? "," : "", counts[i]);
  g_string_append (json, "]}");
  g_free (counts);
  reply (message, json);
}

static void
list_names (Serve *serve, SoupServerMessage *message)
{
  static const char *const members[] = { "cameras", "classes", "zones",
    "kinds" };
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  for (guint i = 0; i < SERVE_N_NAMES; i++) {
    const GPtrArray *names = serve_events_get_names (serve->events, i);

    json_builder_set_member_name (builder, members[i]);
    json_builder_begin_array (builder);
    for (guint n = 0; n < names->len; n++)
      json_builder_add_string_value (builder, names->pdata[n]);
    json_builder_end_array (builder);
  }
  json_builder_end_object (builder);
  http_reply_text (message, SOUP_STATUS_OK, "application/json",
      tool_json_to_line (builder));
  g_object_unref (builder);
}

/* SEGMENT:OFFSET/snapshot.jpg or /thumbnail.jpg */
static void
answer_picture (Serve *serve, SoupServerMessage *message, const char *path)
{
  const char *slash = strchr (path, '/');
  char *text = slash ? g_strndup (path, (gsize) (slash - path)) : NULL;
  ServeEventPlace place;
  const gboolean is_place = text && serve_event_place_parse (text, &place);

  if (is_place && !strcmp (slash, "/snapshot.jpg"))
    serve_event_picture_reply (serve, message, place);
  else if (is_place && !strcmp (slash, "/thumbnail.jpg"))
    serve_event_thumbnail_reply (serve, message, place);
  else
    http_reply_error (message, SOUP_STATUS_NOT_FOUND,
        "there is no such thing; expected events/AT/snapshot.jpg or "
        "events/AT/thumbnail.jpg");
  g_free (text);
}

gboolean
serve_events_answer (Serve *serve, SoupServerMessage *message, const char *path)
{
  if (!g_str_has_prefix (path, "events")
      || (path[6] && path[6] != '/' && path[6] != '.'))
    return FALSE;
  if (strcmp (soup_server_message_get_method (message), "GET") != 0)
    http_reply_error (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "expected GET");
  else if (!serve->events)
    http_reply_error (message, SOUP_STATUS_NOT_FOUND, "no events are kept");
  else if (!strcmp (path, "events"))
    list (serve, message);
  else if (!strcmp (path, "events.csv"))
    serve_event_export (serve, message, SERVE_EXPORT_CSV);
  else if (!strcmp (path, "events.jsonl"))
    serve_event_export (serve, message, SERVE_EXPORT_LINES);
  else if (!strcmp (path, "events/counts"))
    count (serve, message);
  else if (!strcmp (path, "events/names"))
    list_names (serve, message);
  else
    answer_picture (serve, message, path + 7);
  return TRUE;
}

#endif
