/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Detections in COCO's list of results, which pycocotools and others read and Ultralytics'
 * save_json writes. Numbers are rounded to what the file says before they count, so that
 * the file has the same average precision as the command that wrote it. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <y10/y10.h>

#include "base/json.h"
#include "val/data.h"
#include "val/json.h"

#define NUMBER_SIZE 32

/* The shortest decimal of a float32. */
static void
format (float value, char text[NUMBER_SIZE])
{
  for (int digits = 6; digits <= 9; digits++) {
    g_snprintf (text, NUMBER_SIZE, "%.*g", digits, (double) value);
    if (strtof (text, NULL) == value)
      break;
  }
}

double
val_round (float value)
{
  char text[NUMBER_SIZE];

  format (value, text);
  return g_ascii_strtod (text, NULL);
}

static void
append_number (GString *text, double value)
{
  char number[NUMBER_SIZE];

  format ((float) value, number);
  g_string_append (text, number);
}

static void
append_id (GString *text, const char *id)
{
  char *end;

  g_ascii_strtoll (id, &end, 10);
  if (!*end && *id && strlen (id) <= 18) {
    g_string_append_printf (text, "%" G_GINT64_FORMAT,
        g_ascii_strtoll (id, NULL, 10));
    return;
  }
  y10_json_append_string (text, id);
}

gboolean
val_results_write (const ValData *data, const GArray *found, const char *path,
    GError **error)
{
  g_autoptr (GString) text = g_string_new ("[");
  g_autoptr (GError) failure = NULL;

  for (guint i = 0; i < found->len; i++) {
    const ValFound *f = &g_array_index (found, ValFound, i);
    const ValPicture *picture = g_ptr_array_index (data->pictures,
        f->box.picture);
    const ValClass *class = g_ptr_array_index (data->classes, f->box.category);
    const double box[] = { f->box.x, f->box.y, f->box.width, f->box.height };

    g_string_append (text, i ? ",\n{\"image_id\":" : "\n{\"image_id\":");
    append_id (text, picture->id);
    g_string_append_printf (text,
        ",\"category_id\":%" G_GINT64_FORMAT ",\"bbox\":", class->id);
    for (guint k = 0; k < G_N_ELEMENTS (box); k++) {
      g_string_append_c (text, k ? ',' : '[');
      append_number (text, box[k]);
    }
    g_string_append (text, "],\"score\":");
    append_number (text, f->confidence);
    g_string_append_c (text, '}');
  }
  g_string_append (text, "\n]\n");
  if (!g_file_set_contents (path, text->str, (gssize) text->len, &failure))
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s", failure->message);
  return !failure;
}

static int
find_class (const ValData *data, gint64 id)
{
  for (guint i = 0; i < data->classes->len; i++)
    if (((ValClass *) g_ptr_array_index (data->classes, i))->id == id)
      return (int) i;
  return -1;
}

static gboolean
read_result (ValData *data, ValJson *json, Y10Json entry, guint index,
    GArray *found, guint *n_unknown)
{
  int picture, class;
  gint64 class_id;
  ValFound f;
  double box[4];
  g_autofree char *id = NULL;

  if (!val_json_is_object (json, entry)
      || !val_json_get_int (json, entry, "category_id", &class_id)
      || !val_json_get_double (json, entry, "score", &f.confidence)
      || !val_json_get_box (json, entry, box)
      || !(id = val_json_get_id (json, entry, "image_id")))
    return FALSE;
  picture = val_data_find_picture (data, id);
  class = find_class (data, class_id);
  if (picture < 0 && !data->n_left_out)
    g_set_error (json->error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: entry %u is of the picture %s, which %s does not have", json->path,
        index, id, data->source);
  /* Of a picture that was left out, and so it was said. */
  if (picture < 0)
    return data->n_left_out > 0;
  if (class < 0) {
    (*n_unknown)++;
    return TRUE;
  }
  f.box = (ValBox){ box[0], box[1], box[2], box[3], (guint) picture,
    (guint) class };
  g_array_append_val (found, f);
  return TRUE;
}

GArray *
val_results_read (ValData *data, const char *path, GError **error)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (ValFound));
  guint n_unknown = 0, n = 0;
  Y10JsonCursor cursor;
  Y10Json entry;
  ValJson json;
  gboolean ok = val_json_open (&json, path, error);

  if (ok && y10_json_get_kind (json.root) != Y10_JSON_ARRAY) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: is no list; expected COCO's results, [{\"image_id\": …}, …]",
        path);
    ok = FALSE;
  }
  y10_json_enter (&cursor, json.root);
  for (; ok && y10_json_next (&cursor, &entry); n++)
    ok = read_result (data, &json, entry, n, found, &n_unknown);
  if (n_unknown)
    val_data_note (data,
        "%u of %u detections are of categories that %s does not list; "
        "they are left out",
        n_unknown, n, data->source);
  val_json_clear (&json);
  if (!ok)
    g_clear_pointer (&found, g_array_unref);
  return found;
}
