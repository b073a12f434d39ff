/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#ifdef HAVE_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>

G_BEGIN_DECLS

/* NULL when @path is no GIF; @damage where not all of it was there. */
GdkPixbufAnimation *tool_gif_load (const char *path, char **damage);

G_END_DECLS
#endif
