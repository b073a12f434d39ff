/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Expands the inputs of a command line: a folder stands for the pictures and
 * videos in it, recognised by extension. Recognising them by content would skip
 * damaged files silently. What else is in a folder is counted and said. A pattern stands
 * for the files that match, and @FILE for those that the lines of FILE name. */

#include "config.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/terminal.h"
#include "media/inputs.h"

#ifdef HAVE_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>
#endif

/* Those that have another reader than gdk-pixbuf, or none without a package. */
static const char *const picture_extensions[] = { "apng", "avif", "bmp", "gif",
  "heic", "heif", "hif", "ico", "j2c", "j2k", "jfif", "jp2", "jpe", "jpeg",
  "jpf", "jpg", "jps", "jpx", "jxl", "mpo", "pam", "pbm", "pcx", "pgm", "png",
  "pnm", "ppm", "tga", "tif", "tiff", "webp", NULL };

static const char *const video_extensions[] = { "264", "265", "3g2", "3gp",
  "asf", "avi", "divx", "dv", "f4v", "flv", "h264", "h265", "hevc", "ivf",
  "m2ts", "m2v", "m4v", "mj2", "mjpeg", "mjpg", "mkv", "mov", "mp4", "mpe",
  "mpeg", "mpg", "mts", "mxf", "ogm", "ogv", "qt", "ts", "vob", "webm", "wmv",
  "y4m", NULL };

typedef struct
{
  GPtrArray *inputs;
  gboolean recursive;
  /* Left out of one argument. */
  guint n_others, n_special, n_folders, n_links;
  char *example; /* one of the others, or NULL */
} Expansion;

#ifdef HAVE_PIXBUF
static gboolean
is_loadable (const char *extension)
{
  GSList *formats = gdk_pixbuf_get_formats ();
  gboolean loadable = FALSE;

  for (GSList *at = formats; at && !loadable; at = at->next) {
    g_auto (GStrv) known = gdk_pixbuf_format_get_extensions (at->data);

    loadable = g_strv_contains ((const char *const *) known, extension);
  }
  g_slist_free (formats);
  return loadable;
}
#else
static gboolean
is_loadable (const char *extension)
{
  return FALSE;
}
#endif

static char *
extension_of (const char *name)
{
  const char *dot = strrchr (name, '.');

  return g_ascii_strdown (dot ? dot + 1 : "", -1);
}

gboolean
tool_is_picture_name (const char *name)
{
  g_autofree char *extension = extension_of (name);

  return g_strv_contains (picture_extensions, extension)
      || is_loadable (extension);
}

static gboolean
is_media (const char *name)
{
  g_autofree char *extension = extension_of (name);
  gboolean video = g_strv_contains (video_extensions, extension);

  return video || tool_is_picture_name (name);
}

/* Sorts img2.jpg before img10.jpg. */
static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strverscmp (*(const char *const *) a, *(const char *const *) b);
}

/* "3 files", "1 file" */
static void
append_count (GString *text, guint n, const char *one, const char *many)
{
  if (n)
    g_string_append_printf (text, "%s%u %s", text->len ? "; " : "", n,
        n == 1 ? one : many);
}

static void
say_left_out (Expansion *self, const char *folder)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_count (text, self->n_others,
      "file without the extension of a picture or video is skipped",
      "files without the extension of a picture or video are skipped");
  if (self->example)
    g_string_append_printf (text, self->n_others > 1 ? " (%s, …)" : " (%s)",
        self->example);
  append_count (text, self->n_special, "pipe, socket or device is skipped",
      "pipes, sockets and devices are skipped");
  append_count (text, self->n_folders,
      "subfolder is not entered (--recursive enters it)",
      "subfolders are not entered (--recursive enters them)");
  append_count (text, self->n_links, "link to a folder is not followed",
      "links to folders are not followed");
  if (text->len)
    tool_error ("%s: %s", folder, text->str);
  self->n_others = self->n_special = self->n_folders = self->n_links = 0;
  g_clear_pointer (&self->example, g_free);
}

/* Takes @path over. */
static void
sort_entry (Expansion *self, const char *name, char *path, GPtrArray *files,
    GPtrArray *folders)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    if (!self->recursive)
      self->n_folders++;
    else if (g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      self->n_links++;
    else {
      g_ptr_array_add (folders, path);
      return;
    }
  } else if (g_file_test (path, G_FILE_TEST_EXISTS)
      && !g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    /* Opening one could wait for ever. Who names it wants that. */
    self->n_special++;
  } else if (is_media (name)) {
    g_ptr_array_add (files, path);
    return;
  } else {
    self->n_others++;
    if (!self->example)
      self->example = g_strdup (name);
  }
  g_free (path);
}

static void
add_folder (Expansion *self, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *files = g_ptr_array_new ();
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (name[0] != '.')
      sort_entry (self, name, g_build_filename (folder, name, NULL), files,
          folders);
  g_ptr_array_sort (files, compare_names);
  g_ptr_array_extend_and_steal (self->inputs, files);
  g_ptr_array_sort (folders, compare_names);
  for (guint i = 0; i < folders->len; i++)
    add_folder (self, g_ptr_array_index (folders, i));
}

static void
add_input (Expansion *self, const char *input)
{
  const guint before = self->inputs->len;
  g_autofree char *path = tool_source_to_path (input, NULL);

  if (path && g_file_test (path, G_FILE_TEST_IS_DIR))
    add_folder (self, path);
  say_left_out (self, input);
  /* Keep an empty folder: processing it reports the error. */
  if (self->inputs->len == before)
    g_ptr_array_add (self->inputs, g_strdup (input));
}

/* A pattern that the shell did not expand, because it was quoted or matches too much. */
static void
add_pattern (Expansion *self, const char *pattern)
{
  glob_t found = { 0 };

  if (glob (pattern, GLOB_NOSORT, NULL, &found) == 0) {
    qsort (found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv,
        compare_names);
    for (gsize i = 0; i < found.gl_pathc; i++)
      add_input (self, found.gl_pathv[i]);
  }
  globfree (&found);
}

/* An input for each line of the file @path; "-" is standard input. */
static void
add_list (Expansion *self, const char *path)
{
  FILE *file = strcmp (path, "-") ? fopen (path, "r") : stdin;
  char *line = NULL;
  size_t size = 0;
  ssize_t length;

  while (file && (length = getline (&line, &size, file)) > 0) {
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
      line[--length] = 0;
    if (length > 0)
      add_input (self, line);
  }
  free (line);
  if (file && file != stdin)
    fclose (file);
}

static void
add_argument (Expansion *self, const char *argument)
{
  const guint before = self->inputs->len;
  g_autofree char *path = tool_source_to_path (argument, NULL);

  if (path && !g_file_test (path, G_FILE_TEST_EXISTS)) {
    if (argument[0] == '@')
      add_list (self, argument + 1);
    else if (strpbrk (path, "*?["))
      add_pattern (self, path);
  }
  /* What stands for nothing is an input that does not exist. */
  if (self->inputs->len == before)
    add_input (self, argument);
}

char **
tool_inputs_expand (char **arguments, gboolean recursive)
{
  Expansion self = { .inputs = g_ptr_array_new (), .recursive = recursive };

  for (; *arguments; arguments++)
    add_argument (&self, *arguments);
  g_ptr_array_add (self.inputs, NULL);
  return (char **) g_ptr_array_free (self.inputs, FALSE);
}
