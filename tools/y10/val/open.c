/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Chooses the reader of data by the name of their file. */

#include "config.h"

#include <string.h>

#include <y10/y10.h>

#include "val/data.h"

ValData *
val_data_open (const char *path, const char *split, const char *images,
    GError **error)
{
  const char *dot = strrchr (path, '.');
  const gboolean is_yaml = dot
      && (!g_ascii_strcasecmp (dot, ".yaml")
          || !g_ascii_strcasecmp (dot, ".yml"));
  ValData *data;

  if (is_yaml && images) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "--images is for COCO's JSON; %s names its folders itself", path);
    return NULL;
  }
  if (!is_yaml && split) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "--split is for a data.yaml; all pictures of %s count", path);
    return NULL;
  }
  data = is_yaml ? val_labels_open (path, split ? split : "val", error)
                 : val_coco_open (path, images, error);
  if (data && (!data->pictures->len || !data->classes->len)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: has no %s", path,
        data->pictures->len ? "classes" : "pictures");
    g_clear_pointer (&data, val_data_free);
  }
  return data;
}
