/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a stream's caps say, in the terms of the file. */

#include <gst/gst.h>

#include "mp4/mp4.h"

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_RECORD_VIDEO,
  GST_Y10_RECORD_AUDIO,
  GST_Y10_RECORD_N_TRACKS,
} GstY10RecordTrack;

/* Immutable. A file has one. */
typedef struct
{
  gatomicrefcount refs;
  guint n_tracks; /* 2 if there is audio */
  GstY10Mp4Track
      tracks[GST_Y10_RECORD_N_TRACKS]; /* their config is in @configs */
  GBytes *configs[GST_Y10_RECORD_N_TRACKS];
} GstY10RecordFormat;

GstY10RecordFormat *gst_y10_record_format_new (const GstCaps *video,
    const GstCaps *audio, GError **error);
gboolean gst_y10_record_format_is_same_video (const GstY10RecordFormat *a,
    const GstY10RecordFormat *b);
gboolean gst_y10_record_format_equal (const GstY10RecordFormat *a,
    const GstY10RecordFormat *b);
GstY10RecordFormat *gst_y10_record_format_ref (GstY10RecordFormat *format);
void gst_y10_record_format_unref (GstY10RecordFormat *format);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10RecordFormat, gst_y10_record_format_unref)

G_END_DECLS
