/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* For frames that wait for their inference without a time limit. */
#define GST_Y10_FRAME_QUEUE_FOREVER G_MAXINT64

/* Inference state of a frame. */
typedef enum
{
  GST_Y10_FRAME_QUEUE_SUBMITTED, /* waits for a turn with the engine */
  GST_Y10_FRAME_QUEUE_RUNNING,
  GST_Y10_FRAME_QUEUE_OVER, /* over, or never requested */
} GstY10FrameQueueState;

/* What the output task has to do next. */
typedef enum
{
  GST_Y10_NEXT_FLUSHING, /* pause */
  GST_Y10_NEXT_COLLECT,  /* collect detached jobs that are over */
  GST_Y10_NEXT_READY,    /* push the first frame */
  GST_Y10_NEXT_DETACH,   /* push it without its result */
} GstY10Next;

/* Frames between the input thread and the output task. */
typedef struct _GstY10FrameQueue GstY10FrameQueue;

GstY10FrameQueue *gst_y10_frame_queue_new (guint capacity, gsize frame_size);
void gst_y10_frame_queue_free (GstY10FrameQueue *frame_queue);

void gst_y10_frame_queue_set_max_frames (GstY10FrameQueue *frame_queue,
    guint max_frames);
void gst_y10_frame_queue_set_flushing (GstY10FrameQueue *frame_queue,
    gboolean flushing);
void gst_y10_frame_queue_stop (GstY10FrameQueue *frame_queue, gint why);
gint gst_y10_frame_queue_get_stop (GstY10FrameQueue *frame_queue);

/* Input thread. */
gpointer gst_y10_frame_queue_reserve (GstY10FrameQueue *frame_queue,
    gboolean make_room, guint64 *number);
gboolean gst_y10_frame_queue_commit (GstY10FrameQueue *frame_queue,
    gboolean is_inferred, gint64 leave_at);
gboolean gst_y10_frame_queue_drain (GstY10FrameQueue *frame_queue,
    gboolean with_inferences);

/* Any thread. */
void gst_y10_frame_queue_note (GstY10FrameQueue *frame_queue, guint64 number,
    GstY10FrameQueueState state);

/* Output task. */
GstY10Next gst_y10_frame_queue_next (GstY10FrameQueue *frame_queue,
    gpointer *frame);
void gst_y10_frame_queue_leave (GstY10FrameQueue *frame_queue);
void gst_y10_frame_queue_collected (GstY10FrameQueue *frame_queue);
gpointer gst_y10_frame_queue_drop (GstY10FrameQueue *frame_queue);

guint gst_y10_frame_queue_count (GstY10FrameQueue *frame_queue);
gint64 gst_y10_frame_queue_now (void);

G_END_DECLS
