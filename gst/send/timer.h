/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Sources of a transport's main context. */

#include <glib.h>

G_BEGIN_DECLS

/* Destroys a source, if there is one. */
void gst_y10_source_clear (GSource **source);
/* Calls @func after so many milliseconds, in the context of this thread. */
GSource *gst_y10_timer_new (guint milliseconds, GSourceFunc func,
    gpointer user);

G_END_DECLS
