/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define Y10_JSON_FLOAT_SIZE 24

/* Writes the shortest decimal that parses to the same float32, or "null" for
 * NaN and infinity. Allocates nothing and ignores the locale. Returns
 * @buffer. */
const char *y10_json_format_float (float value,
    char buffer[Y10_JSON_FLOAT_SIZE]);
void y10_json_append_float (GString *json, float value);
/* Appends @text as a quoted and escaped string; invalid UTF-8 becomes
 * U+FFFD. */
void y10_json_append_string (GString *json, const char *text);

G_END_DECLS
