/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Writes JSON. gst/ and the y10 command compile this file, too. */

#include <glib.h>

G_BEGIN_DECLS

#define Y10_JSON_FLOAT_SIZE 24

/* Writes the shortest decimal that parses to the same float32, or "null" for
 * NaN and infinity. Allocates nothing and ignores the locale. Returns
 * @buffer. */
const char *y10_json_format_float (float value,
    char buffer[Y10_JSON_FLOAT_SIZE]);
/* Likewise for a double, and without ".0" where it is whole; @value is finite. */
const char *y10_json_format_double (double value,
    char buffer[G_ASCII_DTOSTR_BUF_SIZE]);
void y10_json_append_float (GString *json, float value);
/* Appends @text as a quoted and escaped string; invalid UTF-8 becomes
 * U+FFFD. */
void y10_json_append_string (GString *json, const char *text);

/* Add a value behind those that @json has, with a comma where one belongs: the member @name
 * of the object, or the next element of the array if @name is NULL. */
void y10_json_open (GString *json, const char *name,
    char bracket);                                 /* '{' or '[' */
void y10_json_close (GString *json, char bracket); /* '}' or ']' */
void y10_json_add_string (GString *json, const char *name,
    const char *value); /* NULL gives null */
void y10_json_add_int (GString *json, const char *name, gint64 value);
void y10_json_add_double (GString *json, const char *name,
    double value); /* NaN and infinity give null */
void y10_json_add_bool (GString *json, const char *name, gboolean value);
void y10_json_add_size (GString *json, const char *name, guint width,
    guint height); /* {"width": …, "height": …} */
void y10_json_add_raw (GString *json, const char *name,
    const char *value); /* JSON */
/* Returns JSON without blanks with a line for each value. Free with g_free(). */
char *y10_json_indent (const char *json);

G_END_DECLS
