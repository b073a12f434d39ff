/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Reads the lines of a spool in their order, from any position on. */

#include "spool/line.h"
#include "spool/spool.h"
#include "spool/view.h"

G_BEGIN_DECLS

/* For one thread at a time. */
typedef struct _GstY10SpoolReader GstY10SpoolReader;

GstY10SpoolReader *gst_y10_spool_reader_new (GstY10Spool *spool,
    const gchar *follower, GstY10SpoolPosition from);
GstY10SpoolReader *gst_y10_spool_reader_new_view (const GstY10SpoolView *view);
void gst_y10_spool_reader_set_members (GstY10SpoolReader *reader,
    const gchar *const *names, guint n);
void gst_y10_spool_reader_free (GstY10SpoolReader *reader);

gboolean gst_y10_spool_reader_next (GstY10SpoolReader *reader,
    GstY10SpoolLine *line);
GstY10SpoolPosition gst_y10_spool_reader_get_position (
    const GstY10SpoolReader *reader);
void gst_y10_spool_reader_seek (GstY10SpoolReader *reader,
    GstY10SpoolPosition to);

G_END_DECLS
