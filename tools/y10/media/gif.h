/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#ifdef HAVE_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>

G_BEGIN_DECLS

/* Returns NULL if @path is not a GIF. Sets @damage if the file is truncated. */
GdkPixbufAnimation *tool_gif_load (const char *path, char **damage);

G_END_DECLS
#endif
