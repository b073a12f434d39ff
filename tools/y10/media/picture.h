/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pictures, read by gdk-pixbuf. */

#include "media/frame.h"

/* Returns TRUE if @path has the signature of a picture. */
gboolean tool_picture_probe (const char *path);
/* Returns TRUE if the first @n bytes of a file are those of a picture. */
gboolean tool_picture_recognise (const guint8 *start, gsize n);
/* Decodes @path into @frame and names @source as its input. If only a part can
 * be decoded, returns TRUE and sets @damage to the reason. */
gboolean tool_picture_load (const char *source, const char *path,
    ToolFrame *frame, char **damage, GError **error);
/* Points @image to the pixels of @pixbuf, a GdkPixbuf. */
void tool_pixbuf_to_image (gpointer pixbuf, Y10Image *image);
/* Writes RGB or RGBA pixels as JPEG or PNG, according to @path's extension. */
gboolean tool_picture_save (const char *path, const Y10Image *image,
    GError **error);
gboolean tool_picture_can_save (const char *path);
