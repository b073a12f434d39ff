/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A queued frame: the buffer, its configuration and its job, if any. When it
 * leaves, it attaches metadata with its own boxes or held ones. One thread at a
 * time owns a queued frame; infer/framequeue.c decides which. */
#include "infer/queuedframe.h"

#include <string.h>

/* Returns the monotonic time in nanoseconds. */
gint64
gst_y10_queued_frame_now (void)
{
  return g_get_monotonic_time () * 1000;
}

/* Fills an unused entry. Takes ownership of @buffer. */
void
gst_y10_queued_frame_begin (GstY10QueuedFrame * self, GstBuffer * buffer,
    GstY10Session * session, GstY10Config * config, guint epoch,
    const GstVideoInfo * info, gint64 arrived_at)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  self->buffer = buffer;
  self->session = gst_y10_session_ref (session);
  self->class_rules = gst_y10_class_rules_ref (session->class_rules);
  self->config = gst_y10_config_ref (config);
  self->epoch = epoch;
  self->width = meta ? meta->width : (guint) GST_VIDEO_INFO_WIDTH (info);
  self->height = meta ? meta->height : (guint) GST_VIDEO_INFO_HEIGHT (info);
  self->arrived_at = arrived_at;
}

/* Looks for a held result for a frame without its own. */
static GstY10Knowledge
find_held (const GstY10QueuedFrame * self, const GstY10Hold * hold,
    GstClockTime * age)
{
  const GstY10Config *config = self->config;

  if (self->lost)
    return GST_Y10_UNKNOWN_LOST;
  if (config->skipped_boxes != GST_YOLOV10_BOXES_HOLD)
    return GST_Y10_UNKNOWN_NOT_HELD;
  return gst_y10_hold_find (hold, self->epoch, GST_BUFFER_PTS (self->buffer),
      self->for_privacy ? GST_CLOCK_TIME_NONE : config->max_hold,
      self->width, self->height, age);
}

/* Held boxes have no parents: those were on another buffer. */
static void
set_parents (GstY10DetectionList * list, const GstY10Job * job)
{
  const Y10Image *image = &job->frame.image;

  for (guint i = 0; i < list->n; i++) {
    GstY10Detection *d = &list->items[i];

    d->parent_id = gst_y10_frame_parts_find_parent (job->parts,
        (d->x0 + d->x1) / 2 - image->x, (d->y0 + d->y1) / 2 - image->y);
  }
}

static void
show_fresh (GstY10Findings * findings, const GstY10Job * job)
{
  gst_y10_attacher_list (job->session->attacher, findings->detections,
      job->rows, (guint) job->n);
  if (job->parts)
    set_parents (findings->detections, job);
  if (!gst_y10_job_get_seen (job, &findings->region))
    findings->knowledge = GST_Y10_UNKNOWN_PARTIAL;
}

/* Boxes of another model do not vouch for this model's objects. */
static void
show_held (GstY10Findings * findings, const GstY10QueuedFrame * self,
    const GstY10Hold * hold)
{
  if (hold->session != self->session)
    findings->knowledge = GST_Y10_UNKNOWN_OTHER_MODEL;
  else if (hold->partial)
    findings->knowledge = GST_Y10_UNKNOWN_PARTIAL;
  gst_y10_attacher_list (hold->session->attacher, findings->detections,
      hold->detections, hold->n);
  findings->region = hold->region;
  findings->areas = &hold->areas;
}

/* Writes the metadata and returns the state it has. May replace the buffer by a
 * writable copy. A new result is copied to @hold. @session, where the
 * detections come from, is borrowed from @self or @hold. */
GstY10Inference
gst_y10_queued_frame_attach (GstY10QueuedFrame * self, GstY10Hold * hold,
    GstY10Findings * findings, GstY10Session ** session)
{
  static const gchar *const names[] = { "fresh", "held", "skipped" };
  const GstY10Job *job = self->job;
  GstY10Inference inference = GST_Y10_SKIPPED;

  *session = self->session;
  findings->attach = self->config->attach;
  findings->for_privacy = self->for_privacy;
  findings->age = 0;
  gst_y10_detection_list_begin (findings->detections, self->width,
      self->height);
  if (job && job->n >= 0) {
    findings->knowledge = GST_Y10_KNOWN_FRESH;
    inference = GST_Y10_FRESH;
    show_fresh (findings, job);
    gst_y10_hold_keep (hold, job);
    findings->areas = &hold->areas;
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
  /* Boxes held from another session use that model's class ids. */
  findings->hints = *session == self->session ? self->class_rules->hints
      : hold->class_rules->hints;
  self->buffer = gst_buffer_make_writable (self->buffer);
  gst_y10_attacher_attach ((*session)->attacher, self->buffer, findings);
  return inference;
}

/* Releases everything and resets the entry for reuse. Waits for an inference
 * that has begun, because it reads the frame. */
void
gst_y10_queued_frame_end (GstY10QueuedFrame * self, GstY10Jobs * jobs)
{
  if (self->job)
    gst_y10_jobs_give (jobs, self->job);
  g_clear_pointer (&self->session, gst_y10_session_unref);
  g_clear_pointer (&self->config, gst_y10_config_unref);
  g_clear_pointer (&self->class_rules, gst_y10_class_rules_unref);
  gst_clear_buffer (&self->buffer);
  gst_clear_event (&self->event);
  memset (self, 0, sizeof *self);
}
