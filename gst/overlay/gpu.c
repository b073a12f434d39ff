/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Frames in CUDA memory are drawn on where they lie: between begin and end a
 * canvas writes down what the same code draws at once elsewhere, and the GPU
 * does it. Frames say which context that is: none is opened for an element that
 * may never see one. */

#include "overlay/gpu.h"

#include "common/cuda.h"

struct _GstY10Painter
{
  GstY10Cuda *cuda;             /* the context of the frames */
  Y10Painter *painter;          /* in there */
  GArray *items;                /* Y10PaintItem, of this frame */
  gpointer stream;              /* of this frame */
};

/**
 * gst_y10_painter_new:
 * @element: who it is for, and who outlives it
 *
 * Returns: (transfer full): one that no frame has come to yet
 */
GstY10Painter *
gst_y10_painter_new (GstElement * element)
{
  GstY10Painter *self = g_new0 (GstY10Painter, 1);

  self->cuda = gst_y10_cuda_new (element);
  self->items = g_array_sized_new (FALSE, FALSE, sizeof (Y10PaintItem), 1024);
  return self;
}

void
gst_y10_painter_free (GstY10Painter * self)
{
  gst_y10_painter_close (self);
  gst_y10_cuda_free (self->cuda);
  g_array_unref (self->items);
  g_free (self);
}

/**
 * gst_y10_painter_can:
 * @error: what is missing
 *
 * Returns: %TRUE if frames in CUDA memory can be drawn on
 */
gboolean
gst_y10_painter_can (GError ** error)
{
  GString *why = g_string_new (NULL);
  gboolean can = y10_painter_probe (why);

  if (!can)
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        why->str);
  g_string_free (why, TRUE);
  /* Afterwards: where there is no driver GStreamer warns of that. */
  return can && gst_y10_cuda_load (error);
}

/**
 * gst_y10_painter_close:
 *
 * Lets the context go, when all is drawn. The next frame opens it again.
 */
void
gst_y10_painter_close (GstY10Painter * self)
{
  g_clear_pointer (&self->painter, y10_painter_free);
  if (self->cuda)
    gst_y10_cuda_close (self->cuda);
}

/* Nothing can be done in a context that is lost, by anybody; frames of another
 * one may come. */
static gboolean
give_up_if_lost (GstY10Painter * self, GError ** error)
{
  if (!error || !g_error_matches (*error, Y10_ERROR, Y10_ERROR_DEVICE_LOST))
    return FALSE;
  g_clear_pointer (&self->painter, y10_painter_free);
  gst_y10_cuda_lose (self->cuda);
  return FALSE;
}

static gboolean
follow_frames (GstY10Painter * self, GstBuffer * buffer, GError ** error)
{
  if (gst_y10_cuda_is_lost (self->cuda, buffer)) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST,
        "the frame lies in a CUDA context that is lost");
    return FALSE;
  }
  if (gst_y10_cuda_is_ours (self->cuda, buffer))
    return TRUE;
  g_clear_pointer (&self->painter, y10_painter_free);
  return gst_y10_cuda_adopt (self->cuda, buffer, -1, error);
}

/**
 * gst_y10_painter_begin:
 * @info: what the caps say
 * @buffer: a frame in CUDA memory, writable
 * @frame: (out caller-allocates): the frame, mapped for the GPU until
 *   gst_y10_painter_end()
 * @canvas: (out caller-allocates): what to draw on
 * @error: what is wrong with the frame or the GPU; %Y10_ERROR_DEVICE_LOST when
 *   nobody can draw there any more
 */
gboolean
gst_y10_painter_begin (GstY10Painter * self, const GstVideoInfo * info,
    GstBuffer * buffer, GstVideoFrame * frame, GstY10Canvas * canvas,
    GError ** error)
{
  if (!follow_frames (self, buffer, error)
      || !gst_y10_cuda_map (frame, info, buffer, GST_MAP_READWRITE,
          &self->stream, error))
    return FALSE;
  if (!self->painter)
    self->painter = y10_painter_new (gst_y10_cuda_get_handle (self->cuda),
        error);
  if (!self->painter) {
    gst_video_frame_unmap (frame);
    return give_up_if_lost (self, error);
  }
  gst_y10_canvas_init_frame (canvas, frame);
  g_array_set_size (self->items, 0);
  canvas->record = self->items;
  return TRUE;
}

static void
fill_canvas (Y10Canvas * to, const GstY10Canvas * from)
{
  *to = (Y10Canvas) {.size = sizeof (Y10Canvas),
    .width = from->window.x1, .height = from->window.y1, .wide = from->wide,
    .n_components = from->n_components
  };
  for (guint i = 0; i < from->n_components; i++) {
    const GstY10Component *c = &from->component[i];

    to->component[i] = (Y10PaintComponent) {
      c->data, c->stride, c->pixel_stride, c->x_shift, c->y_shift
    };
  }
}

/**
 * gst_y10_painter_end:
 * @frame: as gst_y10_painter_begin() left it
 * @canvas: what was drawn on
 * @error: what the GPU said, as gst_y10_painter_begin() does
 *
 * Has the GPU draw. Waits for it only where the frame has no stream.
 */
gboolean
gst_y10_painter_end (GstY10Painter * self, GstVideoFrame * frame,
    GstY10Canvas * canvas, GError ** error)
{
  const Y10PaintItem *items = (Y10PaintItem *) self->items->data;
  GstBuffer *buffer = frame->buffer;
  Y10Canvas target;
  gboolean ok;

  fill_canvas (&target, canvas);
  ok = y10_painter_draw (self->painter, &target, items, self->items->len,
      self->stream, error);
  gst_video_frame_unmap (frame);
  gst_y10_cuda_set_written (buffer);
  return ok || give_up_if_lost (self, error);
}
