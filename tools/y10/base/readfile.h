/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Small files that people and programs have written. */

#include <glib.h>

/* Returns what the regular file @path has, with a NUL behind it, if that is at most @most
 * bytes; else NULL and an error, G_FILE_ERROR_NOENT where there is no such file. @size: set
 * to their number, or NULL. Free with g_free(). */
char *tool_read_file (const char *path, gsize most, gsize *size,
    GError **error);
