/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/image.h>
#include <y10/model.h>

G_BEGIN_DECLS

gboolean gst_y10_parse_input_size (const gchar *text, guint *width,
    guint *height, gboolean *auto_size, GError **error);
gint gst_y10_find_class (const gchar *property, const gchar *token,
    const Y10Model *model, GError **error);
gboolean gst_y10_parse_classes (const gchar *text, const Y10Model *model,
    guint8 *wanted, GError **error);

G_END_DECLS
