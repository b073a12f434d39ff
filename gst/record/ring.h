/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The last seconds of a stream, from which files are written. One thread pushes frames,
 * another one takes them; a disk that is slow costs frames, never time of the stream. */

#include "record/format.h"

G_BEGIN_DECLS

typedef struct
{
  GstBuffer *buffer;
  GstY10RecordFormat *format; /* of the stream, when it arrived */
  GstY10RecordTrack track;
  gint64 dts; /* running time, ns; may be negative */
  GstClockTime
      duration;     /* until the next one's dts; none while that is not known */
  gint64 offset;    /* from dts to when it is shown, ns */
  GstClockTime pts; /* as other elements see it; none: it has no */
  gint64 arrival;   /* by our clock, microseconds since 1970 */
  gint64 utc;       /* when it was taken, by the camera's; 0: not known */
  gboolean sync;
} GstY10RecordFrame;

/* Who takes frames. Each takes them in their order, at its own pace. */
typedef enum
{
  GST_Y10_RECORD_CONTINUOUS,
  GST_Y10_RECORD_CLIPS,
  GST_Y10_RECORD_N_READERS,
} GstY10RecordReader;

typedef struct _GstY10RecordRing GstY10RecordRing;

GstY10RecordRing *gst_y10_record_ring_new (guint64 max_bytes,
    GstClockTime history, gboolean has_audio, GMainContext *context);
void gst_y10_record_ring_free (GstY10RecordRing *ring);
void gst_y10_record_ring_push (GstY10RecordRing *ring,
    const GstY10RecordFrame *frame);
void gst_y10_record_ring_drain (GstY10RecordRing *ring);
void gst_y10_record_ring_set_drained (GstY10RecordRing *ring);
void gst_y10_record_ring_close (GstY10RecordRing *ring);

gboolean gst_y10_record_ring_start (GstY10RecordRing *ring,
    GstY10RecordReader reader, gint64 from, gboolean resumes, gint64 *begin);
void gst_y10_record_ring_stop (GstY10RecordRing *ring,
    GstY10RecordReader reader);

typedef enum
{
  GST_Y10_RECORD_FRAME,   /* a frame */
  GST_Y10_RECORD_NONE,    /* none now */
  GST_Y10_RECORD_DRAINED, /* none, and the stream has ended for now */
  GST_Y10_RECORD_CLOSED,  /* none, and there will be no more */
} GstY10RecordTaken;

GstY10RecordTaken gst_y10_record_ring_take (GstY10RecordRing *ring,
    GstY10RecordReader *reader, GstY10RecordFrame *frame);
void gst_y10_record_frame_clear (GstY10RecordFrame *frame);
gboolean gst_y10_record_ring_get_newest (GstY10RecordRing *ring,
    GstY10RecordFrame *frame);
void gst_y10_record_ring_forget (GstY10RecordRing *ring);
gboolean gst_y10_record_ring_is_short (GstY10RecordRing *ring);
guint64 gst_y10_record_ring_get_lost (GstY10RecordRing *ring);

G_END_DECLS
