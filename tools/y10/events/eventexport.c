/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Events as a file, sent in pieces: the next one is made once the connection has taken the
 * last, so an export of any size costs one piece, and ends with the one who reads it. It
 * ends at the event that was the newest when it began.
 *
 * Cells of CSV that programs for tables take for formulas begin with an apostrophe, since
 * anyone can name a zone =HYPERLINK(…). */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "events/eventapi.h"
#include "events/eventexport.h"
#include "events/eventquery.h"
#include "http/connection.h"

#define PIECE 65536
#define MAX_EXPORTS 4
#define PATIENCE 30 /* s that a piece may take */

typedef enum
{
  LINES,
  CSV,
} Format;

typedef struct
{
  ServeEventApi *api;
  SoupServerMessage *message;
  Format format;
  ServeEventFilter filter;
  GstY10SpoolPosition place, last;
  GString *value;
  gboolean ended;
  guint turn; /* a source */
} Export;

/* As programs do: what is blank or has no width in front is nothing to some, and what only
 * looks like one of ASCII's signs, such as a full-width one, is that sign. */
static gboolean
is_formula (const char *value)
{
  g_autofree char *first = NULL;
  gboolean is;

  if (*value && strchr ("\t\r\n", *value))
    return TRUE;
  while (g_unichar_isspace (g_utf8_get_char (value))
      || g_unichar_type (g_utf8_get_char (value)) == G_UNICODE_FORMAT)
    value = g_utf8_next_char (value);
  if (g_ascii_isprint (*value))
    return strchr ("=+-@", *value) != NULL;
  first = g_utf8_normalize (value, g_utf8_next_char (value) - value,
      G_NORMALIZE_ALL_COMPOSE);
  is = (*first && strchr ("=+-@", *first))
      || g_utf8_get_char (first) == 0x2212; /* minus sign */
  return is;
}

static void
append_cell (GString *text, const char *value, gsize length)
{
  g_string_append_c (text, '"');
  if (is_formula (value))
    g_string_append_c (text, '\'');
  for (gsize i = 0; i < length; i++) {
    if (value[i] == '"')
      g_string_append_c (text, '"');
    g_string_append_c (text, value[i]);
  }
  g_string_append_c (text, '"');
}

static void
append_head (GString *text)
{
  for (guint i = 0; i < SERVE_EVENT_N_MEMBERS; i++) {
    const char *name = serve_event_member_get_name (i);

    if (i)
      g_string_append_c (text, ',');
    append_cell (text, name, strlen (name));
  }
  g_string_append (text, "\r\n");
}

static void
append_row (Export *export, GString *text, const ServeEventLine *line)
{
  for (guint i = 0; i < SERVE_EVENT_N_MEMBERS; i++) {
    if (i)
      g_string_append_c (text, ',');
    gst_y10_line_member_get (&line->members[i], export->value);
    append_cell (text, export->value->str, export->value->len);
  }
  g_string_append (text, "\r\n");
}

/* Returns whether there is more. */
static gboolean
append_events (Export *export, GString *text)
{
  ServeEventIndex *events = export->api->events;

  while (events && text->len < PIECE
      && serve_event_index_find_behind (events, &export->filter,
          &export->place)) {
    GstY10SpoolLine line;
    ServeEventLine read;

    if (gst_y10_spool_position_compare (export->place, export->last) > 0)
      return FALSE;
    if (!serve_event_index_read_event (events, export->place, &line, &read))
      continue;
    if (export->format == CSV) {
      append_row (export, text, &read);
    } else {
      g_string_append_len (text, line.text, (gssize) line.length);
      g_string_append_c (text, '\n');
    }
  }
  return text->len >= PIECE;
}

static void
send_piece (Export *export, GString *text)
{
  SoupMessageBody *body = soup_server_message_get_response_body (
      export->message);
  g_autoptr (GBytes) bytes = NULL;

  export->ended = !append_events (export, text);
  if (export->ended) /* the next one need not wait for the client's last read */
    export->api->n_exports--;
  bytes = g_string_free_to_bytes (text);
  http_connection_set_deadline (export->message, PATIENCE);
  if (g_bytes_get_size (bytes))
    soup_message_body_append_bytes (body, bytes);
  if (export->ended)
    soup_message_body_complete (body);
  soup_server_message_unpause (export->message);
}

static gboolean
on_turn (gpointer data)
{
  Export *export = data;

  export->turn = 0;
  send_piece (export, g_string_sized_new (PIECE + 1024));
  return G_SOURCE_REMOVE;
}

/* In turn with others: libsoup would write on as long as the client reads. */
static void
on_wrote_chunk (SoupServerMessage *message, gpointer data)
{
  Export *export = data;

  if (!export->ended && !export->turn)
    export->turn = g_idle_add_full (G_PRIORITY_DEFAULT, on_turn, export, NULL);
}

static void
on_finished (SoupServerMessage *message, gpointer data)
{
  Export *export = data;

  g_signal_handlers_disconnect_by_data (message, export);
  g_clear_handle_id (&export->turn, g_source_remove);
  if (!export->ended)
    export->api->n_exports--;
  g_object_unref (message);
  g_string_free (export->value, TRUE);
  g_free (export);
}

static void
begin (Export *export)
{
  static const char *const types[] = { "application/x-ndjson",
    "text/csv; charset=utf-8; header=present" };
  static const char *const files[] = { "events.jsonl", "events.csv" };
  SoupMessageHeaders *head = soup_server_message_get_response_headers (
      export->message);
  GString *text = g_string_sized_new (PIECE + 1024);
  g_autofree char *file = g_strconcat ("attachment; filename=",
      files[export->format], NULL);

  soup_server_message_set_status (export->message, SOUP_STATUS_OK, NULL);
  soup_message_headers_set_encoding (head, SOUP_ENCODING_CHUNKED);
  soup_message_headers_replace (head, "Content-Type", types[export->format]);
  soup_message_headers_replace (head, "Content-Disposition", file);
  soup_message_body_set_accumulate (soup_server_message_get_response_body (
                                        export->message),
      FALSE);
  g_signal_connect (export->message, "wrote-chunk", G_CALLBACK (on_wrote_chunk),
      export);
  if (export->format == CSV)
    append_head (text);
  send_piece (export, text);
}

static void
export_events (ServeEventApi *api, SoupServerMessage *message, Format format)
{
  const ServeEventFilter all = { .since = G_MININT64,
    .until = G_MAXINT64,
    .names = { SERVE_NO_NAME, SERVE_NO_NAME, SERVE_NO_NAME, SERVE_NO_NAME } };
  GstY10SpoolPosition last = { G_MAXUINT64, 0 };
  ServeEventQuery query;
  Export *export;

  if (!serve_event_api_has_events (api, message)
      || !serve_event_query_read (api->events, message, 0, &query))
    return;
  if (api->n_exports >= MAX_EXPORTS) {
    http_reply_error (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "too many exports at once");
    return;
  }
  if (!serve_event_index_find_before (api->events, &all, &last))
    last = (GstY10SpoolPosition){ 0 };
  export = g_new0 (Export, 1);
  export->api = api;
  export->message = g_object_ref (message);
  export->format = format;
  export->filter = query.filter;
  export->last = last;
  export->value = g_string_new (NULL);
  api->n_exports++;
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), export);
  begin (export);
}

void
serve_events_export_csv (SoupServerMessage *message, const char *name,
    gpointer api)
{
  export_events (api, message, CSV);
}

void
serve_events_export_lines (SoupServerMessage *message, const char *name,
    gpointer api)
{
  export_events (api, message, LINES);
}

#endif
