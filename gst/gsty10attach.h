/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>
#include <y10/detection.h>
#include <y10/model.h>

#include "gsty10types.h"

G_BEGIN_DECLS

/* The analytics metadata appeared in GStreamer 1.24. */
#ifdef HAVE_GST_ANALYTICS
#define GST_Y10_HAVE_ANALYTICS TRUE
#else
#define GST_Y10_HAVE_ANALYTICS FALSE
#endif

/* What is the same in the metadata of all frames; made once a model. */
typedef struct _GstY10Attacher GstY10Attacher;

/* @skipped: the frame was not looked at, and there are no detections.
 * @width, @height: of the frame that @detections are in, pixels. */
typedef struct
{
  GstYolov10Attach attach;
  guint width, height;
  const Y10Detection *detections;
  guint n_detections;
  gboolean skipped;
} GstY10Findings;

void gst_y10_attach_register_metas (void);
GstY10Attacher *gst_y10_attacher_new (const Y10Model * model,
    const gchar * producer);
void gst_y10_attacher_free (GstY10Attacher * attacher);
void gst_y10_attacher_attach (const GstY10Attacher * attacher,
    GstBuffer * buffer, const GstY10Findings * findings);

G_END_DECLS
