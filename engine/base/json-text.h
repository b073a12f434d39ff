/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Writes numbers, and what json-glib holds. gst/zones and the y10 command compile this file. */

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Writes @value with as few digits as read back as the same number: 0.3, where printf()
 * and GLib write 0.29999999999999999. Returns @buffer. */
const char *y10_real_to_text (double value,
    char buffer[G_ASCII_DTOSTR_BUF_SIZE]);
/* As json_to_string(), with reals like that. Free with g_free(). */
char *y10_json_to_text (JsonNode *node, gboolean pretty);

G_END_DECLS
