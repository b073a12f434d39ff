/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Parameters of requests for events. They are strict: what is misspelt, given twice or out
 * of range is an error that names the parameter, since events that a filter did not mean
 * look like those that it meant. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "events/eventnames.h"
#include "events/eventquery.h"
#include "http/reply.h"

#define MAX_LIMIT 500
#define LIMIT 100
#define MAX_BUCKET (366 * 86400)
#define BUCKET 3600
#define SPAN (24 * 3600 * (gint64) 1000)

typedef struct
{
  const ServeEventIndex *events;
  ServeEventQuery *query;
  const char *expected; /* of a value that is wrong */
} Reading;

typedef gboolean (*Read) (Reading *reading, const char *value, guint which);

static gboolean
read_name (Reading *reading, const char *value, guint which)
{
  ServeEventFilter *filter = &reading->query->filter;

  reading->expected = "a name";
  filter->names[which] = serve_event_index_find_name (reading->events, which,
      value);
  filter->nothing |= filter->names[which] == SERVE_NO_NAME;
  return TRUE;
}

static gboolean
read_kind (Reading *reading, const char *value, guint which)
{
  g_autofree char *kinds = g_strjoinv (", ", (char **) serve_event_kinds);

  read_name (reading, value, which);
  reading->expected = g_intern_string (kinds);
  return g_strv_contains (serve_event_kinds, value);
}

static gboolean
read_time (Reading *reading, const char *value, guint is_until)
{
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autoptr (GDateTime) time = strchr (value, 'T')
      ? g_date_time_new_from_iso8601 (value, utc)
      : NULL;
  gint64 *to = is_until ? &reading->query->filter.until
                        : &reading->query->filter.since;

  reading->expected = "a time such as 2026-01-31T08:00:00Z";
  if (time)
    *to = g_date_time_to_unix (time) * 1000
        + g_date_time_get_microsecond (time) / 1000;
  return time != NULL;
}

static gboolean
read_number (const char *value, guint64 most, guint *number)
{
  guint64 found = 0;
  const gboolean ok = g_ascii_string_to_unsigned (value, 10, 1, most, &found,
      NULL);

  if (ok)
    *number = (guint) found;
  return ok;
}

static gboolean
read_limit (Reading *reading, const char *value, guint unused)
{
  reading->expected = "a number from 1 to 500";
  return read_number (value, MAX_LIMIT, &reading->query->limit);
}

static gboolean
read_bucket (Reading *reading, const char *value, guint unused)
{
  reading->expected = "seconds from 1 to 31622400";
  return read_number (value, MAX_BUCKET, &reading->query->bucket);
}

gboolean
serve_event_place_parse (const char *text, GstY10SpoolPosition *place)
{
  const char *colon = strchr (text, ':');
  g_autofree char *number = NULL;

  *place = (GstY10SpoolPosition){ 0 };
  if (!colon)
    return FALSE;
  number = g_strndup (text, (gsize) (colon - text));
  return g_ascii_string_to_unsigned (number, 10, 1, G_MAXINT64, &place->segment,
             NULL)
      && g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT32,
          &place->offset, NULL);
}

static gboolean
read_before (Reading *reading, const char *value, guint unused)
{
  reading->expected = "the member next of an answer";
  return serve_event_place_parse (value, &reading->query->before);
}

static const struct
{
  const char *name;
  ServeQueryFlags flags;
  Read read;
  guint which;
} parameters[] = {
  { "camera", 0, read_name, SERVE_NAMES_CAMERAS },
  { "class", 0, read_name, SERVE_NAMES_CLASSES },
  { "zone", 0, read_name, SERVE_NAMES_ZONES },
  { "kind", 0, read_kind, SERVE_NAMES_KINDS },
  { "since", 0, read_time, FALSE },
  { "until", 0, read_time, TRUE },
  { "limit", SERVE_QUERY_PAGE, read_limit, 0 },
  { "before", SERVE_QUERY_PAGE, read_before, 0 },
  { "bucket", SERVE_QUERY_BUCKET, read_bucket, 0 },
};

/* Answers with what is wrong about a parameter. @value: what it is; NULL: there twice */
static gboolean
fail (SoupServerMessage *message, const char *name, const char *value,
    const char *expected)
{
  g_autofree char *shown = g_strndup (value ? value : "", 64);
  g_autofree char *valid = g_utf8_make_valid (shown, -1);
  g_autofree char *text = value
      ? g_strdup_printf ("%s is '%s'; expected %s", name, valid, expected)
      : g_strdup_printf ("%s is there twice; expected it once", name);

  http_reply_error (message, SOUP_STATUS_BAD_REQUEST, text);
  return FALSE;
}

static gboolean
fail_name (SoupServerMessage *message, const char *name, ServeQueryFlags flags)
{
  g_autofree char *shown = g_strndup (name, 64),
                  *valid = g_utf8_make_valid (shown, -1);
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  g_string_printf (text, "there is no parameter '%s'; expected ", valid);
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    if ((parameters[i].flags & ~flags) == 0)
      g_string_append_printf (text, "%s%s", n++ ? ", " : "",
          parameters[i].name);
  http_reply_error (message, SOUP_STATUS_BAD_REQUEST, text->str);
  return FALSE;
}

/* Decodes what stands in a form's field. NULL: it is no text. */
static char *
decode (const char *text)
{
  g_autofree char *copy = g_strdelimit (g_strdup (text), "+", ' ');
  char *decoded = g_uri_unescape_string (copy, NULL);

  if (decoded && !g_utf8_validate (decoded, -1, NULL))
    g_clear_pointer (&decoded, g_free);
  return decoded;
}

static gboolean
read_parameter (Reading *reading, SoupServerMessage *message,
    ServeQueryFlags flags, const char *text, guint *seen)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals ? g_strndup (text, (gsize) (equals - text))
                                 : g_strdup (text);
  g_autofree char *value = decode (equals ? equals + 1 : "");
  gboolean ok = FALSE;
  guint i = 0;

  while (i < G_N_ELEMENTS (parameters)
      && (strcmp (parameters[i].name, name) != 0
          || (parameters[i].flags & ~flags)))
    i++;
  if (i == G_N_ELEMENTS (parameters))
    fail_name (message, name, flags);
  else if (*seen & 1u << i)
    fail (message, name, NULL, NULL);
  else if (!value || !*value)
    fail (message, name, value ? "" : equals + 1, "text in UTF-8");
  else if (!parameters[i].read (reading, value, parameters[i].which))
    fail (message, name, value, reading->expected);
  else
    ok = TRUE;
  if (ok)
    *seen |= 1u << i;
  return ok;
}

/* Counts are of the last day, unless the request says otherwise. */
static void
complete (ServeEventQuery *query)
{
  ServeEventFilter *filter = &query->filter;

  if (filter->until == G_MAXINT64)
    filter->until = g_get_real_time () / 1000 + 1;
  if (filter->since == G_MININT64)
    filter->since = filter->until - SPAN;
}

gboolean
serve_event_query_read (const ServeEventIndex *events,
    SoupServerMessage *message, ServeQueryFlags flags, ServeEventQuery *query)
{
  const char *text = g_uri_get_query (soup_server_message_get_uri (message));
  g_auto (GStrv) parts = g_strsplit (text ? text : "", "&", 32);
  Reading reading = { events, query, NULL };
  gboolean ok = TRUE;
  guint seen = 0;

  *query = (ServeEventQuery){
    .filter = { .since = G_MININT64, .until = G_MAXINT64 },
    .limit = LIMIT,
    .before = { G_MAXUINT64, 0 },
    .bucket = BUCKET,
  };
  for (guint i = 0; i < SERVE_N_NAMES; i++)
    query->filter.names[i] = SERVE_NO_NAME;
  for (guint i = 0; ok && parts[i]; i++)
    ok = read_parameter (&reading, message, flags, parts[i], &seen);
  if (!ok)
    return FALSE;
  if (flags & SERVE_QUERY_BUCKET)
    complete (query);
  if (query->filter.since < query->filter.until)
    return TRUE;
  http_reply_error (message, SOUP_STATUS_BAD_REQUEST,
      "since is not earlier than until");
  return FALSE;
}

#endif
