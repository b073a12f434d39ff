/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Text for people. */

#include <glib.h>

/* Returns a copy of @text that is safe for a terminal: control characters and
 * bytes that are not UTF-8 become \n, \t or \xNN. */
char *tool_escape (const char *text);
/* Prints to stdout, escaped except for line feeds. */
void tool_print (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Prints one escaped line to stderr. */
void tool_error (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Prints an error and returns FALSE if writing to stdout failed. */
gboolean tool_flush_stdout (void);

/* Prints @json with a line for each value. */
void tool_print_json (const GString *json);
