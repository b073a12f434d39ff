/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Reads JSON of unknown origin in place: the text is checked once, as a whole, and then its
 * values are parts of it. gst/ and the y10 command compile these files, too. */

#include <glib.h>

G_BEGIN_DECLS

/* A value, from its first byte to its last one. It points into the checked text and is valid
 * as long as that. */
typedef struct
{
  const char *text; /* NULL: there is no such value */
  gsize length;     /* bytes */
} Y10Json;

typedef enum
{
  Y10_JSON_NONE, /* there is no such value */
  Y10_JSON_NULL,
  Y10_JSON_BOOLEAN,
  Y10_JSON_NUMBER,
  Y10_JSON_STRING,
  Y10_JSON_ARRAY,
  Y10_JSON_OBJECT,
} Y10JsonKind;

/* Why a text is not JSON. */
typedef struct
{
  gsize offset;       /* bytes */
  guint line, column; /* of that byte, from 1 */
  char message[96];   /* what was found and what was expected */
} Y10JsonFault;

/* json-check.c */
gboolean y10_json_check (const char *text, gsize length, guint max_depth,
    Y10Json *root, Y10JsonFault *fault);

/* json-cursor.c */
typedef struct
{
  const char *at; /* NULL: not inside of an array or object */
  Y10Json name;   /* of the member that was returned last, a string */
} Y10JsonCursor;

void y10_json_enter (Y10JsonCursor *cursor, Y10Json container);
gboolean y10_json_next (Y10JsonCursor *cursor, Y10Json *value);
guint y10_json_count (Y10Json container);
Y10Json y10_json_find (Y10Json object, const char *name);
gboolean y10_json_find_all (Y10Json object, const char *const *names, guint n,
    Y10Json *values, Y10Json *other);

Y10JsonKind y10_json_get_kind (Y10Json value);
gboolean y10_json_get_int (Y10Json value, gint64 *number);
gboolean y10_json_get_double (Y10Json value, double *number);
gboolean y10_json_is_text (Y10Json value, const char *text);
gsize y10_json_decode (Y10Json value, char *buffer);
char *y10_json_dup_text (Y10Json value);

char *y10_json_dup_compact (Y10Json value);
char *y10_json_show (Y10Json value);
char *y10_json_get_path (Y10Json root, Y10Json value, const char *member);

G_END_DECLS
