/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The index of a file that is written fragment by fragment. */

#include "mp4/mp4.h"

G_BEGIN_DECLS

/* Groups of pictures that have a line of their own in the index. Beyond that, two share
 * one. */
#define GST_Y10_MP4_MAX_REFERENCES 1024

typedef struct
{
  guint n_references;
  /* Groups of pictures in a reference; the last may have fewer. */
  guint n_gops_each;
  guint n_gops; /* of the last reference */
  GstY10Mp4Reference references[GST_Y10_MP4_MAX_REFERENCES];
} GstY10Mp4Index;

gsize gst_y10_mp4_index_get_room (void);
void gst_y10_mp4_index_add (GstY10Mp4Index *index, gboolean sync, gsize size,
    guint32 duration);
gboolean gst_y10_mp4_index_write (const GstY10Mp4Index *index,
    const GstY10Mp4Track *track, guint64 first, gboolean is_hidden, int fd,
    guint64 room);

G_END_DECLS
