/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides whether a line of a spool is an event, and finds its members.
 *
 * Lines are untrusted: power loss tears them, and others may have written them. What a
 * string is and how deep the text nests is decided by the scanner that guards all JSON
 * here; then the grammar is checked to the end, so that a line that passes can be sent on
 * as it is. A parser that builds a tree takes ten times as long, which counts for a million
 * of lines at the start. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "base/json-scan.h"
#include "events/eventline.h"

#define MOST_DEPTH 8

static const char *const names[] = {
  [SERVE_EVENT_UTC] = "utc",
  [SERVE_EVENT_STREAM] = "stream",
  [SERVE_EVENT_EVENT] = "event",
  [SERVE_EVENT_ZONE] = "zone",
  [SERVE_EVENT_LINE] = "line",
  [SERVE_EVENT_ID] = "id",
  [SERVE_EVENT_LABEL] = "label",
  [SERVE_EVENT_CONFIDENCE] = "confidence",
  [SERVE_EVENT_X] = "x",
  [SERVE_EVENT_Y] = "y",
  [SERVE_EVENT_REASON] = "reason",
  [SERVE_EVENT_DURATION] = "duration",
  [SERVE_EVENT_DIRECTION] = "direction",
  [SERVE_EVENT_FROM] = "from",
  [SERVE_EVENT_TO] = "to",
  [SERVE_EVENT_IN] = "in",
  [SERVE_EVENT_OUT] = "out",
  [SERVE_EVENT_COUNT] = "count",
  [SERVE_EVENT_LIMIT] = "limit",
  [SERVE_EVENT_OVER] = "over",
  [SERVE_EVENT_TIMESTAMP] = "timestamp",
  [SERVE_EVENT_SNAPSHOT] = "snapshot",
  [SERVE_EVENT_SNAPSHOT_COVERED] = "snapshot-covered",
};

typedef struct
{
  const char *at, *end;
} Cursor;

static gboolean read_value (Cursor *cursor);

static char
peek (Cursor *cursor)
{
  while (cursor->at < cursor->end
      && (*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r'))
    cursor->at++;
  return cursor->at < cursor->end ? *cursor->at : '\0';
}

static gboolean
take (Cursor *cursor, char c)
{
  if (peek (cursor) != c)
    return FALSE;
  cursor->at++;
  return TRUE;
}

/* Escapes are known to be right. */
static gboolean
read_string (Cursor *cursor)
{
  if (!take (cursor, '"'))
    return FALSE;
  for (; cursor->at < cursor->end && *cursor->at != '"'; cursor->at++) {
    if ((guchar) *cursor->at < ' ')
      return FALSE;
    if (*cursor->at == '\\')
      cursor->at++;
  }
  return take (cursor, '"');
}

static gboolean
read_digits (Cursor *cursor)
{
  const char *begin = cursor->at;

  while (cursor->at < cursor->end && g_ascii_isdigit (*cursor->at))
    cursor->at++;
  return cursor->at > begin;
}

static gboolean
is_at (const Cursor *cursor, const char *any)
{
  return cursor->at < cursor->end && *cursor->at && strchr (any, *cursor->at);
}

static gboolean
read_number (Cursor *cursor)
{
  cursor->at += is_at (cursor, "-");
  if (is_at (cursor, "0"))
    cursor->at++;
  else if (!read_digits (cursor))
    return FALSE;
  if (is_at (cursor, ".")) {
    cursor->at++;
    if (!read_digits (cursor))
      return FALSE;
  }
  if (!is_at (cursor, "eE"))
    return TRUE;
  cursor->at++;
  cursor->at += is_at (cursor, "+-");
  return read_digits (cursor);
}

static gboolean
read_word (Cursor *cursor)
{
  static const char *const words[] = { "true", "false", "null" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    const gsize length = strlen (words[i]);

    if ((gsize) (cursor->end - cursor->at) < length
        || memcmp (cursor->at, words[i], length))
      continue;
    cursor->at += length;
    return TRUE;
  }
  return FALSE;
}

static gboolean
read_array (Cursor *cursor)
{
  cursor->at++;
  if (take (cursor, ']'))
    return TRUE;
  do {
    if (!read_value (cursor))
      return FALSE;
  } while (take (cursor, ','));
  return take (cursor, ']');
}

/* A value that is one of @line's, of several of a name the last. */
static void
note (ServeEventLine *line, const char *name, gsize length, const char *begin,
    const char *end)
{
  for (guint i = 0; i < SERVE_EVENT_N_MEMBERS; i++)
    if (names[i][0] == name[0] && strlen (names[i]) == length
        && !memcmp (names[i], name, length)) {
      line->members[i].text = begin;
      line->members[i].length = (gsize) (end - begin);
    }
}

/* @line: NULL within a value */
static gboolean
read_object (Cursor *cursor, ServeEventLine *line)
{
  cursor->at++;
  if (take (cursor, '}'))
    return TRUE;
  do {
    const char *name, *name_end, *begin;

    peek (cursor);
    name = cursor->at + 1;
    if (!read_string (cursor))
      return FALSE;
    name_end = cursor->at - 1;
    if (!take (cursor, ':'))
      return FALSE;
    peek (cursor);
    begin = cursor->at;
    if (!read_value (cursor))
      return FALSE;
    if (line && name_end > name)
      note (line, name, (gsize) (name_end - name), begin, cursor->at);
  } while (take (cursor, ','));
  return take (cursor, '}');
}

static gboolean
read_value (Cursor *cursor)
{
  switch (peek (cursor)) {
    case '"':
      return read_string (cursor);
    case '[':
      return read_array (cursor);
    case '{':
      return read_object (cursor, NULL);
    case 't':
    case 'f':
    case 'n':
      return read_word (cursor);
    default:
      return read_number (cursor);
  }
}

/* Days since 1970 of a day of the Gregorian calendar. */
static gint64
count_days (gint year, gint month, gint day)
{
  static const gint before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273,
    304, 334 };
  const gint leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const gint64 y = year - 1;

  return y * 365 + y / 4 - y / 100 + y / 400 - 719162 + before[month - 1]
      + (month > 2 ? leap : 0) + day - 1;
}

/* The number of @n digits, which there are. */
static gint
get_number (const char *text, guint n)
{
  gint number = 0;

  for (guint i = 0; i < n; i++)
    number = number * 10 + (text[i] - '0');
  return number;
}

/* As yolov10publish writes it. */
static gboolean
read_time (const ServeEventValue *value, gint64 *time)
{
  static const char form[] = "\"0000-00-00T00:00:00.000Z\"";
  const char *text = value->text;
  gint month, day, second;

  if (!text || value->length != sizeof form - 1)
    return FALSE;
  for (gsize i = 0; i < sizeof form - 1; i++)
    if (form[i] == '0' ? !g_ascii_isdigit (text[i]) : form[i] != text[i])
      return FALSE;
  month = get_number (text + 6, 2);
  day = get_number (text + 9, 2);
  second = get_number (text + 12, 2) * 3600 + get_number (text + 15, 2) * 60
      + get_number (text + 18, 2);
  if (month < 1 || month > 12 || day < 1 || day > 31)
    return FALSE;
  *time = (count_days (get_number (text + 1, 4), month, day) * 86400 + second)
          * 1000
      + get_number (text + 21, 3);
  return TRUE;
}

static gboolean
is_string (const ServeEventValue *value)
{
  return value->text && *value->text == '"';
}

gboolean
serve_event_line_parse (const char *text, gsize length, ServeEventLine *line)
{
  static const char head[] = "{\"event\":";
  Cursor cursor = { text, text + length };
  Y10JsonScan scan;

  memset (line, 0, sizeof *line);
  return length > sizeof head && !memcmp (text, head, sizeof head - 1)
      && y10_json_scan (text, length, MOST_DEPTH, &scan) && !scan.nul_line
      && g_utf8_validate (text, (gssize) length, NULL)
      && read_object (&cursor, line) && cursor.at == cursor.end
      && is_string (&line->members[SERVE_EVENT_EVENT])
      && is_string (&line->members[SERVE_EVENT_STREAM])
      && read_time (&line->members[SERVE_EVENT_UTC], &line->time);
}

static gunichar
get_unit (const char *digits)
{
  gunichar unit = 0;

  for (guint i = 0; i < 4; i++)
    unit = unit * 16 + (gunichar) g_ascii_xdigit_value (digits[i]);
  return unit;
}

/* Appends what the escape at @c, behind a backslash, stands for. Returns its end. */
static const char *
append_escape (const char *c, GString *text)
{
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  gunichar character;

  if (*c != 'u') {
    g_string_append_c (text, meanings[strchr (letters, *c) - letters]);
    return c + 1;
  }
  character = get_unit (c + 1);
  if (character < 0xd800 || character > 0xdbff) {
    g_string_append_unichar (text, character);
    return c + 5;
  }
  g_string_append_unichar (text,
      0x10000 + ((character - 0xd800) << 10) + (get_unit (c + 7) - 0xdc00));
  return c + 11;
}

void
serve_event_value_get (const ServeEventValue *value, GString *text)
{
  const char *c, *end;

  g_string_truncate (text, 0);
  if (!is_string (value)) {
    g_string_append_len (text, value->text ? value->text : "",
        (gssize) value->length);
    return;
  }
  c = value->text + 1;
  end = value->text + value->length - 1;
  while (c < end) {
    const char *escape = memchr (c, '\\', (gsize) (end - c));

    g_string_append_len (text, c, (escape ? escape : end) - c);
    c = escape ? append_escape (escape + 1, text) : end;
  }
}

const char *
serve_event_member_get_name (ServeEventMember member)
{
  return names[member];
}

#endif
