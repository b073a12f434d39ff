/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* json.c: JSON of unknown origin. Errors name the place, such as "annotations[3]". */

/* Reads a whole file. Free with json_node_unref(). */
JsonNode *val_json_read (const char *path, GError **error);
/* A place in a file, for errors. */
typedef struct
{
  const char *file, *list; /* "" if the file is the list */
  guint index;
} ValPlace;

/* Returns the list @name of @root, or an error. */
JsonArray *val_json_get_list (JsonNode *root, const char *file,
    const char *name, GError **error);
/* Returns entry number place->index. */
JsonObject *val_json_get_entry (JsonArray *list, const ValPlace *place,
    GError **error);
gboolean val_json_get_int (JsonObject *object, const ValPlace *place,
    const char *name, gint64 *value, GError **error);
gboolean val_json_get_double (JsonObject *object, const ValPlace *place,
    const char *name, double *value, GError **error);
/* Borrowed. */
const char *val_json_get_string (JsonObject *object, const ValPlace *place,
    const char *name, GError **error);
/* A number or a string, as text; free with g_free(). */
char *val_json_get_id (JsonObject *object, const ValPlace *place,
    const char *name, GError **error);
/* Four numbers: x, y, width and height. */
gboolean val_json_get_box (JsonObject *object, const ValPlace *place,
    double box[4], GError **error);

G_END_DECLS
