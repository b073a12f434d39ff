/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Window of the p95 in inferences, the first evaluation, and the interval of
 * later ones. */
#define GST_Y10_LATENCY_WINDOW 64
#define GST_Y10_LATENCY_FIRST 8
#define GST_Y10_LATENCY_EVERY 32

typedef struct
{
  guint64 ns[GST_Y10_LATENCY_WINDOW];
  guint64 n;
  GstClockTime reported; /* inference time last reported */
  GstClockTime interval; /* frame interval last reported; 0: unknown */
} GstY10Latency;

void gst_y10_latency_begin (GstY10Latency *latency);
gboolean gst_y10_latency_expect (GstY10Latency *latency,
    GstClockTime inference);
gboolean gst_y10_latency_record (GstY10Latency *latency, guint64 ns);
gboolean gst_y10_latency_wait (GstY10Latency *latency, GstClockTime interval);
void gst_y10_latency_answer (GstQuery *query, const GstY10Latency *latency,
    gboolean skip, guint max_frames, GstClockTime duration);

G_END_DECLS
