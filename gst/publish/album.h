/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A folder of pictures. Knows GLib only. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GstY10Album GstY10Album;

GstY10Album *gst_y10_album_open (const gchar *folder, const gchar *stream,
    gint64 max_age, guint64 max_bytes, GError **error);
void gst_y10_album_close (GstY10Album *album);

gchar *gst_y10_album_add (GstY10Album *album, GBytes *picture, gint64 utc,
    GError **error);
void gst_y10_album_tend (GstY10Album *album);

G_END_DECLS
