/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Input side: runs on the upstream streaming thread. */

#include "detect/element.h"

G_BEGIN_DECLS

GstY10Input *gst_y10_input_new (void);
void gst_y10_input_free (GstY10Input *in);
void gst_y10_input_begin (GstYolov10Detect *detect);
void gst_y10_input_flush (GstYolov10Detect *detect);
void gst_y10_input_end (GstYolov10Detect *detect);

void gst_y10_input_check_caps (GstYolov10Detect *detect, GstCaps *caps);
gboolean gst_y10_input_set_caps (GstYolov10Detect *detect, GstCaps *caps);
void gst_y10_input_begin_epoch (GstYolov10Detect *detect);
void gst_y10_input_resume (GstYolov10Detect *detect);
void gst_y10_input_end_stream (GstYolov10Detect *detect);
void gst_y10_input_set_late (GstYolov10Detect *detect, GstClockTime time);
void gst_y10_input_set_privacy (GstYolov10Detect *detect, gboolean active);
GstFlowReturn gst_y10_input_push (GstYolov10Detect *detect, GstBuffer *buffer);
gboolean gst_y10_input_push_event (GstYolov10Detect *detect, GstEvent *event);

G_END_DECLS
