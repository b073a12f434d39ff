/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Derives names for JSON and for output files from the names of inputs and
 * classes. Those are untrusted: no name made here leads out of its folder. */

#include "config.h"

#include <string.h>
#include <glib/gstdio.h>
#include <y10/y10.h>

#include "base/address.h"
#include "base/names.h"

#define STDIN_PATH "/dev/stdin"
#define MAX_NAME 100 /* bytes; file systems allow 255 */

gboolean
tool_is_stdin (const char *source)
{
  return !strcmp (source, "-");
}

static gboolean
is_file_uri (const char *source)
{
  return !g_ascii_strncasecmp (source, "file://", strlen ("file://"));
}

gboolean
tool_is_remote (const char *source)
{
  return strstr (source, "://") && !is_file_uri (source);
}

char *
tool_source_to_path (const char *source, GError **error)
{
  char *path;
  g_autofree char *host = NULL;

  if (tool_is_stdin (source))
    return g_strdup (STDIN_PATH);
  if (!strstr (source, "://"))
    return g_strdup (source);
  if (!is_file_uri (source))
    return NULL;
  path = g_filename_from_uri (source, &host, NULL);
  if (!path)
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "not a valid file: URI; expected file:///, an absolute name, and each "
        "special character as %%NN");
  else if (host && g_ascii_strcasecmp (host, "localhost") != 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the file: URI names the host '%s'; expected none or localhost", host);
    g_clear_pointer (&path, g_free);
  }
  return path;
}

char *
tool_source_to_utf8 (const char *source)
{
  g_autofree char *path = NULL;

  source = tool_address_name (source);
  if (g_utf8_validate (source, -1, NULL))
    return g_strdup (source);
  if (strstr (source, "://"))
    return g_uri_escape_string (source,
        G_URI_RESERVED_CHARS_ALLOWED_IN_PATH "?#[]%", TRUE);
  path = g_canonicalize_filename (source, NULL);
  return g_filename_to_uri (path, NULL, NULL);
}

/* The last part of a URI's path, decoded. */
static char *
remote_basename (const char *uri)
{
  g_autofree char *path = g_strndup (uri, strcspn (uri, "?#"));
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *decoded = g_uri_unescape_string (base, "/");

  return tool_safe_name (decoded ? decoded : base);
}

char *
tool_source_basename (const char *source)
{
  g_autofree char *path = NULL;

  source = tool_address_name (source);
  if (tool_is_stdin (source))
    return g_strdup ("stdin");
  path = tool_source_to_path (source, NULL);
  return path ? g_path_get_basename (path) : remote_basename (source);
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

gboolean
tool_is_same_file (const char *path, const char *other)
{
  GStatBuf a, b;

  return g_stat (path, &a) == 0 && g_stat (other, &b) == 0
      && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
