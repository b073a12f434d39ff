/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads label files in Ultralytics' layout: for each picture one where its path has labels/
 * instead of images/. A line of it is a class and either a box (middle, width and height) or
 * the corners of an outline, in fractions. A picture without a label file has no objects. As
 * Ultralytics does, what is wrong with a line leaves its picture out, and an object that a
 * file has twice counts once. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <y10/y10.h>

#include "base/coco.h"
#include "base/text.h"
#include "val/data.h"

#define SLACK 0.01       /* how far rounding may lead out of a picture */
#define MAX_VALUES 20001 /* of a line: a class and 10,000 corners */
#define MAX_NAMED 10     /* label files that are named */

typedef struct
{
  ValData *data;
  GArray *values; /* of the line at hand: double */
  guint n_without, n_double;
  guint8 *keep; /* pictures */
} Labels;

/* The last images/ of the path becomes labels/. */
static char *
label_path (const char *picture)
{
  const char *at = g_strrstr (picture, "/images/");
  g_autofree char *path = at
      ? g_strdup_printf ("%.*s/labels/%s", (int) (at - picture), picture,
          at + strlen ("/images/"))
      : g_strdup (picture);
  char *slash = strrchr (path, '/'), *dot = strrchr (path, '.');

  if (dot && dot > (slash ? slash : path))
    *dot = 0;
  return g_strconcat (path, ".txt", NULL);
}

/* Sets the box of a middle and a size, or around an outline. */
static void
set_box (const double *values, guint n, ValBox *box)
{
  double x0 = values[0], y0 = values[1], x1 = x0, y1 = y0;

  if (n == 4) {
    box->x = values[0] - values[2] / 2;
    box->y = values[1] - values[3] / 2;
    box->width = values[2];
    box->height = values[3];
    return;
  }
  for (guint i = 2; i < n; i += 2) {
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

static char *
check_box (const ValBox *box)
{
  const double values[] = { box->x + box->width / 2, box->y + box->height / 2,
    box->width, box->height };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (!(values[i] >= -SLACK && values[i] <= 1 + SLACK))
      return g_strdup_printf (
          "has %g; expected fractions of the picture, 0 to 1", values[i]);
  return NULL;
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
    /* Without the hexadecimal numbers of C. */
    if (end == line || (*end && *end != ' ' && *end != '\t')
        || line + strspn (line, "+-.0123456789eE") < end || !isfinite (value))
      return g_strdup_printf ("has \"%.*s\"; expected numbers",
          y10_text_fit (line, 40), line);
    if (values->len >= MAX_VALUES)
      return g_strdup ("is too long");
    if (i == 0)
      class = value;
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
  return check_box (box);
}

/* FALSE if @seen has the same object, in the precision of Ultralytics. */
static gboolean
add_object (GHashTable *seen, const ValBox *box)
{
  const float values[] = { (float) box->category, (float) box->x,
    (float) box->y, (float) box->width, (float) box->height };

  return g_hash_table_add (seen, g_bytes_new (values, sizeof values));
}

/* Returns what is wrong with the file, or NULL. */
static char *
read_labels (Labels *self, guint picture, const char *file)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_bytes_hash,
      g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  g_autoptr (GError) error = NULL;
  char *wrong = NULL;
  g_auto (GStrv) lines = val_read_lines (file, &error);

  for (guint i = 0; lines && lines[i] && !wrong; i++) {
    ValTruth truth = { 0 };
    g_autofree char *why = NULL;

    if (!*lines[i])
      continue;
    why = read_line (lines[i], self->data->classes->len, self->values,
        &truth.box);
    truth.box.picture = picture;
    if (why)
      wrong = g_strdup_printf ("%s: line %u: %s", file, i + 1, why);
    else if (add_object (seen, &truth.box))
      g_array_append_val (self->data->truths, truth);
    else
      self->n_double++;
  }
  if (error)
    wrong = g_strdup (error->message);
  return wrong;
}

static void
read_picture (Labels *self, guint index)
{
  const ValPicture *picture = g_ptr_array_index (self->data->pictures, index);
  g_autofree char *path = label_path (picture->path), *wrong = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    wrong = read_labels (self, index, path);
  else
    self->n_without++;
  self->keep[index] = !wrong;
  if (wrong && self->data->n_left_out++ < MAX_NAMED)
    val_data_note (self->data, "%s; its picture is left out", wrong);
}

static void
read_all (ValData *data)
{
  const guint n = data->pictures->len;
  Labels self = {
    .data = data,
    .values = g_array_new (FALSE, FALSE, sizeof (double)),
    .keep = g_new (guint8, (gsize) n + 1),
  };

  for (guint i = 0; i < n; i++)
    read_picture (&self, i);
  if (self.n_without)
    val_data_note (data,
        "%u of %u pictures have no label file and count as pictures "
        "without objects",
        self.n_without, n);
  if (self.n_double)
    val_data_note (data, "%u objects that are in a label file twice count once",
        self.n_double);
  if (data->n_left_out)
    val_data_note (data, "%u of %u pictures are left out for their label files",
        data->n_left_out, n);
  val_data_keep (data, NULL, self.keep);
  g_array_unref (self.values);
  g_free (self.keep);
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
      val_data_add_class (data,
          y10_coco_id ((const char *const *) yaml.names->pdata, yaml.names->len,
              i),
          g_ptr_array_index (yaml.names, i));
    ok = val_pictures_find (data, &yaml, error);
  }
  val_yaml_clear (&yaml);
  if (ok)
    read_all (data);
  if (ok && !data->pictures->len) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: no picture has a valid label file; the first: %s", path,
        (char *) g_ptr_array_index (data->notes, 0));
    ok = FALSE;
  }
  if (!ok)
    g_clear_pointer (&data, val_data_free);
  return data;
}
