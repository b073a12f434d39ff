/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what is a line, and finds its members. Lines are untrusted: power loss tears them,
 * and others may have written them. One that passes can be sent on as it is. */
#include "spool/line.h"

#include <string.h>

#include "base/json-cursor.h"
#include "spool/utc.h"

#define MAX_DEPTH 64

/* Whether a string has a NUL, at which C's strings end, among JSON's escapes. */
static gboolean
has_nul (const gchar *text, gsize length)
{
  const gchar *end = text + length, *c = text;

  while ((c = memchr (c, '\\', (gsize) (end - c)))) {
    if (g_str_has_prefix (c + 1, "u0000"))
      return TRUE;
    c += 2;
  }
  return FALSE;
}

/* Of several of a name the last counts. */
static void
find_members (Y10Json object, GstY10LineMember *members, guint n)
{
  Y10JsonCursor cursor;
  Y10Json value;

  for (guint i = 0; i < n; i++)
    members[i].json = NULL;
  y10_json_enter (&cursor, object);
  while (y10_json_next (&cursor, &value))
    for (guint i = 0; i < n; i++)
      if (y10_json_is_text (cursor.name, members[i].name)) {
        members[i].json = value.text;
        members[i].length = value.length;
      }
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
  Y10Json object;

  if (!length || *text != '{' || text[length - 1] != '}'
      || !y10_json_check (text, length, MAX_DEPTH, &object, NULL)
      || has_nul (text, length))
    return FALSE;
  find_members (object, members, n);
  return TRUE;
}

gboolean
gst_y10_line_member_is_string (const GstY10LineMember *member)
{
  return member->json && *member->json == '"';
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
  const Y10Json value = { member->json, member->length };

  g_string_truncate (text, 0);
  if (gst_y10_line_member_is_string (member)) {
    g_string_set_size (text, value.length);
    g_string_truncate (text, y10_json_decode (value, text->str));
  } else if (value.text) {
    g_string_append_len (text, value.text, (gssize) value.length);
  }
}

static GstY10LineMember
find (const GstY10SpoolLine *line, const gchar *name)
{
  GstY10LineMember member = { .name = name };

  find_members ((Y10Json){ line->text, line->length }, &member, 1);
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

  return y10_json_dup_text ((Y10Json){ member.json, member.length });
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
  Y10JsonCursor cursor;
  Y10Json first;

  g_string_truncate (text, 0);
  g_string_append_len (text, line->text, (gssize) line->length - 1);
  y10_json_enter (&cursor, (Y10Json){ line->text, line->length });
  if (y10_json_next (&cursor, &first))
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
