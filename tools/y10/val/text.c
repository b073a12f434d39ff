/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads the text files of a data set. Programs on Windows begin them with a byte order mark
 * and end lines with CR and LF; nobody else here has to know. */

#include "config.h"

#include <string.h>

#include <y10/y10.h>

#include "val/data.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

char *
val_read_file (const char *path, gsize *size, GError **error)
{
  g_autoptr (GError) failure = NULL;
  char *text = NULL;

  /* Neither waits for a pipe nor reads a device without an end. */
  if (g_file_test (path, G_FILE_TEST_EXISTS)
      && !g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "%s: is %s; expected a file", path,
        g_file_test (path, G_FILE_TEST_IS_DIR) ? "a folder"
                                               : "not a regular file");
    return NULL;
  }
  if (!g_file_get_contents (path, &text, size, &failure)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s", failure->message);
  } else if (g_str_has_prefix (text, BYTE_ORDER_MARK)) {
    *size -= strlen (BYTE_ORDER_MARK);
    memmove (text, text + strlen (BYTE_ORDER_MARK), *size + 1);
  }
  return text;
}

/* CR, LF and both are each one end of a line. */
static void
unify_line_ends (char *text)
{
  char *to = text;

  for (const char *from = text; *from; from++) {
    *to++ = *from == '\r' ? '\n' : *from;
    from += from[0] == '\r' && from[1] == '\n';
  }
  *to = 0;
}

char **
val_read_lines (const char *path, GError **error)
{
  gsize size;
  g_autofree char *text = val_read_file (path, &size, error);
  char **lines;

  if (!text)
    return NULL;
  if (!g_utf8_validate_len (text, size, NULL)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: is not UTF-8 text",
        path);
    return NULL;
  }
  unify_line_ends (text);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    g_strstrip (lines[i]);
  return lines;
}
