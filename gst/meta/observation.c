/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which frames show a result of the detector for the first time. A result is
 * one observation, however many frames hold its boxes: on its own frame if that is
 * fresh, else on the first frame that shows it as held; its time is that of the
 * inferred frame. So a tracker, zones and whoever else counts over time see each
 * result once, and at the same time. */
#include "meta/observation.h"

/**
 * gst_y10_observations_take:
 * @self: the stream's observations; cleared with zeros for another stream
 * @state: what is known of the frame. %GST_Y10_STATE_NO_DETECTOR counts as fresh,
 *   since other detectors do not tell
 * @pts: timestamp of the frame
 * @age: age of its boxes
 * @time: (out): timestamp of the picture that the boxes belong to, if they are new
 *
 * Returns: whether the frame shows a new result
 */
GstY10Observation
gst_y10_observations_take (GstY10Observations *self, GstY10State state,
    GstClockTime pts, GstClockTime age, GstClockTime *time)
{
  const gboolean is_held = gst_y10_state_is_held (state);
  const gboolean is_back = self->any && pts < self->pts;

  if (!GST_CLOCK_TIME_IS_VALID (pts)
      || (!is_held && !gst_y10_state_is_fresh (state)
          && state != GST_Y10_STATE_NO_DETECTOR)
      || (is_held && age > pts))
    return GST_Y10_OBSERVATION_NONE;
  *time = is_held ? pts - age : pts;
  /* An older result can come later only where two detectors are in series. */
  if (self->any && !is_back && *time <= self->time)
    return GST_Y10_OBSERVATION_NONE;
  *self = (GstY10Observations){ .any = TRUE, .time = *time, .pts = pts };
  return is_back ? GST_Y10_OBSERVATION_RESTARTED : GST_Y10_OBSERVATION_NEW;
}
