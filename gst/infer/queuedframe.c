/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What one frame is on its way through: the buffer, the properties as they were
 * when it came, and its inference, if it has one. When the frame leaves, metadata
 * is written on it: its own boxes, or those of an earlier frame. Each step is one
 * thread's at a time; infer/framequeue.c says whose. */
#include "infer/queuedframe.h"

#include <string.h>

/**
 * gst_y10_queued_frame_now:
 *
 * Returns: the time, nanoseconds
 */
gint64
gst_y10_queued_frame_now (void)
{
  return g_get_monotonic_time () * 1000;
}

/**
 * gst_y10_queued_frame_begin:
 * @self: (out caller-allocates): one that has ended, or zeros
 * @buffer: (transfer full): a frame
 * @session: what it is inferred with, if it is
 * @wanted: what is wanted of it
 * @info: what the caps say
 * @came_at: when it came
 */
void
gst_y10_queued_frame_begin (GstY10QueuedFrame * self, GstBuffer * buffer,
    GstY10Session * session, const GstY10FrameParams * wanted,
    const GstVideoInfo * info, gint64 came_at)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  self->buffer = buffer;
  self->session = gst_y10_session_ref (session);
  self->hints = gst_y10_session_get_encoder_hints (session);
  self->wanted = *wanted;
  self->width = meta ? meta->width : (guint) GST_VIDEO_INFO_WIDTH (info);
  self->height = meta ? meta->height : (guint) GST_VIDEO_INFO_HEIGHT (info);
  self->came_at = came_at;
}

/* Boxes that are held over from another model have its classes. */
static void
look_at_hints (GstY10QueuedFrame * self, GstY10Session * session)
{
  if (!self->hints || session == self->session)
    return;
  gst_y10_hints_unref (self->hints);
  self->hints = gst_y10_session_get_encoder_hints (session);
}

/* What the frame shows when it has no result of its own. */
static GstY10Knowledge
find_held (const GstY10QueuedFrame * self, const GstY10Hold * hold,
    GstClockTime * age)
{
  const GstY10FrameParams *wanted = &self->wanted;

  if (self->lost)
    return GST_Y10_UNKNOWN_LOST;
  if (wanted->skipped_boxes != GST_YOLOV10_BOXES_HOLD)
    return GST_Y10_UNKNOWN_NOT_HELD;
  return gst_y10_hold_find (hold, GST_BUFFER_PTS (self->buffer),
      wanted->for_privacy ? GST_CLOCK_TIME_NONE : wanted->max_hold,
      self->width, self->height, age);
}

static void
show_fresh (GstY10Findings * findings, const GstY10Job * job)
{
  findings->detections = job->rows;
  findings->n_detections = (guint) job->n;
  findings->region = gst_y10_job_get_region (job);
}

/* Boxes of another model do not say where this one's objects are. */
static void
show_held (GstY10Findings * findings, const GstY10QueuedFrame * self,
    const GstY10Hold * hold)
{
  if (hold->session != self->session)
    findings->knowledge = GST_Y10_UNKNOWN_OTHER_MODEL;
  findings->detections = hold->detections;
  findings->n_detections = hold->n;
  findings->region = hold->region;
}

/**
 * gst_y10_queued_frame_attach:
 * @self: a queued frame that leaves
 * @hold: (inout): the latest result; a new one is kept there
 * @findings: (inout): where to say what was attached; @ids in it is used
 * @session: (out) (transfer none): whose detections they are; lives as long as
 *   @self and what @hold has
 *
 * Writes the metadata. The buffer may be another one afterwards.
 *
 * Returns: what it says
 */
GstY10Inference
gst_y10_queued_frame_attach (GstY10QueuedFrame * self, GstY10Hold * hold,
    GstY10Findings * findings, GstY10Session ** session)
{
  static const gchar *const names[] = { "fresh", "held", "skipped" };
  const GstY10FrameParams *wanted = &self->wanted;
  const GstY10Job *job = self->job;
  GstY10Inference inference = GST_Y10_SKIPPED;

  *session = self->session;
  findings->attach = wanted->attach;
  findings->width = self->width;
  findings->height = self->height;
  findings->for_privacy = wanted->for_privacy;
  findings->age = 0;
  findings->detections = NULL;
  findings->n_detections = 0;
  if (job && job->n >= 0) {
    findings->knowledge = GST_Y10_KNOWN_FRESH;
    inference = GST_Y10_FRESH;
    show_fresh (findings, job);
    gst_y10_hold_keep (hold, job);
  } else {
    findings->knowledge = find_held (self, hold, &findings->age);
    if (findings->knowledge == GST_Y10_KNOWN_HELD) {
      inference = GST_Y10_HELD;
      *session = hold->session;
      show_held (findings, self, hold);
    } else {
      findings->age = 0;
    }
  }
  if (self->lost)
    gst_y10_hold_forget (hold);
  findings->inference = names[inference];
  look_at_hints (self, *session);
  findings->hints = self->hints;
  self->buffer = gst_buffer_make_writable (self->buffer);
  gst_y10_attacher_attach ((*session)->attacher, self->buffer, findings);
  return inference;
}

/**
 * gst_y10_queued_frame_end:
 * @self: a queued frame; its buffer or event is freed unless it was taken away
 * @jobs: where its job is from
 *
 * Leaves it as gst_y10_queued_frame_begin() wants it. An inference that has begun is
 * waited for, because it reads the frame.
 */
void
gst_y10_queued_frame_end (GstY10QueuedFrame * self, GstY10Jobs * jobs)
{
  if (self->job)
    gst_y10_jobs_give (jobs, self->job);
  g_clear_pointer (&self->session, gst_y10_session_unref);
  g_clear_pointer (&self->hints, gst_y10_hints_unref);
  gst_clear_buffer (&self->buffer);
  gst_clear_event (&self->event);
  memset (self, 0, sizeof *self);
}
