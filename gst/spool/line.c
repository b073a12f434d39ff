/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Looks at members of an object without taking all of it apart, since most lines are
 * frames, of which little is wanted. The reader has seen that a line is JSON. */
#include "spool/line.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* The end of the string that begins at @c, behind its quotation mark. */
static const gchar *
skip_string (const gchar *c, const gchar *end)
{
  for (c++; c < end && *c != '"'; c++)
    if (*c == '\\')
      c++;
  return MIN (c + 1, end);
}

/* The end of the value that begins at @c: a comma or bracket that is not inside of it. */
static const gchar *
skip_value (const gchar *c, const gchar *end)
{
  guint depth = 0;

  while (c < end) {
    if (*c == '"') {
      c = skip_string (c, end);
      continue;
    }
    if (!depth && (*c == ',' || *c == '}'))
      break;
    if (*c == '{' || *c == '[')
      depth++;
    else if (*c == '}' || *c == ']')
      depth--;
    c++;
  }
  return c;
}

static const gchar *
skip_blanks (const gchar *c, const gchar *end)
{
  while (c < end && g_ascii_isspace (*c))
    c++;
  return c;
}

/**
 * gst_y10_line_find:
 * @line: a line
 * @name: name of a member, without escapes
 * @length: (out): of the value, in bytes
 *
 * Returns: (transfer none) (nullable): the JSON of the member's value; of several, the
 *   last
 */
const gchar *
gst_y10_line_find (const GstY10SpoolLine *line, const gchar *name,
    gsize *length)
{
  const gchar *end = line->text + line->length;
  const gchar *c = skip_blanks (line->text + 1, end), *found = NULL;
  const gsize n = strlen (name);

  while (c < end && *c == '"') {
    const gchar *key = c + 1, *key_end = skip_string (c, end) - 1;
    const gchar *value = skip_blanks (key_end + 1, end);

    value = skip_blanks (MIN (value + 1, end), end);
    c = skip_value (value, end);
    if ((gsize) (key_end - key) == n && !memcmp (key, name, n)) {
      found = value;
      *length = (gsize) (c - value);
    }
    c = skip_blanks (MIN (c + 1, end), end);
  }
  return found;
}

/* Returns: (transfer full) (nullable): the text of a member that is a string */
gchar *
gst_y10_line_get_string (const GstY10SpoolLine *line, const gchar *name)
{
  gsize length;
  const gchar *value = gst_y10_line_find (line, name, &length);
  gchar *json, *text = NULL;
  JsonNode *node;

  if (!value || length < 2 || *value != '"')
    return NULL;
  if (!memchr (value, '\\', length))
    return g_strndup (value + 1,
        (gsize) ((const gchar *) memchr (value + 1, '"', length - 1) - value)
            - 1);
  json = g_strndup (value, length);
  node = json_from_string (json, NULL);
  if (node) {
    text = g_strdup (json_node_get_string (node));
    json_node_unref (node);
  }
  g_free (json);
  return text;
}

gboolean
gst_y10_line_get_count (const GstY10SpoolLine *line, const gchar *name,
    guint64 *value)
{
  gsize length;
  const gchar *text = gst_y10_line_find (line, name, &length);

  /* What follows a number ends it. */
  if (!text || !g_ascii_isdigit (*text))
    return FALSE;
  *value = g_ascii_strtoull (text, NULL, 10);
  return TRUE;
}

/* Microseconds since a line was made, by its member "utc"; 0 if it has none, or if the
 * clock ran back. */
gint64
gst_y10_line_get_age (const GstY10SpoolLine *line)
{
  gchar *utc = gst_y10_line_get_string (line, "utc");
  GDateTime *time = utc ? g_date_time_new_from_iso8601 (utc, NULL) : NULL;
  gint64 age = 0;

  if (time) {
    age = g_get_real_time () - g_date_time_to_unix (time) * G_USEC_PER_SEC
        - g_date_time_get_microsecond (time);
    g_date_time_unref (time);
  }
  g_free (utc);
  return MAX (age, 0);
}

/* Sets @text to a line with what names it, and whether it may have come before. */
void
gst_y10_line_address (GString *text, const GstY10SpoolLine *line,
    const gchar *producer, gboolean is_replayed)
{
  const gchar *end = line->text + line->length;

  /* Without the brace that ends it. */
  do
    end--;
  while (end > line->text && *end != '}');
  g_string_truncate (text, 0);
  g_string_append_len (text, line->text, end - line->text);
  if (*skip_blanks (line->text + 1, line->text + line->length) != '}')
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
  gsize length;
  const gchar *value = gst_y10_line_find (line, name, &length);
  const gchar *c;

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
  g_string_append_len (text, value + length,
      line->text + line->length - value - length);
  return TRUE;
}
