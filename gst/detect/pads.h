/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "infer/queuedframe.h"
#include "detect/detect.h"

G_BEGIN_DECLS

/* detect/pads.c: what flows, and the two threads that make it */
void gst_y10_stream_install (GstBaseTransformClass * class);
void gst_y10_stream_init (GstYolov10Detect * detect);
void gst_y10_stream_begin (GstYolov10Detect * detect);
void gst_y10_stream_end (GstYolov10Detect * detect);
void gst_y10_stream_drop_all (GstYolov10Detect * detect);

/* detect/input.c: the thread that brings frames */
GstFlowReturn gst_y10_arrive (GstYolov10Detect * detect, GstBuffer * buffer);
gboolean gst_y10_arrive_event (GstYolov10Detect * detect, GstEvent * event);
GstFlowReturn gst_y10_arrive_stopped (GstYolov10Detect * detect);

/* detect/output.c: the thread that sends frames on */
void gst_y10_leave (GstPad * pad);
void gst_y10_leave_forget (GstYolov10Detect * detect);

G_END_DECLS
