/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Reads members of a spool's lines, and adds those that a line has on its way. */

#include "spool/reader.h"

G_BEGIN_DECLS

const gchar *gst_y10_line_find (const GstY10SpoolLine *line, const gchar *name,
    gsize *length);
gchar *gst_y10_line_get_string (const GstY10SpoolLine *line, const gchar *name);
gboolean gst_y10_line_get_count (const GstY10SpoolLine *line, const gchar *name,
    guint64 *value);
gint64 gst_y10_line_get_age (const GstY10SpoolLine *line);
gboolean gst_y10_line_cut (GString *text, const GstY10SpoolLine *line,
    const gchar *name);
void gst_y10_line_address (GString *text, const GstY10SpoolLine *line,
    const gchar *producer, gboolean is_replayed);

G_END_DECLS
