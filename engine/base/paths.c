/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Locates installed files outside the library: first relative to the
 * library, for build folders and relocated installations, then in the
 * configured directories. Modules are first searched for in the folders of
 * the environment variable Y10_BACKEND_PATH. */

#include "config.h"
#include "dirs.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/paths.h"

/* The folder of this library with symbolic links resolved; NULL if unknown. */
static char *
library_folder (void)
{
  char *real = NULL, *folder;
  Dl_info info;

  if (dladdr ((void *) y10_paths_find_module, &info) && info.dli_fname)
    real = realpath (info.dli_fname, NULL);
  folder = real ? g_path_get_dirname (real) : NULL;
  free (real);
  return folder;
}

static void
add_below (GStrvBuilder *builder, const char *folder, const char *below)
{
  g_autofree char *path = NULL;

  if (!folder)
    return;
  path = g_canonicalize_filename (below, folder);
  g_strv_builder_add (builder, path);
}

/* Returns the path of @file in the first folder that contains it, or NULL. */
static char *
find (const char *file, char **folders)
{
  for (guint i = 0; folders[i]; i++) {
    g_autofree char *path = g_build_filename (folders[i], file, NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&path);
  }
  return NULL;
}

char *
y10_paths_find_module (const char *name, GString *why)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *path = secure_getenv ("Y10_BACKEND_PATH");
  g_auto (GStrv) asked = g_strsplit (path ? path : "", ":", -1), folders = NULL;
  g_autofree char *file = g_strconcat ("liby10-", name, ".so", NULL);
  g_autofree char *own = library_folder ();
  g_autofree char *built = g_build_filename ("..", name, NULL);
  char *found;

  for (guint i = 0; asked[i]; i++)
    if (*asked[i])
      g_strv_builder_add (builder, asked[i]);
  add_below (builder, own, "y10");
  add_below (builder, own, built);
  g_strv_builder_add (builder, Y10_MODULE_DIR);
  folders = g_strv_builder_end (builder);
  found = find (file, folders);
  if (!found)
    g_string_append_printf (why, "%s is not installed in %s", file,
        Y10_MODULE_DIR);
  return found;
}

char *
y10_paths_find_data (const char *name, GString *why)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) folders = NULL;
  g_autofree char *own = library_folder (), *all = NULL;
  char *found;

  add_below (builder, own, "../models");
  add_below (builder, own, Y10_DATA_FROM_LIB);
  g_strv_builder_add (builder, Y10_DATA_DIR);
  folders = g_strv_builder_end (builder);
  found = find (name, folders);
  if (!found) {
    all = g_strjoinv (", ", folders);
    g_string_append_printf (why, "%s is not in %s", name, all);
  }
  return found;
}
