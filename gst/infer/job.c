/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The inference of one frame. A job maps the frame, submits it to the engine
 * and receives the result. It holds a buffer reference while the engine reads
 * pixels, so the frame itself may leave earlier. Jobs come from a pool
 * allocated at start(). */
#include "infer/job.h"

#include <string.h>

#define FOREVER -1

G_STATIC_ASSERT (GST_Y10_MAX_AREA_PARTS >= Y10_MAX_PARTS);

void
gst_y10_jobs_init (GstY10Jobs *self)
{
  memset (self, 0, sizeof *self);
  g_mutex_init (&self->lock);
}

/* Allocates @n jobs. */
void
gst_y10_jobs_begin (GstY10Jobs *self, guint n)
{
  self->jobs = g_new0 (GstY10Job, n);
  self->rows = g_new (Y10Detection, (gsize) n * GST_Y10_MAX_DETECTIONS);
  for (guint i = 0; i < n; i++) {
    self->jobs[i].index = i;
    self->jobs[i].rows = self->rows + (gsize) i * GST_Y10_MAX_DETECTIONS;
    gst_y10_jobs_give (self, &self->jobs[i]);
  }
}

/* All jobs must have been given back. */
void
gst_y10_jobs_end (GstY10Jobs *self)
{
  g_clear_pointer (&self->jobs, g_free);
  g_clear_pointer (&self->rows, g_free);
  self->unused = NULL;
}

void
gst_y10_jobs_clear (GstY10Jobs *self)
{
  g_mutex_clear (&self->lock);
}

/* Returns an unused job, or NULL if there is none. The caller sets @number, @epoch,
 * @session, @config, @class_rules, @weak_confidence and the notification of
 * @request. */
GstY10Job *
gst_y10_jobs_take (GstY10Jobs *self)
{
  GstY10Job *job;

  g_mutex_lock (&self->lock);
  job = self->unused;
  if (job)
    self->unused = job->next;
  g_mutex_unlock (&self->lock);
  return job;
}

static void
unmap (GstY10Job *self)
{
  if (self->is_mapped)
    gst_y10_frame_unmap (&self->frame);
  self->is_mapped = FALSE;
}

/* Returns @job to the pool. Withdraws its request, or waits if the engine is
 * already reading the frame. */
void
gst_y10_jobs_give (GstY10Jobs *self, GstY10Job *job)
{
  Y10Detection *rows = job->rows;
  guint index = job->index;

  y10_engine_request_end (&job->request);
  unmap (job);
  if (job->stream)
    gst_y10_session_end (job->session, job->stream);
  g_clear_pointer (&job->session, gst_y10_session_unref);
  g_clear_pointer (&job->config, gst_y10_settings_unref);
  g_clear_pointer (&job->class_rules, gst_y10_class_rules_unref);
  g_clear_error (&job->error);
  memset (job, 0, sizeof *job);
  job->rows = rows;
  job->index = index;
  g_mutex_lock (&self->lock);
  job->next = self->unused;
  self->unused = job;
  g_mutex_unlock (&self->lock);
}

static gboolean
choose_parts (GstY10Job *self, GstBuffer *buffer)
{
  GstY10PartRules *rules = self->config->part_rules;
  guint width, height;

  y10_engine_get_input_size (y10_engine_stream_get_engine (self->stream),
      &width, &height);
  self->parts = gst_y10_part_rules_choose (rules, self->index, buffer,
      &self->frame.image, width, height, &self->error);
  if (!self->parts)
    return FALSE;
  self->request.parts = self->parts->parts;
  self->request.n_parts = self->parts->n;
  self->request.region = gst_y10_part_rules_get_region (rules,
      &self->request.region_anchor);
  self->is_empty = self->parts->are_rois && !self->parts->n;
  return TRUE;
}

static gboolean
asks_for_weak (const GstY10Job *self)
{
  return self->weak_confidence < 1;
}

/* For weak boxes the engine returns all rows down to one confidence, from which
 * split() takes those of each class. It sorts by confidence and its NMS begins with the
 * best, so the objects stay what they are; where classes have their own confidence,
 * they may stand behind weak boxes, which therefore must not use up the maximum. (A
 * part of an image has a maximum of its own, Y10_MAX_PART_DETECTIONS.) */
static void
set_params (GstY10Job *self)
{
  const GstY10ClassRules *rules = self->class_rules;
  Y10HeadParams *asked = &self->asked;

  self->params = self->config->params;
  self->params.classes = rules->classes;
  self->params.class_confidence = rules->confidence;
  *asked = self->params;
  if (!asks_for_weak (self))
    return;
  asked->class_confidence = NULL;
  asked->confidence = MIN (self->weak_confidence,
      gst_y10_class_rules_get_least (rules,
          y10_model_get_n_classes (self->session->model),
          self->params.confidence));
  if (rules->confidence)
    asked->max_detections = GST_Y10_MAX_DETECTIONS;
}

static gboolean
submit (GstY10Job *self, GstY10InferMode mode, gboolean *submitted)
{
  if (mode != GST_Y10_INFER_ALL
      && !y10_engine_stream_replace (self->stream, &self->request, submitted,
          &self->error))
    return FALSE;
  if (*submitted || mode == GST_Y10_INFER_REPLACE)
    return TRUE;
  *submitted = y10_engine_stream_submit (self->stream, &self->request,
      &self->error);
  return *submitted;
}

/* Submits @buffer to the engine, unless the device is lost, there was nothing to
 * replace, or there is nothing to infer; @submitted tells whether the engine took it. @mode is not
 * GST_Y10_INFER_PASS. Returns FALSE with @self->error on failure. */
gboolean
gst_y10_job_start (GstY10Job *self, GstBuffer *buffer,
    const GstY10FrameFormat *format, guint max_running, GstY10InferMode mode,
    gboolean *submitted)
{
  *submitted = FALSE;
  self->n = -1;
  self->pts = GST_BUFFER_PTS (buffer);
  self->stream = gst_y10_session_begin (self->session);
  if (!self->stream)
    return TRUE;
  self->is_mapped = gst_y10_frame_map (&self->frame, format, buffer,
      &self->error);
  if (!self->is_mapped)
    return FALSE;
  if (self->config->ignore_par)
    self->frame.image.par_n = self->frame.image.par_d = 0;
  set_params (self);
  self->request.size = sizeof self->request;
  self->request.image = &self->frame.image;
  self->request.params = &self->asked;
  self->request.detections = self->rows;
  self->request.max_detections = GST_Y10_MAX_DETECTIONS;
  if (self->config->part_rules && !choose_parts (self, buffer))
    return FALSE;
  if (self->is_empty)
    return TRUE;
  y10_engine_stream_set_max_running (self->stream, max_running);
  return submit (self, mode, submitted);
}

/* Returns whether gst_y10_job_finish() would return without waiting. */
gboolean
gst_y10_job_is_over (GstY10Job *self)
{
  return y10_engine_request_wait (&self->request, 0);
}

/* The engine's boxes are relative to the region it read; make them relative to
 * the frame. */
static void
move_to_frame (GstY10Job *self)
{
  const Y10Image *image = &self->frame.image;

  for (gint i = 0; i < self->n; i++) {
    Y10Detection *d = &self->rows[i];

    d->x0 += image->x;
    d->x1 += image->x;
    d->y0 += image->y;
    d->y1 += image->y;
  }
}

/* Puts the objects first and the weak boxes, which get the places that are left, behind
 * them. Keeps the order of both. */
static void
split (GstY10Job *self)
{
  const guint n_rows = (guint) MAX (self->n, 0);
  const guint max = self->params.max_detections;
  Y10Detection *rows = self->rows;
  guint n = 0, n_weak = 0;

  for (guint i = 0; i < n_rows; i++) {
    const Y10Detection row = rows[i];

    if (row.confidence >= gst_y10_class_rules_get_confidence (self->class_rules,
            (guint) row.class_id, self->params.confidence)) {
      if (n == max)
        continue;
      memmove (&rows[n + 1], &rows[n], n_weak * sizeof *rows);
      rows[n++] = row;
    } else if (row.confidence >= self->weak_confidence) {
      rows[n + n_weak++] = row;
    }
  }
  if (self->n >= 0)
    self->n = (gint) n;
  self->n_weak = MIN (n_weak, max - n);
}

/* Waits for the engine and unmaps the frame. Without a result, @n stays -1: the
 * request was withdrawn or never submitted, or there is an error. A frame without
 * anything to infer has a result of no rows. */
void
gst_y10_job_finish (GstY10Job *self)
{
  y10_engine_request_wait (&self->request, FOREVER);
  if (self->request.error)
    self->error = g_steal_pointer (&self->request.error);
  else if (self->is_mapped && !self->error)
    self->n = self->request.n_detections;
  unmap (self);
  move_to_frame (self);
  if (asks_for_weak (self))
    split (self);
}

/* Sets the area of the frame in which all objects are reported, in pixels.
 * Returns FALSE if there is none. */
gboolean
gst_y10_job_get_seen (const GstY10Job *self, GstVideoRectangle *seen)
{
  const Y10Image *image = &self->frame.image;

  if (self->config->part_rules)
    return gst_y10_part_rules_get_seen (self->config->part_rules, image, seen);
  *seen = (GstVideoRectangle){ (gint) image->x, (gint) image->y,
    (gint) image->width, (gint) image->height };
  return TRUE;
}

static void
get_shapes (const GstY10Job *self, const Y10Region *region, GstY10Areas *areas)
{
  const Y10Image *image = &self->frame.image;
  guint n = 0;

  areas->n_shapes = MIN (y10_region_get_n_shapes (region),
      GST_Y10_MAX_AREA_SHAPES);
  for (guint i = 0; i < areas->n_shapes; i++) {
    areas->shapes[i] = MIN (y10_region_get_n_points (region, i),
        GST_Y10_MAX_AREA_POINTS - n);
    for (guint j = 0; j < areas->shapes[i]; j++, n++) {
      gdouble x, y;

      y10_region_get_point (region, i, j, &x, &y);
      areas->points[n][0] = (gfloat) ((image->x + x * image->width)
          / self->frame.width);
      areas->points[n][1] = (gfloat) ((image->y + y * image->height)
          / self->frame.height);
    }
  }
}

/* Sets the areas that were inferred. The job must have a result. */
void
gst_y10_job_get_areas (const GstY10Job *self, GstY10Areas *areas)
{
  const Y10Image *image = &self->frame.image;
  const Y10Region *region;
  Y10RegionAnchor anchor;

  areas->n_parts = areas->n_shapes = 0;
  if (!self->config->part_rules)
    return;
  for (guint i = 0; i < self->parts->n; i++) {
    const Y10Part *part = &self->parts->parts[i];
    const guint x = image->x + part->x, y = image->y + part->y;
    gfloat *edges = areas->parts[areas->n_parts++];

    edges[0] = (gfloat) x / (gfloat) self->frame.width;
    edges[1] = (gfloat) y / (gfloat) self->frame.height;
    edges[2] = (gfloat) (x + part->width) / (gfloat) self->frame.width;
    edges[3] = (gfloat) (y + part->height) / (gfloat) self->frame.height;
  }
  region = gst_y10_part_rules_get_region (self->config->part_rules, &anchor);
  if (region)
    get_shapes (self, region, areas);
}
