/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Frames on their way from the stream to the disk. One thread pushes, one takes; a disk
 * that is slow costs frames, never time of the stream. */

#include "record/format.h"

G_BEGIN_DECLS

typedef struct
{
  GstBuffer *buffer;
  GstY10RecordFormat *format;
  gint64 dts; /* running time, ns; may be negative */
  GstClockTime
      duration;  /* until the next one's dts; none while that is not known */
  gint64 offset; /* from dts to pts, ns */
  gint64 utc;    /* at which it arrived, microseconds since 1970 */
  gboolean sync;
} GstY10RecordFrame;

typedef struct _GstY10RecordRing GstY10RecordRing;

GstY10RecordRing *gst_y10_record_ring_new (guint64 max_bytes);
void gst_y10_record_ring_free (GstY10RecordRing *ring);
void gst_y10_record_ring_push (GstY10RecordRing *ring,
    const GstY10RecordFrame *frame);
void gst_y10_record_ring_drain (GstY10RecordRing *ring);
void gst_y10_record_ring_set_drained (GstY10RecordRing *ring);
void gst_y10_record_ring_close (GstY10RecordRing *ring);

typedef enum
{
  GST_Y10_RECORD_FRAME,   /* a frame */
  GST_Y10_RECORD_TIMEOUT, /* none until the deadline */
  GST_Y10_RECORD_DRAINED, /* none, and the stream has ended for now */
  GST_Y10_RECORD_CLOSED,  /* none, and there will be no more */
} GstY10RecordTaken;

GstY10RecordTaken gst_y10_record_ring_take (GstY10RecordRing *ring,
    gint64 deadline, GstY10RecordFrame *frame);
void gst_y10_record_frame_clear (GstY10RecordFrame *frame);
guint64 gst_y10_record_ring_get_lost (GstY10RecordRing *ring);

G_END_DECLS
