/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The held result: what frames show that are not inferred. They hold the latest boxes
 * for a while, with an age: the difference of the two presentation timestamps, which
 * does not depend on arrival times. */
#include "infer/hold.h"

#include <string.h>

void
gst_y10_hold_init (GstY10Hold *self)
{
  *self = (GstY10Hold){ .detections = g_new (Y10Detection,
                            GST_Y10_MAX_DETECTIONS) };
}

void
gst_y10_hold_clear (GstY10Hold *self)
{
  gst_y10_hold_forget (self);
  g_clear_pointer (&self->detections, g_free);
}

void
gst_y10_hold_forget (GstY10Hold *self)
{
  g_clear_pointer (&self->session, gst_y10_session_unref);
  g_clear_pointer (&self->class_rules, gst_y10_class_rules_unref);
}

/* Copies the result of a job that is over, replacing the held one. */
void
gst_y10_hold_keep (GstY10Hold *self, const GstY10Job *job)
{
  if (self->session != job->session || self->class_rules != job->class_rules) {
    gst_y10_hold_forget (self);
    self->session = gst_y10_session_ref (job->session);
    self->class_rules = gst_y10_class_rules_ref (job->class_rules);
  }
  self->params = job->params;
  self->epoch = job->epoch;
  self->pts = job->pts;
  self->width = job->frame.width;
  self->height = job->frame.height;
  self->partial = !gst_y10_job_get_seen (job, &self->region);
  gst_y10_job_get_areas (job, &self->areas);
  self->has_weak = job->weak_confidence < 1;
  self->n = (guint) job->n;
  self->n_weak = job->n_weak;
  memcpy (self->detections, job->rows,
      (self->n + self->n_weak) * sizeof *self->detections);
}

/* Returns GST_Y10_STATE_HELD and the @age if the held result applies to a
 * frame, else why it does not. Timestamps may also run backwards. Without them
 * the age is unknown, and the boxes of a frame of another size do not fit. */
GstY10State
gst_y10_hold_find (const GstY10Hold *self, guint epoch, GstClockTime pts,
    GstClockTime max_age, guint width, guint height, GstClockTime *age)
{
  if (!self->session)
    return GST_Y10_STATE_NO_RESULT;
  if (self->epoch != epoch)
    return GST_Y10_STATE_OTHER_STREAM;
  if (!GST_CLOCK_TIME_IS_VALID (pts) || !GST_CLOCK_TIME_IS_VALID (self->pts))
    return GST_Y10_STATE_NO_TIME;
  if (self->width != width || self->height != height)
    return GST_Y10_STATE_OTHER_SIZE;
  *age = pts > self->pts ? pts - self->pts : self->pts - pts;
  return *age <= max_age ? GST_Y10_STATE_HELD : GST_Y10_STATE_EXPIRED;
}
