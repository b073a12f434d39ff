/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A queued frame: the buffer, its configuration and its job, if any. When it
 * leaves, it attaches metadata with its own boxes or held ones. One thread at a
 * time owns a queued frame; infer/framequeue.c decides which. */
#include "infer/queuedframe.h"

#include <string.h>

#include "meta/write.h"

/* Fills an unused one. Takes ownership of @buffer. */
void
gst_y10_queued_frame_begin (GstY10QueuedFrame *self, GstBuffer *buffer,
    GstY10Session *session, GstY10Config *config, guint epoch,
    const GstVideoInfo *info, gint64 arrived_at)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  self->buffer = buffer;
  self->session = gst_y10_session_ref (session);
  self->class_rules = gst_y10_class_rules_ref (session->class_rules);
  self->config = gst_y10_settings_ref (config);
  self->epoch = epoch;
  self->width = meta ? meta->width : (guint) GST_VIDEO_INFO_WIDTH (info);
  self->height = meta ? meta->height : (guint) GST_VIDEO_INFO_HEIGHT (info);
  self->arrived_at = arrived_at;
}

/* Held boxes have no parents: those were on another buffer. */
static void
set_parents (GstY10DetectionList *list, const GstY10Job *job)
{
  const Y10Image *image = &job->frame.image;

  for (guint i = 0; i < list->n; i++) {
    GstY10Detection *d = &list->items[i];

    d->parent_id = gst_y10_frame_parts_find_parent (job->parts,
        (d->x0 + d->x1) / 2 - image->x, (d->y0 + d->y1) / 2 - image->y);
  }
}

/* Lists the weak boxes, if they are asked for and were when the picture was inferred:
 * @rows behind the first @n. */
static void
show_weak (const GstY10QueuedFrame *self, const GstY10Session *session,
    gboolean has_weak, const Y10Detection *rows, guint n, GstY10Result *result,
    GstY10DetectionList *weak)
{
  if (self->weak_confidence >= 1 || !has_weak)
    return;
  gst_y10_producer_fill_list (session->producer, weak, rows, n);
  result->weak = weak;
}

/* Sets the result to the frame's own, which becomes the held one and keeps the
 * areas. */
static void
show_fresh (GstY10QueuedFrame *self, GstY10Hold *hold, GstY10Result *result,
    GstY10DetectionList *weak)
{
  const GstY10Job *job = self->job;

  gst_y10_producer_fill (job->session->producer, result, job->rows,
      (guint) job->n);
  if (job->parts)
    set_parents (&result->list, job);
  result->state = gst_y10_job_get_seen (job, &result->region)
      ? GST_Y10_STATE_FRESH
      : GST_Y10_STATE_FRESH_PARTIAL;
  show_weak (self, job->session, TRUE, job->rows + job->n, job->n_weak, result,
      weak);
  gst_y10_hold_keep (hold, job);
  result->areas = &hold->areas;
}

/* Looks for a held result for a frame without its own. */
static GstY10State
find_held (const GstY10QueuedFrame *self, const GstY10Hold *hold,
    GstClockTime *age)
{
  const GstY10Config *config = self->config;

  if (self->lost)
    return GST_Y10_STATE_LOST;
  if (config->skipped_boxes != GST_YOLOV10_BOXES_HOLD)
    return GST_Y10_STATE_NOT_HELD;
  return gst_y10_hold_find (hold, self->epoch, GST_BUFFER_PTS (self->buffer),
      self->for_privacy ? GST_CLOCK_TIME_NONE : config->max_hold, self->width,
      self->height, age);
}

/* Whether the held result has all objects that are asked for now. Boxes that would
 * not be asked for any more count as a difference, too, which is simpler to tell. */
static gboolean
asks_same (const GstY10QueuedFrame *self, const GstY10Hold *hold)
{
  const Y10HeadParams *now = &self->config->params, *then = &hold->params;

  return now->confidence == then->confidence && now->iou == then->iou
      && now->class_agnostic == then->class_agnostic
      && now->max_detections == then->max_detections
      && now->min_width == then->min_width
      && now->min_height == then->min_height
      && now->max_width == then->max_width
      && now->max_height == then->max_height
      && gst_y10_class_rules_find_same (hold->class_rules, self->class_rules);
}

/* Boxes of another model, or that were selected by other properties, do not vouch
 * for the objects that are asked for now. */
static void
show_held (const GstY10QueuedFrame *self, const GstY10Hold *hold,
    GstY10Result *result, GstY10DetectionList *weak)
{
  if (hold->session != self->session)
    result->state = GST_Y10_STATE_HELD_OTHER_MODEL;
  else if (!asks_same (self, hold))
    result->state = GST_Y10_STATE_HELD_OTHER_SETTINGS;
  else if (hold->partial)
    result->state = GST_Y10_STATE_HELD_PARTIAL;
  gst_y10_producer_fill (hold->session->producer, result, hold->detections,
      hold->n);
  show_weak (self, hold->session, hold->has_weak, hold->detections + hold->n,
      hold->n_weak, result, weak);
  if (!hold->partial)
    result->region = hold->region;
  result->areas = &hold->areas;
}

/* Fills @result, whose list is initialized, and @weak, and writes it. May replace the buffer
 * by a writable copy. Returns the session that the objects come from, borrowed from
 * @self or @hold. */
GstY10Session *
gst_y10_queued_frame_attach (GstY10QueuedFrame *self, GstY10Hold *hold,
    GstY10Result *result, GstY10DetectionList *weak)
{
  GstY10Session *session = self->session;
  GstClockTime age = 0;

  gst_y10_detection_list_begin (&result->list, self->width, self->height);
  gst_y10_detection_list_begin (weak, self->width, self->height);
  result->weak = NULL;
  result->pts = GST_BUFFER_PTS (self->buffer);
  result->age = 0;
  result->region = (GstVideoRectangle){ 0 };
  result->areas = NULL;
  if (self->job && self->job->n >= 0) {
    show_fresh (self, hold, result, weak);
  } else {
    result->state = find_held (self, hold, &age);
    if (result->state == GST_Y10_STATE_HELD) {
      result->age = age;
      session = hold->session;
      show_held (self, hold, result, weak);
    } else {
      gst_y10_producer_fill (session->producer, result, NULL, 0);
    }
  }
  if (self->lost)
    gst_y10_hold_forget (hold);
  self->buffer = gst_buffer_make_writable (self->buffer);
  /* Boxes held from another session use that model's class ids. */
  gst_y10_result_attach (result, self->buffer, self->config->attach,
      session == self->session ? self->class_rules->hints
                               : hold->class_rules->hints,
      self->for_privacy);
  return session;
}

/* Releases everything and resets it for reuse. Waits for an inference
 * that has begun, because it reads the frame. */
void
gst_y10_queued_frame_end (GstY10QueuedFrame *self, GstY10Jobs *jobs)
{
  if (self->job)
    gst_y10_jobs_give (jobs, self->job);
  g_clear_pointer (&self->session, gst_y10_session_unref);
  g_clear_pointer (&self->config, gst_y10_settings_unref);
  g_clear_pointer (&self->class_rules, gst_y10_class_rules_unref);
  gst_clear_buffer (&self->buffer);
  gst_clear_event (&self->event);
  memset (self, 0, sizeof *self);
}
