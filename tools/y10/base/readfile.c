/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads small files. A pipe or a device where one is expected neither holds the program up
 * nor fills its memory. */

#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/readfile.h"
#include "base/regular-file.h"

char *
tool_read_file (const char *path, gsize most, gsize *size, GError **error)
{
  struct stat status;
  char *text = NULL;
  g_autofree char *why = NULL;
  const int file = y10_regular_file_open (path, &status, &why);
  gssize n;

  if (file < 0) {
    g_set_error (error, G_FILE_ERROR,
        g_file_test (path, G_FILE_TEST_EXISTS) ? G_FILE_ERROR_FAILED
                                               : G_FILE_ERROR_NOENT,
        "%s: %s", path, why);
    return NULL;
  }
  if ((guint64) status.st_size <= most) {
    text = g_malloc ((gsize) status.st_size + 1);
    n = y10_regular_file_read (file, 0, text, (gsize) status.st_size);
    if (n < 0)
      g_clear_pointer (&text, g_free);
    else
      text[n] = '\0';
    if (size)
      *size = (gsize) MAX (n, 0);
  }
  close (file);
  if (!text)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
        "%s: it has %" G_GINT64_FORMAT
        " bytes, or cannot be read; expected at most %" G_GSIZE_FORMAT,
        path, (gint64) status.st_size, most);
  return text;
}
