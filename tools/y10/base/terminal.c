/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Human-readable output. File names, class names and messages of libraries are
 * untrusted and may contain terminal escape sequences: all text is printed
 * through tool_escape(). The JSON writer escapes its strings itself. */

#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/terminal.h"

/* Rejects controls, and format characters that reorder or hide text. */
static gboolean
is_harmless (gunichar c)
{
  switch (g_unichar_type (c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return c == 0x200d; /* joins emoji */
    default:
      return TRUE;
  }
}

static void
append_escaped (GString *out, const char *from, const char *end)
{
  if (end - from == 1 && *from == '\n')
    g_string_append (out, "\\n");
  else if (end - from == 1 && *from == '\t')
    g_string_append (out, "\\t");
  else
    for (; from < end; from++)
      g_string_append_printf (out, "\\x%02x", (guchar) *from);
}

static char *
escape (const char *text, const char *keep)
{
  GString *out = g_string_new (NULL);
  const char *next;

  for (; *text; text = next) {
    gunichar c = g_utf8_get_char_validated (text, -1);
    gboolean valid = c != (gunichar) -1 && c != (gunichar) -2;

    next = valid ? g_utf8_next_char (text) : text + 1;
    if (valid && (is_harmless (c) || (c < 0x80 && strchr (keep, (int) c))))
      g_string_append_len (out, text, next - text);
    else
      append_escaped (out, text, next);
  }
  return g_string_free (out, FALSE);
}

char *
tool_escape (const char *text)
{
  return escape (text, "");
}

void
tool_print (const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL, *safe = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  safe = escape (text, "\n");
  fputs (safe, stdout);
}

void
tool_error (const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL, *safe = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  safe = tool_escape (text);
  /* Print the results of an input before its error. */
  fflush (stdout);
  fprintf (stderr, "y10: %s\n", safe);
}

gboolean
tool_flush_stdout (void)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return TRUE;
  tool_error ("cannot write the results: %s", g_strerror (errno));
  return FALSE;
}

void
tool_print_json (const GString *json)
{
  g_autofree char *text = y10_json_indent (json->str);

  puts (text);
}
