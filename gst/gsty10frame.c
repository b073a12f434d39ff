/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* GStreamer's view of a picture turned into the engine's. Pixels are never
 * touched or copied: a Y10Image points into the mapped buffer. Colour matrix
 * and range come from the caps. A GstVideoCropMeta restricts what is read; the
 * frame that coordinates refer to stays the whole one, as GstVideoMeta (or,
 * without one, the caps) gives it: that is what an element further down maps
 * and draws on, and what videocrop itself leaves the metadata in. */
#include "gsty10frame.h"

static const struct
{
  GstVideoFormat gst;
  Y10PixelFormat y10;
} formats[] = {
  {GST_VIDEO_FORMAT_RGB, Y10_PIXEL_RGB},
  {GST_VIDEO_FORMAT_BGR, Y10_PIXEL_BGR},
  {GST_VIDEO_FORMAT_RGBx, Y10_PIXEL_RGBX},
  {GST_VIDEO_FORMAT_BGRx, Y10_PIXEL_BGRX},
  {GST_VIDEO_FORMAT_xRGB, Y10_PIXEL_XRGB},
  {GST_VIDEO_FORMAT_xBGR, Y10_PIXEL_XBGR},
  {GST_VIDEO_FORMAT_RGBA, Y10_PIXEL_RGBA},
  {GST_VIDEO_FORMAT_BGRA, Y10_PIXEL_BGRA},
  {GST_VIDEO_FORMAT_ARGB, Y10_PIXEL_ARGB},
  {GST_VIDEO_FORMAT_ABGR, Y10_PIXEL_ABGR},
  {GST_VIDEO_FORMAT_GBR, Y10_PIXEL_GBR},
  {GST_VIDEO_FORMAT_RGBP, Y10_PIXEL_RGBP},
  {GST_VIDEO_FORMAT_NV12, Y10_PIXEL_NV12},
  {GST_VIDEO_FORMAT_NV21, Y10_PIXEL_NV21},
  {GST_VIDEO_FORMAT_I420, Y10_PIXEL_I420},
  {GST_VIDEO_FORMAT_YV12, Y10_PIXEL_YV12},
  {GST_VIDEO_FORMAT_Y42B, Y10_PIXEL_Y42B},
  {GST_VIDEO_FORMAT_Y444, Y10_PIXEL_Y444},
  {GST_VIDEO_FORMAT_YUY2, Y10_PIXEL_YUY2},
  {GST_VIDEO_FORMAT_UYVY, Y10_PIXEL_UYVY},
  {GST_VIDEO_FORMAT_GRAY8, Y10_PIXEL_GRAY8},
  {GST_VIDEO_FORMAT_P010_10LE, Y10_PIXEL_P010},
};

static gboolean
find_pixel_format (GstVideoFormat gst, Y10PixelFormat * y10)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i].gst == gst) {
      *y10 = formats[i].y10;
      return TRUE;
    }
  }
  return FALSE;
}

/* Caps that leave the matrix open mean what GStreamer's own converter takes
 * them for: BT.601 up to PAL's 576 lines, BT.709 above. */
static Y10ColorMatrix
color_matrix (const GstVideoInfo * info)
{
  switch (info->colorimetry.matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT601:
      return Y10_MATRIX_BT601;
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return Y10_MATRIX_BT709;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return Y10_MATRIX_BT2020;
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return Y10_MATRIX_SMPTE240M;
    case GST_VIDEO_COLOR_MATRIX_FCC:
      return Y10_MATRIX_FCC;
    default:
      return GST_VIDEO_INFO_HEIGHT (info) > 576 ? Y10_MATRIX_BT709
          : Y10_MATRIX_BT601;
  }
}

/**
 * gst_y10_frame_format_init:
 * @format: (out caller-allocates): what the caps say
 * @caps: fixed caps
 * @error: %GST_STREAM_ERROR_FORMAT when they are not for us
 */
gboolean
gst_y10_frame_format_init (GstY10FrameFormat * format, const GstCaps * caps,
    GError ** error)
{
  const GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gchar *text;

  memset (format, 0, sizeof *format);
  if (!g_strcmp0 (gst_structure_get_string (structure, "interlace-mode"),
          "alternate")) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot take interlace-mode=alternate, where a buffer is half a "
        "picture: put deinterlace before yolov10detect");
    return FALSE;
  }
  if (!gst_caps_features_is_equal (features,
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)
      || !gst_video_info_from_caps (&format->info, caps)
      || GST_VIDEO_INFO_WIDTH (&format->info) > Y10_MAX_IMAGE_SIZE
      || GST_VIDEO_INFO_HEIGHT (&format->info) > Y10_MAX_IMAGE_SIZE
      || !find_pixel_format (GST_VIDEO_INFO_FORMAT (&format->info),
          &format->image.format)) {
    text = gst_caps_to_string (caps);
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot take %s: expected video/x-raw in system memory, up to %dx%d "
        "pixels, in a format such as NV12, I420 or RGB; put videoconvert "
        "before yolov10detect", text, Y10_MAX_IMAGE_SIZE, Y10_MAX_IMAGE_SIZE);
    g_free (text);
    return FALSE;
  }
  format->image.memory = Y10_MEMORY_HOST;
  format->image.matrix = color_matrix (&format->info);
  format->image.full_range =
      format->info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  return TRUE;
}

/**
 * gst_y10_frame_map:
 * @frame: (out caller-allocates): the frame; unmap with gst_y10_frame_unmap()
 * @format: what the caps said
 * @buffer: the buffer; not writable until @frame is unmapped
 * @error: %GST_STREAM_ERROR_FORMAT when the buffer is not what the caps say
 *
 * Maps a frame for reading. Allocates nothing.
 */
gboolean
gst_y10_frame_map (GstY10Frame * frame, const GstY10FrameFormat * format,
    GstBuffer * buffer, GError ** error)
{
  const GstVideoCropMeta *crop;
  Y10Image *image = &frame->image;

  if (!gst_video_frame_map (&frame->frame, &format->info, buffer,
          GST_MAP_READ)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot map a frame of %" G_GSIZE_FORMAT " bytes, expected %dx%d %s "
        "of %" G_GSIZE_FORMAT " bytes", gst_buffer_get_size (buffer),
        GST_VIDEO_INFO_WIDTH (&format->info),
        GST_VIDEO_INFO_HEIGHT (&format->info),
        GST_VIDEO_INFO_NAME (&format->info),
        GST_VIDEO_INFO_SIZE (&format->info));
    return FALSE;
  }

  frame->width = GST_VIDEO_FRAME_WIDTH (&frame->frame);
  frame->height = GST_VIDEO_FRAME_HEIGHT (&frame->frame);
  *image = format->image;
  image->width = frame->width;
  image->height = frame->height;
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES (&frame->frame); i++) {
    image->plane[i] = GST_VIDEO_FRAME_PLANE_DATA (&frame->frame, i);
    image->stride[i] = GST_VIDEO_FRAME_PLANE_STRIDE (&frame->frame, i);
  }

  crop = gst_buffer_get_video_crop_meta (buffer);
  if (crop && crop->x < frame->width && crop->y < frame->height
      && crop->width && crop->height) {
    image->x = crop->x;
    image->y = crop->y;
    image->width = MIN (crop->width, frame->width - crop->x);
    image->height = MIN (crop->height, frame->height - crop->y);
  }
  return TRUE;
}

/**
 * gst_y10_frame_unmap:
 * @frame: a mapped frame
 */
void
gst_y10_frame_unmap (GstY10Frame * frame)
{
  gst_video_frame_unmap (&frame->frame);
}
