/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A place in a spool. */

#include <glib.h>

G_BEGIN_DECLS

/* (producer, segment, offset of its first byte) names a line for ever. */
typedef struct
{
  guint64 segment; /* from 1 */
  guint64 offset;  /* bytes */
  guint folder;    /* counts those that were there while this process ran */
} GstY10SpoolPosition;

/* Less than, equal to or greater than 0, where @a is before, at or behind @b. */
static inline gint
gst_y10_spool_position_compare (GstY10SpoolPosition a, GstY10SpoolPosition b)
{
  if (a.folder != b.folder)
    return a.folder < b.folder ? -1 : 1;
  if (a.segment != b.segment)
    return a.segment < b.segment ? -1 : 1;
  return (a.offset > b.offset) - (a.offset < b.offset);
}

G_END_DECLS
