/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "base/json-cursor.h"

/* json.c: JSON of unknown origin. Errors name the place, such as annotations[3].bbox. */

typedef struct
{
  const char *path;
  char *text;
  Y10Json root;
  GError **error; /* takes the first error */
} ValJson;

/* Reads a whole file. @path and @error are borrowed. Clear with val_json_clear(), also after
 * an error. */
gboolean val_json_open (ValJson *json, const char *path, GError **error);
void val_json_clear (ValJson *json);

/* Begins the list @name of the root, and counts its entries. */
gboolean val_json_enter (ValJson *json, const char *name, Y10JsonCursor *cursor,
    guint *n);
/* Whether @entry is an object, or else there is an error. */
gboolean val_json_is_object (ValJson *json, Y10Json entry);
/* Members of @entry, or an error. Free texts with g_free(). */
gboolean val_json_get_int (ValJson *json, Y10Json entry, const char *name,
    gint64 *value);
gboolean val_json_get_double (ValJson *json, Y10Json entry, const char *name,
    double *value);
char *val_json_get_text (ValJson *json, Y10Json entry, const char *name);
/* A number or a string, as text. */
char *val_json_get_id (ValJson *json, Y10Json entry, const char *name);
/* Four numbers: x, y, width and height. */
gboolean val_json_get_box (ValJson *json, Y10Json entry, double box[4]);
