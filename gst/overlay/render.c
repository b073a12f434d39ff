/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Puts the planned drawings onto a frame of yolov10overlay: as an attached
 * composition or on its pixels, in system memory or on a GPU. Draws all boxes
 * before all badges, so that no box hides a text. */

#include "overlay/element.h"

#include <string.h>

#include "common/elementerror.h"
#include "paint/cover.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_overlay_debug);
#define GST_CAT_DEFAULT gst_yolov10_overlay_debug

static void
hide (GstYolov10Overlay *self, const GstY10Canvas *canvas)
{
  gst_y10_cover (canvas, (const GstY10Rect *) self->covered->data,
      self->covered->len, self->now->privacy, &self->hidden);
}

static void
draw (GstYolov10Overlay *self, const GstY10Canvas *canvas)
{
  const GstY10Drawing *drawings = (GstY10Drawing *) self->drawings->data;
  const GstY10Drawing *outlines = (GstY10Drawing *) self->outlines->data;
  guint i;

  hide (self, canvas);
  if (self->compose)
    return;
  for (i = 0; i < self->outlines->len; i++)
    gst_y10_drawing_box (&outlines[i], &self->style, canvas);
  /* Only those of zones have badges. */
  for (i = 0; i < self->outlines->len; i++)
    gst_y10_drawing_badge (&outlines[i], &self->style, canvas);
  for (i = 0; i < self->drawings->len; i++)
    gst_y10_drawing_box (&drawings[i], &self->style, canvas);
  for (i = 0; i < self->drawings->len; i++)
    gst_y10_drawing_badge (&drawings[i], &self->style, canvas);
}

static gboolean
check_frame (GstYolov10Overlay *self, const GstVideoFrame *frame)
{
  if (frame->info.finfo == self->info.finfo
      && GST_VIDEO_FRAME_WIDTH (frame) >= GST_VIDEO_INFO_WIDTH (&self->info)
      && GST_VIDEO_FRAME_HEIGHT (frame) >= GST_VIDEO_INFO_HEIGHT (&self->info))
    return TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT, ("Cannot draw on the frame."),
      ("Found %s %dx%d in its GstVideoMeta, expected at least %s %dx%d from "
       "the caps",
          frame->info.finfo->name, GST_VIDEO_FRAME_WIDTH (frame),
          GST_VIDEO_FRAME_HEIGHT (frame), self->info.finfo->name,
          GST_VIDEO_INFO_WIDTH (&self->info),
          GST_VIDEO_INFO_HEIGHT (&self->info)));
  return FALSE;
}

static void
include (GstY10Rect *all, const GArray *drawings, const GstY10Style *style)
{
  for (guint i = 0; i < drawings->len; i++) {
    GstY10Rect extent = gst_y10_drawing_extent (&g_array_index (drawings,
                                                    GstY10Drawing, i),
        style);

    all->y0 = MIN (all->y0, extent.y0);
    all->y1 = MAX (all->y1, extent.y1);
  }
}

static void
draw_unpacked (GstYolov10Overlay *self, GstVideoFrame *frame)
{
  GstY10Rect all = { 0, G_MAXINT, 0, 0 };
  GstY10Canvas canvas;
  guint i;

  include (&all, self->outlines, &self->style);
  include (&all, self->drawings, &self->style);
  for (i = 0; i < self->covered->len; i++) {
    GstY10Rect area = g_array_index (self->covered, GstY10Rect, i);

    all.y0 = MIN (all.y0, area.y0);
    all.y1 = MAX (all.y1, area.y1);
  }
  gst_y10_unpacked_load (&self->unpacked, frame, all.y0, all.y1, &canvas);
  draw (self, &canvas);
  gst_y10_unpacked_store (&self->unpacked, frame, all.y0, all.y1);
}

static gboolean
draw_on_frame (GstYolov10Overlay *self, GstBuffer *buffer)
{
  GstVideoFrame frame;
  GstY10Canvas canvas;
  gboolean fits;

  if (!gst_video_frame_map (&frame, &self->info, buffer,
          GST_MAP_READWRITE | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE, ("Cannot draw on the frame."),
        ("Cannot map the memory of %" GST_PTR_FORMAT " for writing", buffer));
    return FALSE;
  }
  fits = check_frame (self, &frame);
  if (fits && self->unpacked.data) {
    draw_unpacked (self, &frame);
  } else if (fits) {
    gst_y10_canvas_init_frame (&canvas, &frame);
    draw (self, &canvas);
  }
  gst_video_frame_unmap (&frame);
  return fits;
}

/* Passes frames of a lost GPU undrawn, as yolov10detect does, but never if
 * privacy should have covered them. Takes ownership of @error. */
static gboolean
pass_undrawn (GstYolov10Overlay *self, GError *error)
{
  gboolean pass = self->now->privacy == GST_YOLOV10_PRIVACY_NONE
      && g_error_matches (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST);

  g_prefix_error (&error,
      pass ? "the GPU is lost, and its frames pass undrawn: "
           : "cannot draw on the frame: ");
  if (!pass)
    GST_Y10_ELEMENT_ERROR (self, error);
  else if (!self->lost)
    GST_Y10_ELEMENT_WARNING (self, error);
  self->lost = pass;
  return pass;
}

static gboolean
draw_on_cuda_frame (GstYolov10Overlay *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  GstVideoFrame frame;
  GstY10Canvas canvas;

  if (gst_y10_painter_begin (self->painter, &self->info, buffer, &frame,
          &canvas, &error)) {
    if (!check_frame (self, &frame)) {
      gst_video_frame_unmap (&frame);
      return FALSE;
    }
    draw (self, &canvas);
    if (gst_y10_painter_end (self->painter, &frame, &canvas, &error)) {
      self->lost = FALSE;
      return TRUE;
    }
  }
  return pass_undrawn (self, error);
}

static gboolean
can_draw (const GstYolov10Overlay *self)
{
  return self->unpacked.data || gst_y10_canvas_supports (self->info.finfo);
}

static void
attach_composition (GstYolov10Overlay *self, GstBuffer *buffer)
{
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (buffer);
  g_autoptr (GstVideoOverlayComposition) composition = meta
      ? gst_video_overlay_composition_copy (meta->overlay)
      : NULL;

  composition =
      gst_y10_drawings_compose ((GstY10Drawing *) self->outlines->data,
          self->outlines->len, &self->style, composition);
  composition =
      gst_y10_drawings_compose ((GstY10Drawing *) self->drawings->data,
          self->drawings->len, &self->style, composition);
  if (!composition)
    return;
  if (meta)
    gst_buffer_remove_meta (buffer, (GstMeta *) meta);
  gst_buffer_add_video_overlay_composition_meta (buffer, composition);
}

/* Covers and draws what was planned for @buffer, which must be writable. Posts
 * errors itself. */
gboolean
gst_y10_overlay_draw (GstYolov10Overlay *self, GstBuffer *buffer)
{
  if (self->covered->len > 0 && !can_draw (self)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("Privacy cannot cover this kind of video."),
        ("Boxes are attached as a composition, but privacy has to change "
         "pixels, and format %s cannot be drawn on. Convert it upstream of "
         "this element.",
            self->info.finfo->name));
    return FALSE;
  }
  if (!self->compose || self->covered->len > 0) {
    if (self->in_cuda ? !draw_on_cuda_frame (self, buffer)
                      : !draw_on_frame (self, buffer))
      return FALSE;
  }
  if (self->compose)
    attach_composition (self, buffer);
  return TRUE;
}
