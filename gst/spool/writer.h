/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A bounded queue of lines, and the thread that writes them: no disk or pipe ever holds up
 * a stream that is live. Knows GLib only. */

#include "spool/types.h"

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_WRITE_DONE,
  GST_Y10_WRITE_FAILED, /* with an error; is tried again */
  GST_Y10_WRITE_BUSY,   /* whoever reads is slow */
} GstY10WriteResult;

/* Where the thread writes to. @write takes whole lines, adds to @done what is safe, and
 * is given the rest again if that is not all. @tend is called each second while nothing is
 * to be written; FALSE: something is wrong, with an error. */
typedef struct
{
  GstY10WriteResult (*write) (gpointer store, const gchar *text, gsize length,
      gsize *done, GError **error);
  gboolean (*tend) (gpointer store, GError **error);
  GstY10SpoolStateFunc on_state;
} GstY10Store;

typedef struct _GstY10Writer GstY10Writer;

GstY10Writer *gst_y10_writer_new (const GstY10Store *store, gpointer user,
    gint64 interval, gsize capacity);
void gst_y10_writer_stop (GstY10Writer *writer);
void gst_y10_writer_free (GstY10Writer *writer);

gboolean gst_y10_writer_put (GstY10Writer *writer, const gboolean *flushing,
    GstY10LineKind kind, const gchar *line, gsize length, gboolean may_wait);
void gst_y10_writer_set_flag (GstY10Writer *writer, gboolean *flag,
    gboolean value);
gboolean gst_y10_writer_flush (GstY10Writer *writer, const gboolean *flushing);
void gst_y10_writer_get_stats (GstY10Writer *writer, GstY10SpoolStats *stats);

G_END_DECLS
