/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The overlays of this process. */

#include <glib-object.h>

G_BEGIN_DECLS

void gst_y10_overlays_add (gpointer overlay);
void gst_y10_overlays_tell_change (void);
guint gst_y10_overlays_count_changes (void);
GPtrArray *gst_y10_overlays_list (void);

G_END_DECLS
