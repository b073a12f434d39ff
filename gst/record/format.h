/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a stream's caps say, in the terms of the file. */

#include <gst/gst.h>

#include "mp4/mp4.h"

G_BEGIN_DECLS

/* Immutable. A file has one of each of its tracks. */
typedef struct
{
  gatomicrefcount refs;
  GstY10Mp4Track track; /* its config points into @config */
  GBytes *config;
} GstY10RecordFormat;

GstY10RecordFormat *gst_y10_record_format_new (const GstCaps *caps, guint track,
    GError **error);
gboolean gst_y10_record_format_equal (const GstY10RecordFormat *a,
    const GstY10RecordFormat *b);
GstY10RecordFormat *gst_y10_record_format_ref (GstY10RecordFormat *format);
void gst_y10_record_format_unref (GstY10RecordFormat *format);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10RecordFormat, gst_y10_record_format_unref)

G_END_DECLS
