/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Which part of a stream becomes a clip, for which events. One thread. */

#include "record/output.h"

G_BEGIN_DECLS

/**
 * GstY10RecordClip:
 * @event: (nullable): what names the event: its segment and offset in the spool
 * @stream: (nullable): of the event
 * @reason: (nullable): why there is a clip without an event
 * @file: name of the recording that has the moment of the event, or the first one after it
 * @from: when its first frame was taken, microseconds since 1970
 * @to: when the last frame that was wanted for the event was taken, or the one after it
 */
typedef struct
{
  gchar *event, *stream, *reason, *file;
  gint64 from, to;
} GstY10RecordClip;

/* A clip is complete and on the disk. */
typedef void (
    *GstY10RecordClipFunc) (const GstY10RecordClip *clip, gpointer user);

typedef struct _GstY10RecordClips GstY10RecordClips;

GstY10RecordClips *gst_y10_record_clips_new (GstY10RecordRing *ring,
    GstY10RecordOutput *output, const GstY10RecordFolder *folder,
    GstY10RecordClipFunc func, gpointer user);
void gst_y10_record_clips_free (GstY10RecordClips *clips);
gboolean gst_y10_record_clips_want (GstY10RecordClips *clips, gint64 from,
    gint64 to, const GstY10RecordClip *what);
void gst_y10_record_clips_write (GstY10RecordClips *clips,
    GstY10RecordFrame *frame);
void gst_y10_record_clips_tell_old (GstY10RecordClips *clips);
void gst_y10_record_clips_end (GstY10RecordClips *clips);
void gst_y10_record_clips_tend (GstY10RecordClips *clips, GstClockTime history);

G_END_DECLS
