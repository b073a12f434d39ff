/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads data in Ultralytics' layout: the pictures in or below a folder, or listed in a text
 * file, and for each a label file where its path has labels/ instead of images/. A line of it
 * is a class and either a box (middle, width and height) or the corners of an outline, in
 * fractions. A picture without a label file has no objects. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <y10/y10.h>

#include "base/text.h"
#include "media/inputs.h"
#include "val/data.h"

#define MAX_DEPTH 32     /* folders in folders */
#define SLACK 0.01       /* how far rounding may lead out of a picture */
#define MAX_VALUES 20001 /* of a line: a class and 10,000 corners */

/* @base: the folder that a relative path begins at, unless only the current one has it. */
static char *
resolve (const char *base, const char *path)
{
  char *full;

  if (g_path_is_absolute (path))
    return g_strdup (path);
  full = g_build_filename (base, path, NULL);
  if (!g_file_test (full, G_FILE_TEST_EXISTS)
      && g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_free (full);
    full = g_strdup (path);
  }
  return full;
}

/* Where the pictures are. Files of Roboflow say ../valid for what lies beside them. */
static char *
resolve_pictures (const char *file, const ValYaml *yaml)
{
  char *folder = g_path_get_dirname (file);
  char *root = yaml->path && *yaml->path ? resolve (folder, yaml->path)
                                         : g_strdup (folder);
  char *path = resolve (root, yaml->pictures);

  if (!g_file_test (path, G_FILE_TEST_EXISTS)
      && g_str_has_prefix (yaml->pictures, "../")) {
    char *beside = g_build_filename (root, yaml->pictures + strlen ("../"),
        NULL);

    if (g_file_test (beside, G_FILE_TEST_EXISTS)) {
      g_free (path);
      path = beside;
    } else {
      g_free (beside);
    }
  }
  g_free (root);
  g_free (folder);
  return path;
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

static void
add_folder (ValData *data, const char *folder, guint depth)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))
      && data->pictures->len <= VAL_MAX_PICTURES) {
    char *path = g_build_filename (folder, name, NULL);

    if (name[0] == '.')
      g_free (path);
    else if (tool_is_picture_name (name)
        && !g_file_test (path, G_FILE_TEST_IS_DIR))
      add_picture (data, path);
    else {
      if (depth < MAX_DEPTH && g_file_test (path, G_FILE_TEST_IS_DIR))
        add_folder (data, path, depth + 1);
      g_free (path);
    }
  }
  if (dir)
    g_dir_close (dir);
}

static gboolean
add_list (ValData *data, const char *file, GError **error)
{
  gsize size;
  char *text = val_read_file (file, &size, error);
  char *folder = g_path_get_dirname (file);
  char **lines = text ? g_strsplit (text, "\n", -1) : NULL;

  for (guint i = 0; lines && lines[i]; i++)
    if (*g_strstrip (lines[i]))
      add_picture (data,
          resolve (folder,
              g_str_has_prefix (lines[i], "./") ? lines[i] + 2 : lines[i]));
  g_strfreev (lines);
  g_free (folder);
  g_free (text);
  return text != NULL;
}

/* The last images/ of the path becomes labels/. */
static char *
label_path (const char *picture)
{
  const char *at = g_strrstr (picture, "/images/");
  char *path = at ? g_strdup_printf ("%.*s/labels/%s", (int) (at - picture),
                   picture, at + strlen ("/images/"))
                  : g_strdup (picture);
  char *slash = strrchr (path, '/'), *dot = strrchr (path, '.'), *labels;

  if (dot && dot > (slash ? slash : path))
    *dot = 0;
  labels = g_strconcat (path, ".txt", NULL);
  g_free (path);
  return labels;
}

/* Sets the box of a middle and a size, or around an outline. */
static void
set_box (const double *values, guint n, ValBox *box)
{
  double x0 = 1, y0 = 1, x1 = 0, y1 = 0;

  if (n == 4) {
    box->x = values[0] - values[2] / 2;
    box->y = values[1] - values[3] / 2;
    box->width = values[2];
    box->height = values[3];
    return;
  }
  for (guint i = 0; i < n; i += 2) {
    x0 = MIN (x0, values[i]);
    x1 = MAX (x1, values[i]);
    y0 = MIN (y0, values[i + 1]);
    y1 = MAX (y1, values[i + 1]);
  }
  box->x = x0;
  box->y = y0;
  box->width = x1 - x0;
  box->height = y1 - y0;
}

/* Returns what is wrong with the line, or NULL. */
static char *
read_line (const char *line, guint n_classes, GArray *values, ValBox *box)
{
  double class = -1, value;
  char *end;

  g_array_set_size (values, 0);
  for (guint i = 0; *line; i++, line = end + strspn (end, " \t")) {
    value = g_ascii_strtod (line, &end);
    if (end == line || (*end && *end != ' ' && *end != '\t'))
      return g_strdup_printf ("has \"%.*s\"; expected numbers",
          y10_text_fit (line, 40), line);
    if (values->len >= MAX_VALUES)
      return g_strdup ("is too long");
    if (i == 0)
      class = value;
    else if (!(value >= -SLACK && value <= 1 + SLACK))
      return g_strdup_printf (
          "has %g; expected fractions of the picture, 0 to 1", value);
    else
      g_array_append_val (values, value);
  }
  if (!(class >= 0 && class < n_classes) || class != floor (class))
    return g_strdup_printf (
        "has the class %g; expected 0 to %u, whose names are known", class,
        n_classes - 1);
  if (values->len != 4 && (values->len < 6 || values->len % 2))
    return g_strdup_printf (
        "has %u numbers behind the class; expected 4, a box, or at "
        "least 3 pairs, an outline",
        values->len);
  set_box ((const double *) values->data, values->len, box);
  box->category = (guint) class;
  return NULL;
}

static gboolean
has_object (const ValData *data, guint first, const ValBox *box)
{
  for (guint i = first; i < data->truths->len; i++) {
    const ValBox *other = &g_array_index (data->truths, ValTruth, i).box;

    if (other->category == box->category && other->x == box->x
        && other->y == box->y && other->width == box->width
        && other->height == box->height)
      return TRUE;
  }
  return FALSE;
}

/* Objects that a file has twice count once, as for Ultralytics. */
static gboolean
read_labels (ValData *data, guint picture, const char *file, GArray *values,
    guint *n_double, GError **error)
{
  const guint first = data->truths->len;
  gsize size;
  char *text = val_read_file (file, &size, error), *wrong = NULL;
  char **lines;

  if (!text)
    return FALSE;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] && !wrong; i++) {
    ValTruth truth = { 0 };

    if (!*g_strstrip (lines[i]))
      continue;
    wrong = read_line (lines[i], data->classes->len, values, &truth.box);
    truth.box.picture = picture;
    if (wrong)
      g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: line %u: %s", file,
          i + 1, wrong);
    else if (has_object (data, first, &truth.box))
      (*n_double)++;
    else
      g_array_append_val (data->truths, truth);
  }
  g_strfreev (lines);
  g_free (text);
  g_free (wrong);
  return !wrong;
}

static gboolean
read_all_labels (ValData *data, GError **error)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  guint n_without = 0, n_double = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < data->pictures->len && ok; i++) {
    const ValPicture *picture = g_ptr_array_index (data->pictures, i);
    char *path = label_path (picture->path);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      ok = read_labels (data, i, path, values, &n_double, error);
    else
      n_without++;
    g_free (path);
  }
  g_array_unref (values);
  if (n_without)
    val_data_note (data,
        "%u of %u pictures have no label file and count as pictures "
        "without objects",
        n_without, data->pictures->len);
  if (n_double)
    val_data_note (data, "%u objects that are in a label file twice count once",
        n_double);
  return ok;
}

/* Where names without extension are not unique, results use whole paths. */
static void
make_ids_unique (ValData *data)
{
  GHashTable *seen = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean is_unique = TRUE;

  for (guint i = 0; i < data->pictures->len; i++)
    is_unique &= g_hash_table_add (seen,
        ((ValPicture *) g_ptr_array_index (data->pictures, i))->id);
  g_hash_table_unref (seen);
  for (guint i = 0; i < data->pictures->len && !is_unique; i++) {
    ValPicture *picture = g_ptr_array_index (data->pictures, i);

    g_free (picture->id);
    picture->id = g_strdup (picture->path);
  }
}

static gboolean
read_pictures (ValData *data, GError **error)
{
  const char *path = data->folder;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    add_folder (data, path, 0);
  else if (!g_str_has_suffix (path, ".txt")
      && g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: has the pictures %s; expected a folder or a list of pictures, .txt",
        data->source, path);
    return FALSE;
  } else if (!add_list (data, path, error)) {
    return FALSE;
  }
  if (data->pictures->len > VAL_MAX_PICTURES) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "%s: there are more than %d pictures", path, VAL_MAX_PICTURES);
    return FALSE;
  }
  make_ids_unique (data);
  if (data->pictures->len)
    return val_data_sort_pictures (data, error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: there is no picture in %s", data->source, path);
  return FALSE;
}

ValData *
val_labels_open (const char *path, const char *split, GError **error)
{
  ValData *data = val_data_new (path);
  ValYaml yaml;
  gboolean ok = val_yaml_read (path, split, &yaml, error);

  data->is_relative = TRUE;
  if (ok) {
    for (guint i = 0; i < yaml.names->len; i++)
      val_data_add_class (data, i + 1, g_ptr_array_index (yaml.names, i));
    data->folder = resolve_pictures (path, &yaml);
    ok = read_pictures (data, error) && read_all_labels (data, error);
  }
  val_yaml_clear (&yaml);
  if (!ok)
    g_clear_pointer (&data, val_data_free);
  return data;
}
