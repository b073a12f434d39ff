/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "infer/session.h"
#include "detect/detect.h"

G_BEGIN_DECLS

typedef struct _GstY10Exchange GstY10Exchange;

GstY10Exchange *gst_y10_exchange_new (GstYolov10Detect * detect);
void gst_y10_exchange_free (GstY10Exchange * exchange);
void gst_y10_exchange_open (GstY10Exchange * exchange);
void gst_y10_exchange_close (GstY10Exchange * exchange);
void gst_y10_exchange_request (GstY10Exchange * exchange);
GstY10Session *gst_y10_exchange_take (GstY10Exchange * exchange);
void gst_y10_exchange_retire (GstY10Exchange * exchange,
    GstY10Session * session);

G_END_DECLS
