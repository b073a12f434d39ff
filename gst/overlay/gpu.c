/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Drawing on frames in CUDA memory. Between begin and end the canvas records
 * the operations that the same code would otherwise draw directly, and the GPU
 * then executes them in place. The element uses the CUDA context of the frames
 * and opens none until a CUDA frame arrives. */

#include "overlay/gpu.h"

#include "common/cuda.h"

struct _GstY10Painter
{
  GstY10Cuda *cuda;    /* context of the frames */
  Y10Painter *painter; /* created in that context */
  GArray *items;       /* Y10PaintItem, of the current frame */
  gpointer stream;     /* of the current frame */
};

/* Borrows @element, which must outlive it. */
GstY10Painter *
gst_y10_painter_new (GstElement *element)
{
  GstY10Painter *self = g_new0 (GstY10Painter, 1);

  self->cuda = gst_y10_cuda_new (element);
  self->items = g_array_sized_new (FALSE, FALSE, sizeof (Y10PaintItem), 1024);
  return self;
}

void
gst_y10_painter_free (GstY10Painter *self)
{
  gst_y10_painter_close (self);
  gst_y10_cuda_free (self->cuda);
  g_array_unref (self->items);
  g_free (self);
}

/* Returns whether CUDA drawing works here; otherwise @error says what is
 * missing. */
gboolean
gst_y10_painter_can (GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  gboolean can = y10_painter_probe (why);

  if (!can)
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        why->str);
  /* Only after the probe, because GStreamer logs a warning if there is no
   * driver. */
  return can && gst_y10_cuda_load (error);
}

/* Releases the context once drawing is done. The next frame opens it again. */
void
gst_y10_painter_close (GstY10Painter *self)
{
  g_clear_pointer (&self->painter, y10_painter_free);
  gst_y10_cuda_close (self->cuda);
}

/* Drops a lost context, which nothing can use any more. Frames in another
 * context may follow. Always returns FALSE. */
static gboolean
give_up_if_lost (GstY10Painter *self, GError **error)
{
  if (!error || !g_error_matches (*error, Y10_ERROR, Y10_ERROR_DEVICE_LOST))
    return FALSE;
  g_clear_pointer (&self->painter, y10_painter_free);
  gst_y10_cuda_lose (self->cuda);
  return FALSE;
}

static gboolean
enter_context (GstY10Painter *self, GstBuffer *buffer, GError **error)
{
  if (gst_y10_cuda_is_lost (self->cuda, buffer)) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST,
        "the frame is in a lost CUDA context");
    return FALSE;
  }
  if (gst_y10_cuda_is_ours (self->cuda, buffer))
    return TRUE;
  g_clear_pointer (&self->painter, y10_painter_free);
  return gst_y10_cuda_adopt (self->cuda, buffer, -1, error);
}

/* Maps @buffer, a writable CUDA frame, until gst_y10_painter_end() and sets up
 * @canvas to record. Fails with Y10_ERROR_DEVICE_LOST if the context is
 * lost. */
gboolean
gst_y10_painter_begin (GstY10Painter *self, const GstVideoInfo *info,
    GstBuffer *buffer, GstVideoFrame *frame, GstY10Canvas *canvas,
    GError **error)
{
  if (!enter_context (self, buffer, error)
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
fill_canvas (Y10Canvas *to, const GstY10Canvas *from)
{
  *to = (Y10Canvas){
    .size = sizeof (Y10Canvas),
    .width = from->window.x1,
    .height = from->window.y1,
    .wide = from->wide,
    .n_components = from->n_components,
  };
  for (guint i = 0; i < from->n_components; i++) {
    const GstY10Component *c = &from->component[i];

    to->component[i] = (Y10PaintComponent){ c->data, c->stride, c->pixel_stride,
      c->x_shift, c->y_shift };
  }
}

/* Executes the recorded operations and unmaps @frame. Waits for the GPU only if
 * the frame has no stream. Errors as gst_y10_painter_begin(). */
gboolean
gst_y10_painter_end (GstY10Painter *self, GstVideoFrame *frame,
    GstY10Canvas *canvas, GError **error)
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
