/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What may become of a frame. */
typedef enum
{
  GST_Y10_WISH_PASS,            /* it only waits for its turn */
  GST_Y10_WISH_IF_FREE,         /* inferred if that can begin when it comes */
  GST_Y10_WISH_INFER,           /* inferred, whatever has to wait */
} GstY10Wish;

typedef enum
{
  GST_Y10_COMMIT_REFUSED,       /* the frame is still the caller's */
  GST_Y10_COMMIT_QUEUED,
  GST_Y10_COMMIT_START,         /* and the caller has to begin its inference */
} GstY10Commit;

/* Frames between the thread that brings them and the one that sends them on. */
typedef struct _GstY10Flight GstY10Flight;

GstY10Flight *gst_y10_flight_new (guint capacity, gsize frame_size);
void gst_y10_flight_free (GstY10Flight * flight);

void gst_y10_flight_set_limits (GstY10Flight * flight, guint max_frames,
    guint max_running);
void gst_y10_flight_set_patience (GstY10Flight * flight, gint64 patience);
void gst_y10_flight_set_flushing (GstY10Flight * flight, gboolean flushing);
void gst_y10_flight_stop (GstY10Flight * flight, gint why);
gint gst_y10_flight_get_stop (GstY10Flight * flight);

/* The thread that brings frames. */
gpointer gst_y10_flight_reserve (GstY10Flight * flight);
GstY10Commit gst_y10_flight_commit (GstY10Flight * flight, GstY10Wish wish,
    guint interval, gint64 came_at, gint64 now);
gpointer gst_y10_flight_poll (GstY10Flight * flight);
void gst_y10_flight_unpoll (GstY10Flight * flight, gpointer frame);
gboolean gst_y10_flight_drain (GstY10Flight * flight);

/* Whoever was told to begin an inference, or ends one. */
void gst_y10_flight_started (GstY10Flight * flight, gpointer frame);
gpointer gst_y10_flight_finish (GstY10Flight * flight, gpointer frame,
    gint64 now);

/* The thread that sends frames on. */
gpointer gst_y10_flight_next (GstY10Flight * flight, gboolean * to_start,
    gboolean * to_wait);
void gst_y10_flight_leave (GstY10Flight * flight);
gpointer gst_y10_flight_drop (GstY10Flight * flight, gboolean * running);

guint gst_y10_flight_index (GstY10Flight * flight, gconstpointer frame);
void gst_y10_flight_count (GstY10Flight * flight, guint * frames,
    guint * running);

G_END_DECLS
