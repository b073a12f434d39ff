/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* json-glib writes each real with the 17 digits that suffice for any; most need fewer, and
 * then none is longer than it was. */
#include "base/json-text.h"

#include <string.h>

#define NUMBER "+-.eE0123456789"

const char *
y10_real_to_text (double value, char buffer[G_ASCII_DTOSTR_BUF_SIZE])
{
  /* Each decimal of 15 digits reads back as itself, and 17 suffice for each double. */
  static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_ascii_formatd (buffer, G_ASCII_DTOSTR_BUF_SIZE, formats[i], value);
    if (g_ascii_strtod (buffer, NULL) == value)
      break;
  }
  return buffer;
}

/* Writes the real of @length at @text into @buffer, no longer than it was. */
static gsize
shorten (const char *text, gsize length, char buffer[G_ASCII_DTOSTR_BUF_SIZE])
{
  y10_real_to_text (g_ascii_strtod (text, NULL), buffer);
  /* It stays a real. */
  if (!strpbrk (buffer, ".e"))
    strcat (buffer, ".0");
  if (strlen (buffer) > length)
    memcpy (buffer, text, length);
  return MIN (strlen (buffer), length);
}

/* The end of the string that begins at @text. */
static const char *
skip_string (const char *text)
{
  for (text++; *text && *text != '"'; text++)
    text += *text == '\\' && text[1];
  return *text ? text + 1 : text;
}

char *
y10_json_to_text (JsonNode *node, gboolean pretty)
{
  char *text = json_to_string (node, pretty), *end = text;
  const char *next;

  for (const char *from = text; *from; from = next) {
    const gsize length = strspn (from, NUMBER);
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    next = *from == '"' ? skip_string (from) : from + MAX (length, 1);
    if ((*from == '-' || g_ascii_isdigit (*from))
        && strcspn (from, ".eE") < length && length < sizeof number) {
      end = mempcpy (end, number, shorten (from, length, number));
    } else {
      memmove (end, from, (gsize) (next - from));
      end += next - from;
    }
  }
  *end = 0;
  return text;
}
