/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>
#include <y10/model.h>

#include "meta/areas.h"
#include "meta/detectionlist.h"
#include "meta/encoderhints.h"
#include "meta/inspection.h"
#include "common/enums.h"

G_BEGIN_DECLS

/* GStreamer has analytics metadata since 1.24. */
#ifdef HAVE_GST_ANALYTICS
#define GST_Y10_HAVE_ANALYTICS TRUE
#else
#define GST_Y10_HAVE_ANALYTICS FALSE
#endif

/* Writes the metadata of one model's detections: holds everything that is the
 * same for all frames, such as interned labels. */
typedef struct _GstY10Attacher GstY10Attacher;

/**
 * GstY10Findings:
 * @attach: the kinds of metadata to write
 * @detections: the detections; gst_y10_attacher_attach() sets their ids
 * @hints: (nullable): encoder hints for the regions
 * @inference: (nullable): "fresh", "held" or "skipped"; %NULL: fresh
 * @knowledge: whether the objects in the frame are known, for privacy
 * @for_privacy: whether privacy depends on this detector
 * @age: age of the detections in nanoseconds
 * @region: the part of the frame that was inferred, in pixels
 * @areas: (nullable): parts and region that were inferred
 *
 * The result for one frame, as the detector writes it.
 */
typedef struct
{
  GstYolov10Attach attach;
  GstY10DetectionList *detections;
  const GstY10Hints *hints;
  const gchar *inference;
  GstY10Knowledge knowledge;
  gboolean for_privacy;
  GstClockTime age;
  GstVideoRectangle region;
  const GstY10Areas *areas;
} GstY10Findings;

void gst_y10_attach_register_metas (void);
GstY10Attacher *gst_y10_attacher_new (const Y10Model * model,
    const gchar * producer);
void gst_y10_attacher_free (GstY10Attacher * attacher);
void gst_y10_attacher_list (const GstY10Attacher * attacher,
    GstY10DetectionList * list, const Y10Detection * rows, guint n_rows);
void gst_y10_attacher_attach (const GstY10Attacher * attacher,
    GstBuffer * buffer, const GstY10Findings * findings);
GstStructure *gst_y10_attacher_describe (const GstY10Attacher * attacher,
    const gchar * name, const GstY10Findings * findings);

G_END_DECLS
