/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What upstream hears of an event that comes while an element is being stopped or
 * flushed. GstBaseTransform's event function fails then, because its source pad
 * is closed before its sink pad. It cannot say why, so the core takes that for an
 * error of the stream, and the source posts one. An event that is answered with
 * FLUSHING is what it is, and a sticky one comes again. */
#include "common/sinkpad.h"

static GstFlowReturn
sink_event_full (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (parent);

  if (GST_BASE_TRANSFORM_GET_CLASS (base)->sink_event (base, event))
    return GST_FLOW_OK;
  return GST_PAD_IS_FLUSHING (base->srcpad) || GST_PAD_IS_FLUSHING (pad)
      ? GST_FLOW_FLUSHING : GST_FLOW_ERROR;
}

/**
 * gst_y10_sink_pad_init:
 * @base: an element that is being made
 *
 * Has events that meet a closed pad answered with %GST_FLOW_FLUSHING.
 */
void
gst_y10_sink_pad_init (GstBaseTransform * base)
{
  gst_pad_set_event_full_function (base->sinkpad, sink_event_full);
}
