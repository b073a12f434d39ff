/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Derives names for JSON and for output files from the names of inputs and
 * classes. Those are untrusted: no name made here leads out of its folder. */

#include "config.h"

#include <string.h>

#include "tool.h"

#define MAX_NAME 100            /* bytes; file systems allow 255 */

gboolean
tool_is_stdin (const char *source)
{
  return !strcmp (source, "-");
}

char *
tool_source_to_utf8 (const char *source)
{
  char *path, *uri;

  if (g_utf8_validate (source, -1, NULL))
    return g_strdup (source);
  if (strstr (source, "://"))
    return g_uri_escape_string (source,
        G_URI_RESERVED_CHARS_ALLOWED_IN_PATH "?#[]%", TRUE);
  path = g_canonicalize_filename (source, NULL);
  uri = g_filename_to_uri (path, NULL, NULL);
  g_free (path);
  return uri;
}

char *
tool_source_basename (const char *source)
{
  char *path, *base;

  if (tool_is_stdin (source))
    return g_strdup ("stdin");
  if (!strstr (source, "://"))
    return g_path_get_basename (source);
  path = g_strndup (source, strcspn (source, "?#"));
  base = g_path_get_basename (path);
  g_free (path);
  return base;
}

char *
tool_safe_name (const char *name)
{
  GString *safe = g_string_new (NULL);
  const char *next;

  for (; *name && safe->len < MAX_NAME; name = next) {
    gunichar c = g_utf8_get_char_validated (name, -1);
    gboolean valid = c != (gunichar) -1 && c != (gunichar) -2;

    next = valid ? g_utf8_next_char (name) : name + 1;
    if (!valid || !g_unichar_isprint (c) || c == '/' || c == '\\'
        || (c == '.' && !safe->len))
      g_string_append_c (safe, '_');
    else
      g_string_append_unichar (safe, c);
  }
  if (!safe->len)
    g_string_append_c (safe, '_');
  return g_string_free (safe, FALSE);
}
