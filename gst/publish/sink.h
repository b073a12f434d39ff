/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What makes a filter with nothing behind it a sink. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  GstPad *src;

  GMutex lock;
  GCond changed;
  gboolean is_sink;    /* since it was started */
  gboolean is_playing; /* a sink waits until it is */
  gboolean is_flushing;
  GSList *bins; /* that became sinks with it; borrowed while it is one */
} GstY10Sink;

void gst_y10_sink_init (GstY10Sink *sink, GstElement *element, GstPad *src);
void gst_y10_sink_clear (GstY10Sink *sink);
void gst_y10_sink_change_state (GstY10Sink *sink, GstStateChange transition);
void gst_y10_sink_set_flushing (GstY10Sink *sink, gboolean is_flushing);
gboolean gst_y10_sink_wait (GstY10Sink *sink, GstFlowReturn *result);
void gst_y10_sink_post (GstY10Sink *sink, GstEvent *event);

G_END_DECLS
