/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Tells of new lines in a spool. */

#include <glib.h>

G_BEGIN_DECLS

/* All from any thread. */
GSource *gst_y10_spool_watch_new (const gchar *folder, gint64 interval,
    GSourceFunc func, gpointer user, GMainContext *context);
void gst_y10_spool_watch_free (GSource *watch);

/* For the writer: more is synced in the folder with this absolute path. */
void gst_y10_spool_watch_notify (const gchar *folder);

G_END_DECLS
