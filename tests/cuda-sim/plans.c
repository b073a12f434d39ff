/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The plans that a test finds on disk are those that it stored. */

#include "plans.h"

#include <glib/gstdio.h>

static char *cache_home;

void
plans_begin (void)
{
  GError *error = NULL;

  cache_home = g_dir_make_tmp ("y10-plans-XXXXXX", &error);
  g_assert_no_error (error);
  g_setenv ("XDG_CACHE_HOME", cache_home, TRUE);
}

void
plans_end (void)
{
  g_autofree char *folder = plans_folder ();
  g_autofree char *parent = g_path_get_dirname (folder);

  plans_each (plans_delete);
  g_rmdir (folder);
  g_rmdir (parent);
  g_rmdir (cache_home);
  g_clear_pointer (&cache_home, g_free);
}

char *
plans_folder (void)
{
  return g_build_filename (cache_home, "yolov10detect", "plans", NULL);
}

guint
plans_each (void (*each) (const char *path))
{
  g_autofree char *folder = plans_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (each)
      each (path);
    n++;
  }
  return n;
}

void
plans_delete (const char *path)
{
  g_assert_cmpint (g_remove (path), ==, 0);
}

void
plans_cut (const char *path)
{
  g_autofree char *text = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &text, &size, NULL));
  g_assert_true (g_file_set_contents (path, text, size - 1, NULL));
}
