/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/y10.h>

G_BEGIN_DECLS

/* What detectors upstream answer: the paths of their models, as "models", and the names of
 * their classes, as "classes", both G_TYPE_STRV. */
#define GST_Y10_CLASSES_QUERY "yolov10-classes"

const gchar **gst_y10_classes_list (const Y10Model *model);
gint gst_y10_classes_find (const gchar *const *classes, const gchar *name);
gboolean gst_y10_classes_check (const gchar *what, const gchar *const *classes,
    const gchar *model, const gchar *name, GError **error);
gboolean gst_y10_text_is_similar (const gchar *a, const gchar *b);

G_END_DECLS
