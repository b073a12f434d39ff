/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds the pictures that a data.yaml names: in or below folders, or listed in text files.
 * The path may come from anybody: folders are entered once, however many links lead to
 * them, those of the kernel not at all, and there is a limit to what is looked at. */

#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include <y10/y10.h>

#include "media/inputs.h"
#include "val/data.h"

#define MAX_DEPTH 32 /* folders in folders */
/* Files that are no pictures, besides as many as there are pictures: label files may lie
 * beside them. */
#define MAX_OTHERS 1000000

typedef struct
{
  ValData *data;
  GHashTable *entered; /* folders, by device and inode */
  guint n_others;
  GError **error;
} Walk;

/* @base: the folder that a relative path begins at, unless only the current one has it. */
static char *
resolve (const char *base, const char *path)
{
  g_autofree char *full = g_build_filename (base, path, NULL);

  if (g_path_is_absolute (path)
      || (!g_file_test (full, G_FILE_TEST_EXISTS)
          && g_file_test (path, G_FILE_TEST_EXISTS)))
    return g_strdup (path);
  return g_steal_pointer (&full);
}

/* Returns what lies beside the file although it says ../valid or PROJECT/valid/images, as
 * those of Roboflow do; NULL: nothing. */
static char *
find_beside (const char *root, const char *path)
{
  const char *inner;

  while (g_str_has_prefix (path, "../"))
    path += strlen ("../");
  inner = strchr (path, '/');
  /* A single name would fit too much. */
  if (!inner || !strchr (inner + 1, '/'))
    inner = path;
  else
    inner++;
  for (;; path = inner) {
    g_autofree char *beside = g_build_filename (root, path, NULL);

    if (g_file_test (beside, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&beside);
    if (path == inner)
      return NULL;
  }
}

/* Where the pictures @path are. */
static char *
resolve_pictures (ValData *data, const char *root, const char *path)
{
  char *found = resolve (root, path), *beside;

  if (g_path_is_absolute (path) || g_file_test (found, G_FILE_TEST_EXISTS)
      || !(beside = find_beside (root, path)))
    return found;
  if (!g_str_has_prefix (path, "../"))
    val_data_note (data, "%s: there is no %s; takes %s", data->source, found,
        beside);
  g_free (found);
  return beside;
}

/* Takes @path over. Results know the picture by its name without extension. */
static void
add_picture (ValData *data, char *path)
{
  char *id = g_path_get_basename (path);
  char *dot = strrchr (id, '.');

  if (dot && dot > id)
    *dot = 0;
  val_data_add_picture (data, id, g_strdup (path), path);
}

/* Whether the kernel makes up what is in the folder. */
static gboolean
is_of_kernel (const char *folder)
{
  static const guint32 kinds[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC,
    TRACEFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEVPTS_SUPER_MAGIC,
    SECURITYFS_MAGIC, BPF_FS_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC };
  struct statfs s;

  if (statfs (folder, &s) == 0)
    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
      if ((guint32) s.f_type == kinds[i])
        return TRUE;
  return FALSE;
}

/* FALSE if @folder was entered before. */
static gboolean
enter (Walk *self, const char *folder)
{
  struct stat s;

  return stat (folder, &s) == 0
      && g_hash_table_add (self->entered,
          g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
              (guint64) s.st_dev, (guint64) s.st_ino));
}

static gboolean
check_number (Walk *self, const char *folder)
{
  const guint n = self->data->pictures->len;

  if (n > VAL_MAX_PICTURES)
    g_set_error (self->error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "%s: there are more than %d pictures", folder, VAL_MAX_PICTURES);
  else if (self->n_others > MAX_OTHERS + n)
    g_set_error (self->error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "%s: there are more than %d files that are no pictures; expected a folder of "
        "pictures",
        folder, MAX_OTHERS);
  else
    return TRUE;
  return FALSE;
}

static gboolean add_folder (Walk *self, const char *folder, guint depth);

/* Takes @path over. */
static gboolean
add_entry (Walk *self, const char *name, char *path, guint depth)
{
  gboolean ok = TRUE;

  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    self->n_others++;
    if (depth < MAX_DEPTH && !is_of_kernel (path))
      ok = add_folder (self, path, depth + 1);
  } else if (tool_is_picture_name (name)
      /* Whose target is missing is named later. */
      && (g_file_test (path, G_FILE_TEST_IS_REGULAR)
          || !g_file_test (path, G_FILE_TEST_EXISTS))) {
    add_picture (self->data, path);
    return TRUE;
  } else {
    self->n_others++;
  }
  g_free (path);
  return ok;
}

static gboolean
add_folder (Walk *self, const char *folder, guint depth)
{
  g_autoptr (GDir) dir = enter (self, folder) ? g_dir_open (folder, 0, NULL)
                                              : NULL;
  const char *name;
  gboolean ok = TRUE;

  while (ok && dir && (name = g_dir_read_name (dir)))
    if (name[0] != '.')
      ok = add_entry (self, name, g_build_filename (folder, name, NULL), depth)
          && check_number (self, folder);
  return ok;
}

static gboolean
add_list (Walk *self, const char *file)
{
  g_auto (GStrv) lines = val_read_lines (file, self->error);
  g_autofree char *folder = g_path_get_dirname (file);

  for (guint i = 0; lines && lines[i]; i++)
    if (*lines[i])
      add_picture (self->data,
          resolve (folder,
              g_str_has_prefix (lines[i], "./") ? lines[i] + 2 : lines[i]));
  if (!lines)
    return FALSE;
  return check_number (self, file);
}

static gboolean
add_pictures (Walk *self, const char *path)
{
  const gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);

  if (is_folder && is_of_kernel (path))
    g_set_error (self->error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: has the pictures %s, which is a folder of the kernel; expected one on a "
        "disk",
        self->data->source, path);
  else if (is_folder)
    return add_folder (self, path, 0);
  else if (!g_file_test (path, G_FILE_TEST_EXISTS))
    g_set_error (self->error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: there is no %s; expected a folder or a list of pictures, .txt",
        self->data->source, path);
  else if (g_str_has_suffix (path, ".txt"))
    return add_list (self, path);
  else
    g_set_error (self->error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: has the pictures %s; expected a folder or a list of pictures, .txt",
        self->data->source, path);
  return FALSE;
}

/* Where names without extension are not unique, results use whole paths. */
static void
make_ids_unique (ValData *data)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean is_unique = TRUE;

  for (guint i = 0; i < data->pictures->len; i++)
    is_unique &= g_hash_table_add (seen,
        ((ValPicture *) g_ptr_array_index (data->pictures, i))->id);
  for (guint i = 0; i < data->pictures->len && !is_unique; i++) {
    ValPicture *picture = g_ptr_array_index (data->pictures, i);

    g_free (picture->id);
    picture->id = g_strdup (picture->path);
  }
}

gboolean
val_pictures_find (ValData *data, const ValYaml *yaml, GError **error)
{
  g_autofree char *beside = g_path_get_dirname (data->source);
  g_autofree char *root = yaml->path && *yaml->path
      ? resolve (beside, yaml->path)
      : g_strdup (beside);
  Walk self = {
    .data = data,
    .entered = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .error = error,
  };
  gboolean ok = TRUE;

  for (guint i = 0; i < yaml->pictures->len && ok; i++) {
    g_free (data->folder);
    data->folder = resolve_pictures (data, root,
        g_ptr_array_index (yaml->pictures, i));
    ok = add_pictures (&self, data->folder);
  }
  g_hash_table_unref (self.entered);
  if (ok && !data->pictures->len) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: there is no picture in %s", data->source, data->folder);
    return FALSE;
  }
  make_ids_unique (data);
  return ok && val_data_sort_pictures (data, error);
}
