/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Keeps the lines that the other side has refused, beside the spool. */

#include <glib.h>

G_BEGIN_DECLS

gboolean gst_y10_refused_add (const gchar *folder, const gchar *line,
    gsize length, const gchar *reason, GError **error);

G_END_DECLS
