/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What all readers of data share: pictures in the order of their ids, in which equal
 * confidences count, and the lines about what was left out. */

#include "config.h"

#include <string.h>

#include <y10/y10.h>

#include "val/data.h"

static void
free_picture (gpointer data)
{
  ValPicture *picture = data;

  g_free (picture->id);
  g_free (picture->name);
  g_free (picture->path);
  g_free (picture);
}

static void
free_class (gpointer data)
{
  ValClass *class = data;

  g_free (class->name);
  g_free (class);
}

ValData *
val_data_new (const char *source)
{
  ValData *data = g_new0 (ValData, 1);

  data->source = g_strdup (source);
  data->pictures = g_ptr_array_new_with_free_func (free_picture);
  data->classes = g_ptr_array_new_with_free_func (free_class);
  data->truths = g_array_new (FALSE, FALSE, sizeof (ValTruth));
  data->notes = g_ptr_array_new_with_free_func (g_free);
  return data;
}

void
val_data_free (ValData *data)
{
  if (!data)
    return;
  g_free (data->source);
  g_free (data->folder);
  g_ptr_array_unref (data->pictures);
  g_ptr_array_unref (data->classes);
  g_array_unref (data->truths);
  g_ptr_array_unref (data->notes);
  g_free (data);
}

void
val_data_note (ValData *data, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (data->notes, g_strdup_vprintf (format, args));
  va_end (args);
}

void
val_data_add_class (ValData *data, gint64 id, const char *name)
{
  ValClass *class = g_new (ValClass, 1);

  *class = (ValClass){ id, g_strdup (name) };
  g_ptr_array_add (data->classes, class);
}

void
val_data_add_picture (ValData *data, char *id, char *name, char *path)
{
  ValPicture *picture = g_new0 (ValPicture, 1);

  *picture = (ValPicture){ .id = id, .name = name, .path = path };
  g_ptr_array_add (data->pictures, picture);
}

static gboolean
is_number (const char *id)
{
  const char *digits = id + (*id == '-');

  return *digits && strlen (digits) <= 18
      && strspn (digits, "0123456789") == strlen (digits);
}

int
val_data_compare_ids (const char *a, const char *b)
{
  const gboolean first = is_number (a), second = is_number (b);
  gint64 x, y;

  if (first != second)
    return first ? -1 : 1;
  if (!first)
    return strcmp (a, b);
  x = g_ascii_strtoll (a, NULL, 10);
  y = g_ascii_strtoll (b, NULL, 10);
  return x < y ? -1 : x > y;
}

static int
compare_pictures (gconstpointer a, gconstpointer b)
{
  const ValPicture *x = *(ValPicture *const *) a, *y = *(ValPicture *const *) b;

  return val_data_compare_ids (x->id, y->id);
}

gboolean
val_data_sort_pictures (ValData *data, GError **error)
{
  g_ptr_array_sort (data->pictures, compare_pictures);
  for (guint i = 1; i < data->pictures->len; i++) {
    const ValPicture *before = g_ptr_array_index (data->pictures, i - 1);
    const ValPicture *after = g_ptr_array_index (data->pictures, i);

    if (val_data_compare_ids (before->id, after->id))
      continue;
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: the pictures %s and %s are both called %s; each needs a name of its own",
        data->source, before->name, after->name, after->id);
    return FALSE;
  }
  return TRUE;
}

int
val_data_find_picture (const ValData *data, const char *id)
{
  guint low = 0, high = data->pictures->len;

  while (low < high) {
    const guint middle = low + (high - low) / 2;
    const ValPicture *picture = g_ptr_array_index (data->pictures, middle);
    const int order = val_data_compare_ids (id, picture->id);

    if (!order)
      return (int) middle;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return -1;
}

void
val_data_scale (ValData *data)
{
  if (!data->is_relative)
    return;
  data->is_relative = FALSE;
  for (guint i = 0; i < data->truths->len; i++) {
    ValTruth *truth = &g_array_index (data->truths, ValTruth, i);
    const ValPicture *picture = g_ptr_array_index (data->pictures,
        truth->box.picture);

    truth->box.x *= picture->width;
    truth->box.y *= picture->height;
    truth->box.width *= picture->width;
    truth->box.height *= picture->height;
    truth->area = truth->box.width * truth->box.height;
  }
}

/* Removes what is not kept; returns the new number of each, or G_MAXUINT. */
static guint *
renumber (GPtrArray *list, const guint8 *keep)
{
  const guint n = list->len;
  guint *numbers = g_new (guint, (gsize) n + 1), n_kept = 0;

  for (guint i = 0; i < n; i++) {
    numbers[i] = !keep || keep[i] ? n_kept++ : G_MAXUINT;
    if (numbers[i] != G_MAXUINT) {
      gpointer item = list->pdata[i];

      list->pdata[i] = list->pdata[numbers[i]];
      list->pdata[numbers[i]] = item;
    }
  }
  if (n_kept < n)
    g_ptr_array_remove_range (list, n_kept, n - n_kept);
  return numbers;
}

void
val_data_keep (ValData *data, const guint8 *classes, const guint8 *pictures)
{
  g_autofree guint *class_numbers = renumber (data->classes, classes);
  g_autofree guint *picture_numbers = renumber (data->pictures, pictures);
  guint n = 0;

  for (guint i = 0; i < data->truths->len; i++) {
    ValTruth truth = g_array_index (data->truths, ValTruth, i);

    truth.box.category = class_numbers[truth.box.category];
    truth.box.picture = picture_numbers[truth.box.picture];
    if (truth.box.category != G_MAXUINT && truth.box.picture != G_MAXUINT)
      g_array_index (data->truths, ValTruth, n++) = truth;
  }
  g_array_set_size (data->truths, n);
}

/* Finds a class by its name or its number, or returns FALSE. */
static gboolean
find_class (const ValData *data, const char *text, guint *index)
{
  char *end;
  const gint64 id = g_ascii_strtoll (text, &end, 10);
  const gboolean is_number = g_ascii_isdigit (*text) && !*end;

  for (guint named = 2; named-- > 0;)
    for (*index = 0; *index < data->classes->len; (*index)++) {
      const ValClass *class = g_ptr_array_index (data->classes, *index);

      if (named ? !strcmp (class->name, text)
                : is_number && id == (data->is_relative ? *index : class->id))
        return TRUE;
    }
  return FALSE;
}

gboolean
val_data_choose (ValData *data, const char *list, GError **error)
{
  g_autofree guint8 *wanted = g_new0 (guint8, (gsize) data->classes->len + 1);
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  gboolean any = FALSE, ok = TRUE;
  guint index;

  for (guint i = 0; names[i] && ok; i++) {
    if (!*g_strstrip (names[i]))
      continue;
    ok = find_class (data, names[i], &index);
    if (ok)
      any = wanted[index] = 1;
    else
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "--classes: %s has no class '%s'; expected names or numbers of its %u classes, "
          "the first is '%s'",
          data->source, names[i], data->classes->len,
          ((ValClass *) g_ptr_array_index (data->classes, 0))->name);
  }
  if (ok && !any)
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "--classes is empty, expected at least one class");
  if (ok && any)
    val_data_keep (data, wanted, NULL);
  return ok && any;
}
