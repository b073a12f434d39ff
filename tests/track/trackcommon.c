/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes metadata with the detector's own code, so that they are what it writes. */
#include "trackcommon.h"

#include "meta/write.h"

#define MAX_BOXES 1024

static GstY10Detection
detection (const TrackBox *box)
{
  return (GstY10Detection){
    .x0 = box->x0,
    .y0 = box->y0,
    .x1 = box->x1,
    .y1 = box->y1,
    .class_id = box->class_id,
    .confidence = box->confidence,
    .label = box->label,
    .label_length = strlen (box->label),
    .quark = g_quark_from_string (box->label),
    .id = -1,
    .parent_id = -1,
  };
}

static void
add_regions (GstBuffer *buffer, const TrackFrame *frame)
{
  for (guint i = 0; i < frame->n_boxes; i++) {
    const TrackBox *b = &frame->boxes[i];
    GstVideoRegionOfInterestMeta *roi =
        gst_buffer_add_video_region_of_interest_meta (buffer, b->label,
            (guint) b->x0, (guint) b->y0, (guint) (b->x1 - b->x0),
            (guint) (b->y1 - b->y0));

    gst_video_region_of_interest_meta_add_param (roi,
        gst_structure_new ("detection", "confidence", G_TYPE_DOUBLE,
            (gdouble) b->confidence, NULL));
  }
}

GstBuffer *
track_frame_new (const TrackFrame *frame)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstY10DetectionList weak;
  GstY10Result result = {
    .state = frame->state,
    .age = frame->age,
    .pts = frame->pts,
    .producer = "d",
    .model = "yolov10n",
    .region = { 0, 0, (gint) frame->width, (gint) frame->height },
  };
  Y10Detection *rows;

  GST_BUFFER_PTS (buffer) = frame->pts;
  if (frame->state == GST_Y10_STATE_NO_DETECTOR) {
    add_regions (buffer, frame);
    return buffer;
  }
  gst_y10_attach_register_metas ();
  gst_y10_detection_list_init (&result.list, MAX_BOXES);
  gst_y10_detection_list_init (&weak, MAX_BOXES);
  gst_y10_detection_list_begin (&result.list, frame->width, frame->height);
  gst_y10_detection_list_begin (&weak, frame->width, frame->height);
  rows = g_new0 (Y10Detection, frame->n_boxes + 1);
  for (guint i = 0; i < frame->n_boxes; i++) {
    GstY10Detection d = detection (&frame->boxes[i]);

    rows[i] = (Y10Detection){
      .x0 = (gfloat) d.x0,
      .y0 = (gfloat) d.y0,
      .x1 = (gfloat) d.x1,
      .y1 = (gfloat) d.y1,
      .confidence = d.confidence,
      .class_id = d.class_id,
    };
    gst_y10_detection_list_add (&result.list, &d);
  }
  for (guint i = 0; i < frame->n_weak; i++) {
    GstY10Detection d = detection (&frame->weak[i]);

    gst_y10_detection_list_add (&weak, &d);
  }
  result.rows = rows;
  result.weak = frame->asked ? &weak : NULL;
  gst_y10_result_attach (&result, buffer,
      GST_YOLOV10_ATTACH_ROI | GST_YOLOV10_ATTACH_ANALYTICS
          | GST_YOLOV10_ATTACH_FRAME,
      NULL, FALSE);
  g_free (rows);
  gst_y10_detection_list_clear (&weak);
  gst_y10_detection_list_clear (&result.list);
  return buffer;
}
