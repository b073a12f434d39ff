/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Expands the inputs of a command line: a folder stands for the pictures and
 * videos in it, recognised by extension. Recognising them by content would skip
 * damaged files silently. */

#include "config.h"

#include <string.h>

#include "tool.h"

static const char *const extensions[] = {
  "3gp", "asf", "avi", "avif", "bmp", "flv", "gif", "heic", "ico", "jfif",
  "jpe", "jpeg", "jpg", "m2ts", "m4v", "mjpeg", "mkv", "mov", "mp4", "mpeg",
  "mpg", "mts", "mxf", "ogv", "pbm", "pgm", "png", "pnm", "ppm", "tif", "tiff",
  "ts", "webm", "webp", "wmv", NULL
};

static gboolean
is_media (const char *name)
{
  const char *dot = strrchr (name, '.');
  char *extension;
  gboolean media;

  if (name[0] == '.' || !dot)
    return FALSE;
  extension = g_ascii_strdown (dot + 1, -1);
  media = g_strv_contains (extensions, extension);
  g_free (extension);
  return media;
}

/* Sorts img2.jpg before img10.jpg. */
static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strverscmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_folder (GPtrArray *inputs, const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint before = inputs->len;
  const char *name;
  GPtrArray *found;

  found = g_ptr_array_new ();
  while (dir && (name = g_dir_read_name (dir))) {
    char *path = g_build_filename (folder, name, NULL);

    if (is_media (name) && !g_file_test (path, G_FILE_TEST_IS_DIR))
      g_ptr_array_add (found, path);
    else
      g_free (path);
  }
  g_ptr_array_sort (found, compare_names);
  g_ptr_array_extend_and_steal (inputs, found);
  /* Keep an empty folder: processing it reports the error. */
  if (inputs->len == before)
    g_ptr_array_add (inputs, g_strdup (folder));
  if (dir)
    g_dir_close (dir);
}

char **
tool_inputs_expand (char **arguments)
{
  GPtrArray *inputs = g_ptr_array_new ();

  for (; *arguments; arguments++) {
    if (!strstr (*arguments, "://")
        && g_file_test (*arguments, G_FILE_TEST_IS_DIR))
      add_folder (inputs, *arguments);
    else
      g_ptr_array_add (inputs, g_strdup (*arguments));
  }
  g_ptr_array_add (inputs, NULL);
  return (char **) g_ptr_array_free (inputs, FALSE);
}
