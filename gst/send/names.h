/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Names of streams, zones and lines where only some characters are allowed. Different names
 * stay different. */

#include <glib.h>

G_BEGIN_DECLS

gchar *gst_y10_name_to_level (const gchar *name);
gchar *gst_y10_name_to_id (const gchar *name, const gchar *const *separators);

G_END_DECLS
