/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The inference of one frame. A job maps the frame, hands it to the engine, and
 * has the result when the engine is done. It holds a reference to the buffer
 * while the engine reads pixels, so the frame itself may leave before that. Jobs
 * are taken from memory that start() sets aside and go back there. */
#include "infer/job.h"

#include <string.h>

#define FOREVER -1

/**
 * gst_y10_jobs_init:
 * @self: (out caller-allocates): without any memory yet
 */
void
gst_y10_jobs_init (GstY10Jobs * self)
{
  memset (self, 0, sizeof *self);
  g_mutex_init (&self->lock);
}

/**
 * gst_y10_jobs_begin:
 * @self: jobs without memory
 * @n: how many there are to be
 */
void
gst_y10_jobs_begin (GstY10Jobs * self, guint n)
{
  self->jobs = g_new0 (GstY10Job, n);
  self->rows = g_new (Y10Detection, (gsize) n * GST_Y10_MAX_DETECTIONS);
  for (guint i = 0; i < n; i++) {
    self->jobs[i].rows = self->rows + (gsize) i * GST_Y10_MAX_DETECTIONS;
    gst_y10_jobs_give (self, &self->jobs[i]);
  }
}

/**
 * gst_y10_jobs_end:
 * @self: jobs that have all been given back
 */
void
gst_y10_jobs_end (GstY10Jobs * self)
{
  g_clear_pointer (&self->jobs, g_free);
  g_clear_pointer (&self->rows, g_free);
  self->unused = NULL;
}

/**
 * gst_y10_jobs_clear:
 * @self: jobs without memory, which are not used again
 */
void
gst_y10_jobs_clear (GstY10Jobs * self)
{
  g_mutex_clear (&self->lock);
}

/**
 * gst_y10_jobs_take:
 * @self: jobs
 *
 * Returns: (transfer full) (nullable): one that nobody uses; the caller sets
 *   @number, @session, @classes and the notification of @request. %NULL when all
 *   are in use
 */
GstY10Job *
gst_y10_jobs_take (GstY10Jobs * self)
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
unmap (GstY10Job * self)
{
  if (self->is_mapped)
    gst_y10_frame_unmap (&self->frame);
  self->is_mapped = FALSE;
}

/**
 * gst_y10_jobs_give:
 * @self: jobs
 * @job: (transfer full): one of them
 *
 * Takes it back from the engine, or waits for the engine, which reads the frame.
 */
void
gst_y10_jobs_give (GstY10Jobs * self, GstY10Job * job)
{
  Y10Detection *rows = job->rows;

  y10_engine_request_end (&job->request);
  unmap (job);
  if (job->stream)
    gst_y10_session_end (job->session, job->stream);
  g_clear_pointer (&job->session, gst_y10_session_unref);
  g_clear_pointer (&job->classes, g_bytes_unref);
  g_clear_error (&job->error);
  memset (job, 0, sizeof *job);
  job->rows = rows;
  g_mutex_lock (&self->lock);
  job->next = self->unused;
  self->unused = job;
  g_mutex_unlock (&self->lock);
}

static gboolean
enqueue (GstY10Job * self, GstY10InferMode mode, gboolean * queued)
{
  if (mode != GST_Y10_INFER_ALL
      && !y10_engine_stream_replace (self->stream, &self->request, queued,
          &self->error))
    return FALSE;
  if (*queued || mode == GST_Y10_INFER_REPLACE)
    return TRUE;
  *queued = y10_engine_stream_submit (self->stream, &self->request,
      &self->error);
  return *queued;
}

/**
 * gst_y10_job_start:
 * @self: a job
 * @buffer: its frame
 * @format: what the caps say
 * @params: what is wanted; @params.classes is not used
 * @max_running: the most frames of this stream that the engine may infer at a
 *   time
 * @mode: not %GST_Y10_INFER_PASS
 * @queued: (out): whether the engine has it now
 *
 * Hands the frame to the engine, unless its device is lost or there was nothing
 * to replace.
 *
 * Returns: %FALSE when that failed, with @self.error
 */
gboolean
gst_y10_job_start (GstY10Job * self, GstBuffer * buffer,
    const GstY10FrameFormat * format, const Y10HeadParams * params,
    guint max_running, GstY10InferMode mode, gboolean * queued)
{
  *queued = FALSE;
  self->n = -1;
  self->pts = GST_BUFFER_PTS (buffer);
  self->stream = gst_y10_session_begin (self->session);
  if (!self->stream)
    return TRUE;
  self->is_mapped = gst_y10_frame_map (&self->frame, format, buffer,
      &self->error);
  if (!self->is_mapped)
    return FALSE;
  self->params = *params;
  self->params.classes = g_bytes_get_data (self->classes, NULL);
  self->request.size = sizeof self->request;
  self->request.image = &self->frame.image;
  self->request.params = &self->params;
  self->request.detections = self->rows;
  self->request.max_detections = GST_Y10_MAX_DETECTIONS;
  y10_engine_stream_set_max_running (self->stream, max_running);
  return enqueue (self, mode, queued);
}

/**
 * gst_y10_job_is_over:
 * @self: a job that was started
 *
 * Returns: whether gst_y10_job_finish() would not have to wait
 */
gboolean
gst_y10_job_is_over (GstY10Job * self)
{
  return y10_engine_request_wait (&self->request, 0);
}

/* Boxes are relative to the region that was read. */
static void
move_to_frame (GstY10Job * self)
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

/**
 * gst_y10_job_finish:
 * @self: a job
 *
 * Waits for the engine, and lets go of the frame. There is no result where the
 * frame was withdrawn or never queued, or where there is an error.
 */
void
gst_y10_job_finish (GstY10Job * self)
{
  y10_engine_request_wait (&self->request, FOREVER);
  if (self->request.error)
    self->error = g_steal_pointer (&self->request.error);
  else if (self->is_mapped && !self->error)
    self->n = self->request.n_detections;
  unmap (self);
  move_to_frame (self);
}

/**
 * gst_y10_job_get_region:
 * @self: a job that has a result
 *
 * Returns: the part of the frame that was inferred, pixels
 */
GstVideoRectangle
gst_y10_job_get_region (const GstY10Job * self)
{
  const Y10Image *image = &self->frame.image;

  return (GstVideoRectangle) {
    (gint) image->x, (gint) image->y, (gint) image->width, (gint) image->height
  };
}
