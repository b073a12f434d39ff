/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What several commands print as JSON. */

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Returns a built object as one line of JSON, without the newline. */
char *tool_json_to_line (JsonBuilder *builder);
/* Prints a built object as indented JSON. */
void tool_print_json (JsonBuilder *builder);
/* Add a member in one call. */
void tool_json_string (JsonBuilder *builder, const char *name,
    const char *value); /* NULL gives null */
void tool_json_int (JsonBuilder *builder, const char *name, gint64 value);
void tool_json_double (JsonBuilder *builder, const char *name,
    double value); /* NAN gives null */
void tool_json_bool (JsonBuilder *builder, const char *name, gboolean value);
void tool_json_size (JsonBuilder *builder, const char *name, guint width,
    guint height);

G_END_DECLS
