/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pads, events, queries and the source pad's task. */

#include "detect/element.h"

G_BEGIN_DECLS

void gst_y10_pads_install (GstBaseTransformClass *class);
void gst_y10_pads_init (GstYolov10Detect *detect);
void gst_y10_pads_clear (GstYolov10Detect *detect);
void gst_y10_pads_begin (GstYolov10Detect *detect);
void gst_y10_pads_end (GstYolov10Detect *detect);

G_END_DECLS
