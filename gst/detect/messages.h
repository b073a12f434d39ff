/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "infer/session.h"
#include "meta/result.h"

G_BEGIN_DECLS

/* Progress reported so far for one engine; zero-initialized for a new one. */
typedef struct
{
  gboolean begun, over;
  guint tenths; /* last reported progress */
} GstY10Tuning;

void gst_y10_messages_install (GObjectClass *class);
void gst_y10_messages_model (GstElement *element, GstY10Session *session);
void gst_y10_messages_engine_changed (GstElement *element);
void gst_y10_messages_tuning (GstY10Tuning *tuning, GstElement *element,
    Y10Engine *engine);
void gst_y10_messages_detections (GstElement *element, GstBuffer *buffer,
    const GstY10Result *result, const Y10Model *model);

G_END_DECLS
