/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>
#include <y10/model.h>

G_BEGIN_DECLS

/* The encoder hints of each class. Immutable. */
typedef struct _GstY10Hints GstY10Hints;

gboolean gst_y10_hints_parse (const gchar *text, const Y10Model *model,
    GstY10Hints **hints, GError **error);
void gst_y10_hints_free (GstY10Hints *hints);
void gst_y10_hints_add (const GstY10Hints *hints, gint class_id,
    GstVideoRegionOfInterestMeta *roi);

G_END_DECLS
