/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Makes text of unknown origin safe to print. File names, class names and
 * property values may contain any bytes, but terminals interpret control
 * characters, and GstStructure requires UTF-8. */
#include "common/text.h"

/* Returns @text as UTF-8. Control characters other than newline, and invalid
 * bytes, become \xNN. */
gchar *
gst_y10_text_printable (const gchar *text)
{
  GString *result = g_string_new (NULL);

  while (text && *text) {
    gunichar c = g_utf8_get_char_validated (text, -1);
    gboolean valid = c < (gunichar) -2; /* two error values */
    const gchar *next = valid ? g_utf8_next_char (text) : text + 1;

    if (valid && (c == '\n' || !g_unichar_iscntrl (c)))
      g_string_append_len (result, text, next - text);
    else
      g_string_append_printf (result, "\\x%02x",
          valid ? c : (guint) (guchar) *text);
    text = next;
  }
  return g_string_free (result, FALSE);
}

/* Returns @text if it is UTF-8, else the printable form; for GstStructures. */
gchar *
gst_y10_text_utf8 (const gchar *text)
{
  if (!text || g_utf8_validate (text, -1, NULL))
    return g_strdup (text);
  return gst_y10_text_printable (text);
}

/* Puts a question mark in place of each byte of @text that is not UTF-8. Allocates
 * nothing. */
void
gst_y10_text_repair (gchar *text)
{
  const gchar *end;

  while (!g_utf8_validate (text, -1, &end)) {
    text += end - text;
    *text++ = '?';
  }
}

/* Appends @text as a string of JSON. */
void
gst_y10_text_append_json (GString *json, const gchar *text)
{
  g_autofree gchar *valid = gst_y10_text_utf8 (text);

  g_string_append_c (json, '"');
  for (const gchar *c = valid; *c; c++) {
    if (*c == '"' || *c == '\\')
      g_string_append_printf (json, "\\%c", *c);
    else if ((guchar) *c < 0x20 || *c == 0x7f)
      g_string_append_printf (json, "\\u%04x", (guint) *c);
    else
      g_string_append_c (json, *c);
  }
  g_string_append_c (json, '"');
}
