/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads annotations in COCO's JSON. Those of pictures or classes that the file does not list
 * are left out, as pycocotools leaves them out, and counted. Ids of annotations mean nothing
 * here: some programs begin at 0, which pycocotools takes for "not found". */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <y10/y10.h>

#include "val/data.h"
#include "val/json.h"

#define MAX_TRIED 100 /* pictures that are looked for in a folder */

static char *
locate (const char *folder, const char *name)
{
  return g_path_is_absolute (name) ? g_strdup (name)
                                   : g_build_filename (folder, name, NULL);
}

static gboolean
has_pictures (const ValData *data, const char *folder)
{
  gboolean any = FALSE;

  for (guint i = 0; i < MIN (data->pictures->len, MAX_TRIED) && !any; i++) {
    const ValPicture *picture = g_ptr_array_index (data->pictures, i);
    g_autofree char *path = locate (folder, picture->name);

    any = g_file_test (path, G_FILE_TEST_EXISTS);
  }
  return any;
}

/* Returns the folder of the pictures: that of the file, or one beside it, or beside its
 * folder, which is called images or, as for instances_val2017.json, val2017. */
static char *
find_folder (const ValData *data)
{
  g_autofree char *base = g_path_get_basename (data->source);
  g_autofree char *folder = g_path_get_dirname (data->source);
  const char *split;

  if (strrchr (base, '.'))
    *strrchr (base, '.') = 0;
  split = strrchr (base, '_') ? strrchr (base, '_') + 1 : base;
  for (guint up = 0; up < 2; up++)
    for (guint i = 0; i < 4; i++) {
      g_autofree char *found = g_build_filename (folder, up ? ".." : "",
          i & 1 ? "images" : "", i & 2 ? split : "", NULL);

      if (has_pictures (data, found))
        return g_steal_pointer (&found);
    }
  return g_steal_pointer (&folder);
}

static gboolean
read_pictures (ValData *data, ValJson *json)
{
  Y10JsonCursor cursor;
  Y10Json entry;
  guint n;

  if (!val_json_enter (json, "images", &cursor, &n))
    return FALSE;
  if (n > VAL_MAX_PICTURES) {
    g_set_error (json->error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "%s: has %u images; expected at most %d", data->source, n,
        VAL_MAX_PICTURES);
    return FALSE;
  }
  while (y10_json_next (&cursor, &entry)) {
    g_autofree char *name = NULL;
    char *id;

    if (!val_json_is_object (json, entry)
        || !(name = val_json_get_text (json, entry, "file_name"))
        || !(id = val_json_get_id (json, entry, "id")))
      return FALSE;
    val_data_add_picture (data, id, g_steal_pointer (&name), NULL);
  }
  return val_data_sort_pictures (data, json->error);
}

static void
locate_pictures (ValData *data, const char *images)
{
  data->folder = images ? g_strdup (images) : find_folder (data);
  for (guint i = 0; i < data->pictures->len; i++) {
    ValPicture *picture = g_ptr_array_index (data->pictures, i);

    picture->path = locate (data->folder, picture->name);
  }
}

static int
compare_classes (gconstpointer a, gconstpointer b)
{
  const ValClass *x = *(ValClass *const *) a, *y = *(ValClass *const *) b;

  return x->id < y->id ? -1 : x->id > y->id;
}

static gboolean
read_classes (ValData *data, ValJson *json)
{
  Y10JsonCursor cursor;
  Y10Json entry;
  guint n;

  if (!val_json_enter (json, "categories", &cursor, &n))
    return FALSE;
  if (n > VAL_MAX_CLASSES) {
    g_set_error (json->error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "%s: has %u categories; expected at most %d", data->source, n,
        VAL_MAX_CLASSES);
    return FALSE;
  }
  while (y10_json_next (&cursor, &entry)) {
    g_autofree char *name = NULL;
    gint64 id;

    if (!val_json_is_object (json, entry)
        || !val_json_get_int (json, entry, "id", &id)
        || !(name = val_json_get_text (json, entry, "name")))
      return FALSE;
    val_data_add_class (data, id, name);
  }
  g_ptr_array_sort (data->classes, compare_classes);
  for (guint i = 1; i < n; i++) {
    const ValClass *before = g_ptr_array_index (data->classes, i - 1);
    const ValClass *after = g_ptr_array_index (data->classes, i);

    if (before->id != after->id)
      continue;
    g_set_error (json->error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: the categories %s and %s both have the id %" G_GINT64_FORMAT,
        data->source, before->name, after->name, after->id);
    return FALSE;
  }
  return TRUE;
}

static int
find_class (const ValData *data, gint64 id)
{
  const ValClass key = { .id = id }, *wanted = &key;
  const gpointer *found = bsearch (&wanted, data->classes->pdata,
      data->classes->len, sizeof (gpointer), compare_classes);

  return found ? (int) (found - (const gpointer *) data->classes->pdata) : -1;
}

/* What pycocotools insists on and others leave out, or write as null. */
static gboolean
read_optional (ValJson *json, Y10Json entry, ValTruth *truth)
{
  const Y10Json area = y10_json_find (entry, "area");
  const Y10Json crowd = y10_json_find (entry, "iscrowd");
  const Y10JsonKind kind = y10_json_get_kind (crowd);
  gint64 is_crowd = kind == Y10_JSON_BOOLEAN && *crowd.text == 't';

  truth->area = truth->box.width * truth->box.height;
  if (y10_json_get_kind (area) > Y10_JSON_NULL
      && !val_json_get_double (json, entry, "area", &truth->area))
    return FALSE;
  if (kind > Y10_JSON_BOOLEAN
      && !val_json_get_int (json, entry, "iscrowd", &is_crowd))
    return FALSE;
  truth->is_crowd = is_crowd != 0;
  return TRUE;
}

static gboolean
read_annotations (ValData *data, ValJson *json)
{
  guint n_unknown = 0, n;
  Y10JsonCursor cursor;
  Y10Json entry;

  if (!val_json_enter (json, "annotations", &cursor, &n))
    return FALSE;
  while (y10_json_next (&cursor, &entry)) {
    ValTruth truth = { 0 };
    double box[4];
    g_autofree char *id = NULL;
    gint64 class_id;
    int picture, class;

    if (!val_json_is_object (json, entry)
        || !val_json_get_int (json, entry, "category_id", &class_id)
        || !val_json_get_box (json, entry, box)
        || !(id = val_json_get_id (json, entry, "image_id")))
      return FALSE;
    picture = val_data_find_picture (data, id);
    class = find_class (data, class_id);
    if (picture < 0 || class < 0) {
      n_unknown++;
      continue;
    }
    truth.box = (ValBox){ box[0], box[1], box[2], box[3], (guint) picture,
      (guint) class };
    if (!read_optional (json, entry, &truth))
      return FALSE;
    g_array_append_val (data->truths, truth);
  }
  if (n_unknown)
    val_data_note (data,
        "%u of %u annotations are of images or categories that %s "
        "does not list; they are left out",
        n_unknown, n, data->source);
  return TRUE;
}

ValData *
val_coco_open (const char *path, const char *images, GError **error)
{
  ValData *data = NULL;
  ValJson json;

  if (val_json_open (&json, path, error)) {
    data = val_data_new (path);
    if (read_pictures (data, &json) && read_classes (data, &json)
        && read_annotations (data, &json))
      locate_pictures (data, images);
    else
      g_clear_pointer (&data, val_data_free);
  }
  val_json_clear (&json);
  return data;
}
