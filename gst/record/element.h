/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Instance structure of yolov10record, private to gst/record, and which thread or lock owns
 * each field. */

#include <gst/gst.h>

#include "common/enums.h"
#include "common/settings.h"
#include "record/privacy.h"
#include "record/writer.h"

G_BEGIN_DECLS

#define GST_TYPE_YOLOV10_RECORD (gst_yolov10_record_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Record, gst_yolov10_record, GST, YOLOV10_RECORD,
    GstElement)

typedef struct
{
  GstY10Settings parent;
  gchar *location, *events, *stream;
  GstYolov10RecordMode mode;
  GstClockTime before, after, file_duration, max_age, clip_max_age;
  guint64 max_bytes, ring_bytes;
} GstY10RecordSettings;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10RecordSettings, gst_y10_settings_unref)

struct _GstYolov10Record
{
  GstElement parent;

  /* Object lock. */
  GstY10RecordSettings *settings;
  GstY10RecordWriter *writer; /* from READY to PAUSED until back in READY */

  GMutex lock; /* of what both streaming threads use */
  GstPad *pads[GST_Y10_RECORD_N_TRACKS]; /* NULL: not requested */
  GstCaps *caps[GST_Y10_RECORD_N_TRACKS];
  GstSegment segments[GST_Y10_RECORD_N_TRACKS];
  gboolean has_ended[GST_Y10_RECORD_N_TRACKS];
  guint32 eos_seqnum; /* of the latest EOS */
  gboolean is_playing;
  GstY10RecordFormat *format;
  GstCaps *ntp, *unix_time;    /* what times of cameras refer to */
  gboolean told_clock;         /* that the camera's is wrong */
  GstY10RecordPrivacy privacy; /* the video's streaming thread */
};

/* props.c */
extern GstY10Properties gst_y10_record_properties;
void gst_y10_record_props_install (GObjectClass *class);
GstY10RecordSettings *gst_y10_record_get_settings (GstYolov10Record *self);

G_END_DECLS
