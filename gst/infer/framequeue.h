/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* When a frame may leave that is to be inferred. */
#define GST_Y10_FLIGHT_FOREVER G_MAXINT64

/* Where the inference of a frame is. */
typedef enum
{
  GST_Y10_FLIGHT_QUEUED,        /* its turn with the engine has not come */
  GST_Y10_FLIGHT_RUNNING,
  GST_Y10_FLIGHT_OVER,          /* or there is none */
} GstY10FlightState;

/* What the thread that sends frames on has to do next. */
typedef enum
{
  GST_Y10_NEXT_FLUSHING,        /* nothing */
  GST_Y10_NEXT_COLLECT,         /* look at inferences whose frames have left */
  GST_Y10_NEXT_READY,           /* send the first frame on */
  GST_Y10_NEXT_DETACH,          /* likewise, without its inference */
} GstY10Next;

/* Frames between the thread that brings them and the one that sends them on. */
typedef struct _GstY10Flight GstY10Flight;

GstY10Flight *gst_y10_flight_new (guint capacity, gsize frame_size);
void gst_y10_flight_free (GstY10Flight * flight);

void gst_y10_flight_set_max_frames (GstY10Flight * flight, guint max_frames);
void gst_y10_flight_set_flushing (GstY10Flight * flight, gboolean flushing);
void gst_y10_flight_stop (GstY10Flight * flight, gint why);
gint gst_y10_flight_get_stop (GstY10Flight * flight);

/* The thread that brings frames. */
gpointer gst_y10_flight_reserve (GstY10Flight * flight, gboolean make_room,
    guint64 * number);
gboolean gst_y10_flight_commit (GstY10Flight * flight, gboolean is_inferred,
    gint64 leave_at);
gboolean gst_y10_flight_drain (GstY10Flight * flight,
    gboolean with_inferences);

/* Whoever knows of an inference. */
void gst_y10_flight_note (GstY10Flight * flight, guint64 number,
    GstY10FlightState state);

/* The thread that sends frames on. */
GstY10Next gst_y10_flight_next (GstY10Flight * flight, gpointer * frame);
void gst_y10_flight_leave (GstY10Flight * flight);
void gst_y10_flight_collected (GstY10Flight * flight);
gpointer gst_y10_flight_drop (GstY10Flight * flight);

guint gst_y10_flight_count (GstY10Flight * flight);

G_END_DECLS
