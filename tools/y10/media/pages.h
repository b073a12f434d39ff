/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Files with several pictures. */

#include <glib.h>

typedef struct _ToolPages ToolPages;

/* Returns NULL if there is one picture, or none, in @path. */
ToolPages *tool_pages_open (const char *path);
/* Returns a path to the next picture, which is valid until the next call; NULL at
 * the end or with an error. */
char *tool_pages_next (ToolPages *pages, GError **error);
void tool_pages_close (ToolPages *pages);
/* Returns what is missing to read a file that begins with these @n bytes, if that
 * is known. */
char *tool_pages_find_need (const guint8 *start, gsize n);
/* Returns the number of frames of an APNG or an animated WebP, else 0. */
guint tool_pages_count_animation (const char *path);
