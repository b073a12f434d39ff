/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* When a frame may leave that is to be inferred. */
#define GST_Y10_FRAME_QUEUE_FOREVER G_MAXINT64

/* Where the inference of a frame is. */
typedef enum
{
  GST_Y10_FRAME_QUEUE_QUEUED,   /* its turn with the engine has not come */
  GST_Y10_FRAME_QUEUE_RUNNING,
  GST_Y10_FRAME_QUEUE_OVER,     /* or there is none */
} GstY10FrameQueueState;

/* What the thread that sends frames on has to do next. */
typedef enum
{
  GST_Y10_NEXT_FLUSHING,        /* nothing */
  GST_Y10_NEXT_COLLECT,         /* look at inferences whose frames have left */
  GST_Y10_NEXT_READY,           /* send the first frame on */
  GST_Y10_NEXT_DETACH,          /* likewise, without its inference */
} GstY10Next;

/* Frames between the thread that brings them and the one that sends them on. */
typedef struct _GstY10Flight GstY10FrameQueue;

GstY10FrameQueue *gst_y10_frame_queue_new (guint capacity, gsize frame_size);
void gst_y10_frame_queue_free (GstY10FrameQueue * frame_queue);

void gst_y10_frame_queue_set_max_frames (GstY10FrameQueue * frame_queue, guint max_frames);
void gst_y10_frame_queue_set_flushing (GstY10FrameQueue * frame_queue, gboolean flushing);
void gst_y10_frame_queue_stop (GstY10FrameQueue * frame_queue, gint why);
gint gst_y10_frame_queue_get_stop (GstY10FrameQueue * frame_queue);

/* The thread that brings frames. */
gpointer gst_y10_frame_queue_reserve (GstY10FrameQueue * frame_queue, gboolean make_room,
    guint64 * number);
gboolean gst_y10_frame_queue_commit (GstY10FrameQueue * frame_queue, gboolean is_inferred,
    gint64 leave_at);
gboolean gst_y10_frame_queue_drain (GstY10FrameQueue * frame_queue,
    gboolean with_inferences);

/* Whoever knows of an inference. */
void gst_y10_frame_queue_note (GstY10FrameQueue * frame_queue, guint64 number,
    GstY10FrameQueueState state);

/* The thread that sends frames on. */
GstY10Next gst_y10_frame_queue_next (GstY10FrameQueue * frame_queue, gpointer * frame);
void gst_y10_frame_queue_leave (GstY10FrameQueue * frame_queue);
void gst_y10_frame_queue_collected (GstY10FrameQueue * frame_queue);
gpointer gst_y10_frame_queue_drop (GstY10FrameQueue * frame_queue);

guint gst_y10_frame_queue_count (GstY10FrameQueue * frame_queue);

G_END_DECLS
