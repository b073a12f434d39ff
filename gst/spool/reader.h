/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Reads the synced lines of a spool in their order, from any position on. */

#include "spool/spool.h"

G_BEGIN_DECLS

/* For one thread at a time. */
typedef struct _GstY10SpoolReader GstY10SpoolReader;

/* A line, without its newline, valid until the next call; not NUL-terminated. */
typedef struct
{
  GstY10LineKind kind;
  const gchar *text; /* one JSON object */
  gsize length;
  GstY10SpoolPosition at;    /* names it */
  GstY10SpoolPosition after; /* to acknowledge it and all before it */
} GstY10SpoolLine;

/* @from: the beginning of a line, such as the acknowledged position. The spool must
 * outlive the reader. */
GstY10SpoolReader *gst_y10_spool_reader_new (GstY10Spool *spool,
    GstY10SpoolPosition from);
void gst_y10_spool_reader_free (GstY10SpoolReader *reader);

/* Reads the next line; FALSE: there is none yet. Skips and counts what is no JSON, goes on
 * with the next segment where one was removed, and where the folder was replaced with what
 * the one that is there has not acknowledged. */
gboolean gst_y10_spool_reader_next (GstY10SpoolReader *reader,
    GstY10SpoolLine *line);

/* Goes to a position, such as back to the acknowledged one after a reconnection. */
void gst_y10_spool_reader_seek (GstY10SpoolReader *reader,
    GstY10SpoolPosition to);

G_END_DECLS
