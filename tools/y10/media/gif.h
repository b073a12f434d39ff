/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* GIF files. */

#include <glib.h>
#ifdef HAVE_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>
#endif

/* Describes the damage of a file that can be read. NULL if there is none, or if the file
 * has another format. */
char *tool_gif_find_damage (const char *path);
#ifdef HAVE_PIXBUF
/* Returns NULL if @path is not a GIF. Sets @damage if the file is truncated. */
GdkPixbufAnimation *tool_gif_load (const char *path, char **damage);
#endif
