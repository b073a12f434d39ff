/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The objects that a tracker follows: fields of the frame meta. */

#include <gst/gst.h>

#include "common/rect.h"

G_BEGIN_DECLS

/* An object with an identity, which the tracker has not lost. */
typedef struct
{
  gdouble x0, y0, x1, y1; /* edges in pixels, clipped to the frame: where it is
                                 * expected at the frame's time */
  guint64 id;             /* in the stream, from 1 */
  gint record_id;         /* of its detection on this buffer; -1: none */
  gint class_id;          /* -1: unknown */
  gfloat confidence;      /* of its last detection */
  const gchar *label;     /* borrowed, not NUL-terminated */
  gsize label_length;     /* bytes */
  gboolean observed;      /* in the result that the frame shows */
} GstY10TrackedObject;

typedef struct
{
  guint n, capacity; /* of @items */
  GstY10TrackedObject *items;
  const gchar *tracker; /* (nullable): borrowed name; %NULL: no tracker */
} GstY10TrackList;

void gst_y10_track_list_init (GstY10TrackList *list, guint capacity);
void gst_y10_track_list_clear (GstY10TrackList *list);
void gst_y10_track_list_begin (GstY10TrackList *list);
gboolean gst_y10_track_list_add (GstY10TrackList *list,
    const GstY10TrackedObject *object);
GstY10Rect gst_y10_tracked_object_get_rect (const GstY10TrackedObject *object);

void gst_y10_tracks_write (const GstY10TrackList *list, guint width,
    guint height, GstStructure *structure);
void gst_y10_tracks_read (GstY10TrackList *list, const GstStructure *structure,
    guint width, guint height);
gboolean gst_y10_tracks_made_meta (const GstStructure *structure);

G_END_DECLS
