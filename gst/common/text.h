/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gchar *gst_y10_text_printable (const gchar *text);
gchar *gst_y10_text_utf8 (const gchar *text);
void gst_y10_text_repair (gchar *text);
void gst_y10_text_append_json (GString *json, const gchar *text);

G_END_DECLS
