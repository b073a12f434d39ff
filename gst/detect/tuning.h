/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>
#include <y10/y10.h>

G_BEGIN_DECLS

/* Progress reported so far for one engine; zero-initialized for a new one. */
typedef struct
{
  gboolean begun, over;
  guint tenths;                 /* last reported progress */
} GstY10Tuning;

void gst_y10_tuning_poll (GstY10Tuning * tuning, GstElement * element,
    Y10Engine * engine);

G_END_DECLS
