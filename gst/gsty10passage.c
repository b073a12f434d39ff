/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What a frame goes through between coming and leaving: its pixels are mapped
 * and handed to the engine, the result is waited for and copied, the frame is
 * unmapped (before that its buffer is not writable), and metadata is written on
 * it: its own boxes, or those of an earlier frame. Each step is one thread's at
 * a time, though not always the same; gsty10flight.c says whose. What goes
 * wrong stays in the passage until it is its turn to leave. */
#include "gsty10passage.h"

#include <string.h>

#define FOREVER -1

/**
 * gst_y10_passage_now:
 *
 * Returns: the time, nanoseconds
 */
gint64
gst_y10_passage_now (void)
{
  return g_get_monotonic_time () * 1000;
}

/**
 * gst_y10_passage_begin:
 * @self: (out caller-allocates): where a passage has ended, or zeros and rows
 * @buffer: (transfer full): a frame
 * @session: what it is inferred with, if it is
 * @wanted: what is wanted of it
 * @info: what the caps say
 * @came_at: when it came
 */
void
gst_y10_passage_begin (GstY10Passage * self, GstBuffer * buffer,
    GstY10Session * session, const GstY10Wanted * wanted,
    const GstVideoInfo * info, gint64 came_at)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  self->buffer = buffer;
  self->session = gst_y10_session_ref (session);
  self->classes = gst_y10_session_get_classes (session);
  self->hints = gst_y10_session_get_encoder_hints (session);
  self->wanted = *wanted;
  self->width = meta ? meta->width : (guint) GST_VIDEO_INFO_WIDTH (info);
  self->height = meta ? meta->height : (guint) GST_VIDEO_INFO_HEIGHT (info);
  self->came_at = came_at;
  self->n = -1;
}

/**
 * gst_y10_passage_start:
 * @self: a passage whose frame is to be inferred
 * @format: what the caps say
 *
 * Hands the frame to the engine. Where the engine has gone meanwhile it passes
 * without.
 *
 * Returns: %FALSE when that failed; the error is kept
 */
gboolean
gst_y10_passage_start (GstY10Passage * self, const GstY10FrameFormat * format)
{
  self->began_at = gst_y10_passage_now ();
  self->stream = gst_y10_session_begin (self->session);
  if (!self->stream) {
    self->lost = TRUE;
    return TRUE;
  }
  self->is_mapped = gst_y10_frame_map (&self->frame, format, self->buffer,
      &self->error);
  if (!self->is_mapped)
    return FALSE;
  self->width = self->frame.width;
  self->height = self->frame.height;
  self->request = (Y10EngineFrame) {
    .image = self->frame.image,.params = self->wanted.params,
    .detections = self->rows,.max_detections = GST_Y10_MAX_DETECTIONS,
  };
  self->request.params.classes = g_bytes_get_data (self->classes, NULL);
  return y10_engine_stream_submit (self->stream, &self->request,
      &self->error);
}

/* Boxes are relative to the region that was read. */
static void
move_to_frame (GstY10Passage * self)
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

/* Also where there is no result. */
static void
unmap (GstY10Passage * self)
{
  if (self->is_mapped)
    gst_y10_frame_unmap (&self->frame);
  self->is_mapped = FALSE;
}

/**
 * gst_y10_passage_poll:
 * @self: a passage that was started
 *
 * Returns: whether gst_y10_passage_wait() would not have to wait
 */
gboolean
gst_y10_passage_poll (GstY10Passage * self)
{
  return y10_engine_frame_wait (&self->request, 0);
}

/**
 * gst_y10_passage_wait:
 * @self: a passage that was started
 *
 * Waits for the result. Afterwards the engine has nothing of this frame. There
 * is none where it was withdrawn.
 */
void
gst_y10_passage_wait (GstY10Passage * self)
{
  y10_engine_frame_wait (&self->request, FOREVER);
  if (self->request.error)
    self->error = g_steal_pointer (&self->request.error);
  else if (self->stream && !self->error)
    self->n = self->request.n_detections;
  if (self->n >= 0)
    self->took = gst_y10_passage_now () - self->began_at;
  unmap (self);
  move_to_frame (self);
}

/* Boxes that are held over from another model have its classes. */
static void
look_at_hints (GstY10Passage * self, GstY10Session * session)
{
  if (!self->hints || session == self->session)
    return;
  gst_y10_hints_unref (self->hints);
  self->hints = gst_y10_session_get_encoder_hints (session);
}

/**
 * gst_y10_passage_attach:
 * @self: a passage whose frame leaves
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
gst_y10_passage_attach (GstY10Passage * self, GstY10Hold * hold,
    GstY10Findings * findings, GstY10Session ** session)
{
  static const gchar *const names[] = { "fresh", "held", "skipped" };
  const GstY10Wanted *wanted = &self->wanted;
  GstY10Inference inference = GST_Y10_SKIPPED;
  GstClockTime pts = GST_BUFFER_PTS (self->buffer);

  *session = self->session;
  findings->attach = wanted->attach;
  findings->width = self->width;
  findings->height = self->height;
  findings->age = 0;
  findings->detections = NULL;
  findings->n_detections = 0;
  if (self->n >= 0) {
    inference = GST_Y10_FRESH;
    findings->detections = self->rows;
    findings->n_detections = self->n;
    gst_y10_hold_keep (hold, self->session, pts, self->width, self->height,
        self->rows, self->n);
  } else if (self->lost) {
    gst_y10_hold_forget (hold);
  } else if (wanted->skipped_boxes == GST_YOLOV10_BOXES_HOLD
      && gst_y10_hold_find (hold, pts, wanted->max_hold, self->width,
          self->height, &findings->age)) {
    inference = GST_Y10_HELD;
    *session = hold->session;
    findings->detections = hold->detections;
    findings->n_detections = hold->n;
  } else {
    findings->age = 0;
  }
  findings->inference = names[inference];
  look_at_hints (self, *session);
  findings->hints = self->hints;
  self->buffer = gst_buffer_make_writable (self->buffer);
  gst_y10_attacher_attach ((*session)->attacher, self->buffer, findings);
  return inference;
}

/**
 * gst_y10_passage_end:
 * @self: a passage; its buffer or event is freed unless it was taken away
 *
 * Leaves it as gst_y10_passage_begin() wants it. An inference that has begun is
 * waited for, because it reads the frame.
 */
void
gst_y10_passage_end (GstY10Passage * self)
{
  Y10Detection *rows = self->rows;

  y10_engine_frame_end (&self->request);
  unmap (self);
  if (self->stream)
    gst_y10_session_end (self->session, self->stream);
  g_clear_pointer (&self->session, gst_y10_session_unref);
  g_clear_pointer (&self->classes, g_bytes_unref);
  g_clear_pointer (&self->hints, gst_y10_hints_unref);
  g_clear_error (&self->error);
  gst_clear_buffer (&self->buffer);
  gst_clear_event (&self->event);
  memset (self, 0, sizeof *self);
  self->rows = rows;
}
