/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what is a line, and finds its members.
 *
 * Lines are untrusted: power loss tears them, and others may have written them. What a
 * string is and how deep the text nests is decided by the scanner that guards all JSON
 * here; then the grammar is checked to the end, so that a line that passes can be sent on
 * as it is. A parser that builds a tree takes ten times as long, which counts for a million
 * of lines at the start. */
#include "spool/line.h"

#include <string.h>

#include "base/json-scan.h"
#include "spool/utc.h"

#define MAX_DEPTH 64

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

/* Takes a member that is one of @members; of several of a name the last counts. */
static void
note (GstY10LineMember *members, guint n, const char *name, gsize length,
    const char *begin, const char *end)
{
  for (guint i = 0; i < n; i++)
    if (members[i].name[0] == name[0]
        && !strncmp (members[i].name, name, length)
        && !members[i].name[length]) {
      members[i].json = begin;
      members[i].length = (gsize) (end - begin);
    }
}

static gboolean
read_object (Cursor *cursor, GstY10LineMember *members, guint n)
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
    note (members, n, name, (gsize) (name_end - name), begin, cursor->at);
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
      return read_object (cursor, NULL, 0);
    case 't':
    case 'f':
    case 'n':
      return read_word (cursor);
    default:
      return read_number (cursor);
  }
}

static gboolean
read_members (Cursor *cursor, GstY10LineMember *members, guint n)
{
  for (guint i = 0; i < n; i++)
    members[i].json = NULL;
  return read_object (cursor, members, n);
}

/**
 * gst_y10_line_check:
 * @text: bytes without a newline
 * @length: of @text
 * @members: (array length=n): whose names are set, and whose values are found
 * @n: how many
 *
 * Allocates nothing.
 *
 * Returns: whether @text is a line: one JSON object in UTF-8, without NUL
 */
gboolean
gst_y10_line_check (const gchar *text, gsize length, GstY10LineMember *members,
    guint n)
{
  Cursor cursor = { text, text + length };
  Y10JsonScan scan;

  return length && *text == '{' && text[length - 1] == '}'
      && y10_json_scan (text, length, MAX_DEPTH, &scan) && !scan.nul_line
      && g_utf8_validate (text, (gssize) length, NULL)
      && read_members (&cursor, members, n) && cursor.at == cursor.end;
}

gboolean
gst_y10_line_member_is_string (const GstY10LineMember *member)
{
  return member->json && *member->json == '"';
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

/**
 * gst_y10_line_member_get:
 * @member: a member that was read
 * @text: set to a string without its quotation marks and escapes, or to other JSON as it is;
 *   "" if the member is not there
 */
void
gst_y10_line_member_get (const GstY10LineMember *member, GString *text)
{
  const char *c, *end;

  g_string_truncate (text, 0);
  if (!member->json)
    return;
  if (!gst_y10_line_member_is_string (member)) {
    g_string_append_len (text, member->json, (gssize) member->length);
    return;
  }
  c = member->json + 1;
  end = member->json + member->length - 1;
  while (c < end) {
    const char *escape = memchr (c, '\\', (gsize) (end - c));

    g_string_append_len (text, c, (escape ? escape : end) - c);
    c = escape ? append_escape (escape + 1, text) : end;
  }
}

static GstY10LineMember
find (const GstY10SpoolLine *line, const gchar *name)
{
  Cursor cursor = { line->text, line->text + line->length };
  GstY10LineMember member = { .name = name };

  read_members (&cursor, &member, 1);
  return member;
}

gboolean
gst_y10_line_has (const GstY10SpoolLine *line, const gchar *name)
{
  return find (line, name).json != NULL;
}

/* Returns: (transfer full) (nullable): the text of a member that is a string */
gchar *
gst_y10_line_get_string (const GstY10SpoolLine *line, const gchar *name)
{
  const GstY10LineMember member = find (line, name);
  GString *text;

  if (!gst_y10_line_member_is_string (&member))
    return NULL;
  text = g_string_sized_new (member.length);
  gst_y10_line_member_get (&member, text);
  return g_string_free (text, FALSE);
}

gboolean
gst_y10_line_get_count (const GstY10SpoolLine *line, const gchar *name,
    guint64 *value)
{
  const GstY10LineMember member = find (line, name);

  /* What follows a number ends it. */
  if (!member.json || !g_ascii_isdigit (*member.json))
    return FALSE;
  *value = g_ascii_strtoull (member.json, NULL, 10);
  return TRUE;
}

/* Whether a member is a time, and which, in microseconds since 1970. */
gboolean
gst_y10_line_member_get_utc (const GstY10LineMember *member, gint64 *time)
{
  return gst_y10_line_member_is_string (member)
      && gst_y10_utc_parse (member->json + 1, member->length - 2, time);
}

/* Microseconds since a line was made, by its member "utc"; 0 if it has none, or if the
 * clock ran back. */
gint64
gst_y10_line_get_age (const GstY10SpoolLine *line)
{
  const GstY10LineMember utc = find (line, "utc");
  gint64 time;

  return gst_y10_line_member_get_utc (&utc, &time)
      ? MAX (g_get_real_time () - time, 0)
      : 0;
}

/* Sets @text to a line with what names it, and whether it may have come before. */
void
gst_y10_line_address (GString *text, const GstY10SpoolLine *line,
    const gchar *producer, gboolean is_replayed)
{
  Cursor members = { line->text + 1, line->text + line->length };

  g_string_truncate (text, 0);
  g_string_append_len (text, line->text, (gssize) line->length - 1);
  if (peek (&members) != '}')
    g_string_append_c (text, ',');
  g_string_append_printf (text,
      "\"producer\":\"%s\",\"segment\":%" G_GUINT64_FORMAT
      ",\"offset\":%" G_GUINT64_FORMAT "%s}",
      producer, line->at.segment, line->at.offset,
      is_replayed ? ",\"replayed\":true" : "");
}

/**
 * gst_y10_line_cut:
 * @text: set to the line without a member
 * @line: a line
 * @name: of the member, which is not the first one
 *
 * Returns: whether there is such a member
 */
gboolean
gst_y10_line_cut (GString *text, const GstY10SpoolLine *line, const gchar *name)
{
  const GstY10LineMember member = find (line, name);
  const gchar *value = member.json, *c;

  if (!value)
    return FALSE;
  /* Back over the colon and the name to the comma. */
  for (c = value - 1; *c != ':'; c--)
    ;
  for (c -= strlen (name) + 2; c > line->text && *c != ','; c--)
    ;
  if (c == line->text)
    return FALSE;
  g_string_truncate (text, 0);
  g_string_append_len (text, line->text, c - line->text);
  g_string_append_len (text, value + member.length,
      line->text + line->length - value - member.length);
  return TRUE;
}
