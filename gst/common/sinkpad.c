/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Event return values while an element stops or flushes. GstBaseTransform's
 * event function fails then, because the source pad is deactivated before the
 * sink pad. A gboolean carries no reason, so the core treats this as a stream
 * error and the source posts one. This file returns FLUSHING instead; upstream
 * resends sticky events. */
#include "common/sinkpad.h"

static GstFlowReturn
sink_event_full (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (parent);

  if (GST_BASE_TRANSFORM_GET_CLASS (base)->sink_event (base, event))
    return GST_FLOW_OK;
  return GST_PAD_IS_FLUSHING (base->srcpad) || GST_PAD_IS_FLUSHING (pad)
      ? GST_FLOW_FLUSHING
      : GST_FLOW_ERROR;
}

/* Makes @base answer events on an inactive pad with GST_FLOW_FLUSHING. */
void
gst_y10_sink_pad_init (GstBaseTransform *base)
{
  gst_pad_set_event_full_function (base->sinkpad, sink_event_full);
}
