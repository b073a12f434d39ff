/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Asks detectors upstream for weak boxes, which the second pass matches. They are for
 * trackers only and the request runs out, so it is repeated: a detector may be linked
 * or restarted at any time, and where there is no tracker any more, nobody asks. */
#include "track/element.h"

/* Frames between requests. */
#define ASK_AGAIN (GST_Y10_WEAK_FRAMES / 2)

/* Call for each frame. */
void
gst_y10_track_ask_for_weak (GstYolov10Tracker *self)
{
  const gfloat wanted = (gfloat) self->now->weak_thresh;

  if (self->now->weak_thresh >= self->now->track_thresh)
    return; /* there is no second pass */
  if (self->asked != wanted)
    self->n_asked = 0;
  if (self->n_asked++ % ASK_AGAIN)
    return;
  self->asked = wanted;
  gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (self),
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new (GST_Y10_WEAK_EVENT, "sender", G_TYPE_STRING,
              self->sender, "confidence", G_TYPE_DOUBLE, (gdouble) wanted,
              NULL)));
}
