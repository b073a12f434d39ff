/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Output side: runs on the source pad's task. */

#include "detect/element.h"

G_BEGIN_DECLS

GstY10Output *gst_y10_output_new (void);
void gst_y10_output_free (GstY10Output *out);
void gst_y10_output_begin (GstYolov10Detect *detect);
void gst_y10_output_flush (GstYolov10Detect *detect);
void gst_y10_output_end (GstYolov10Detect *detect);

void gst_y10_output_forget (GstYolov10Detect *detect);
void gst_y10_output_set_segment (GstYolov10Detect *detect,
    const GstSegment *segment);
GstClockTime gst_y10_output_get_position (GstYolov10Detect *detect);
void gst_y10_output_loop (GstPad *pad);
void gst_y10_output_drop_all (GstYolov10Detect *detect);

G_END_DECLS
