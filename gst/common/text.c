/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Names of files and classes, and what properties are set to, may be any bytes.
 * Messages and logs are printed on terminals, which obey control characters, and a
 * GstStructure takes no string that is not UTF-8. */
#include "common/text.h"

/**
 * gst_y10_text_printable:
 * @text: (nullable): bytes from anywhere
 *
 * Returns: (transfer full): @text as UTF-8 in which control characters, but for
 *   line ends, and bytes that are not UTF-8 are written as \\xNN
 */
gchar *
gst_y10_text_printable (const gchar * text)
{
  GString *result = g_string_new (NULL);

  while (text && *text) {
    gunichar c = g_utf8_get_char_validated (text, -1);
    gboolean valid = c < (gunichar) - 2;        /* the two errors */
    const gchar *next = valid ? g_utf8_next_char (text) : text + 1;

    if (valid && (c == '\n' || !g_unichar_iscntrl (c)))
      g_string_append_len (result, text, next - text);
    else
      g_string_append_printf (result, "\\x%02x", valid ? c
          : (guint) (guchar) * text);
    text = next;
  }
  return g_string_free (result, FALSE);
}

/**
 * gst_y10_text_utf8:
 * @text: (nullable): bytes from anywhere
 *
 * For a field of a #GstStructure.
 *
 * Returns: (transfer full) (nullable): @text where it is UTF-8, else as
 *   gst_y10_text_printable() writes it
 */
gchar *
gst_y10_text_utf8 (const gchar * text)
{
  if (!text || g_utf8_validate (text, -1, NULL))
    return g_strdup (text);
  return gst_y10_text_printable (text);
}
