/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Whether frames may be recorded, or show what an overlay is to cover. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* What a yolov10record knows of that. One thread. */
typedef struct
{
  gchar *stream;     /* the name that it declares; NULL: none */
  gboolean is_known; /* for what comes next, unless overlays changed since */
  guint n_changes;   /* of overlays, before the latest look */
  gboolean warned;
} GstY10RecordPrivacy;

void gst_y10_record_privacy_init (GstY10RecordPrivacy *privacy,
    const gchar *stream);
void gst_y10_record_privacy_clear (GstY10RecordPrivacy *privacy);
void gst_y10_record_privacy_doubt (GstY10RecordPrivacy *privacy);
gboolean gst_y10_record_privacy_admits (GstY10RecordPrivacy *privacy,
    GstPad *sink, gboolean sync);

G_END_DECLS
