/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Maps GStreamer frames to the engine's images without touching or copying
 * pixels: a Y10Image points into the mapped buffer, in system or CUDA memory.
 * Colour matrix and range come from the caps. A GstVideoCropMeta restricts
 * which part is read, but coordinates refer to the whole frame as described by
 * GstVideoMeta or else the caps. That is the frame downstream elements map and
 * draw on, and the one videocrop itself keeps metadata relative to. */
#include "common/frame.h"

static const struct
{
  GstVideoFormat gst;
  Y10PixelFormat y10;
} formats[] = {
  { GST_VIDEO_FORMAT_RGB, Y10_PIXEL_RGB },
  { GST_VIDEO_FORMAT_BGR, Y10_PIXEL_BGR },
  { GST_VIDEO_FORMAT_RGBx, Y10_PIXEL_RGBX },
  { GST_VIDEO_FORMAT_BGRx, Y10_PIXEL_BGRX },
  { GST_VIDEO_FORMAT_xRGB, Y10_PIXEL_XRGB },
  { GST_VIDEO_FORMAT_xBGR, Y10_PIXEL_XBGR },
  { GST_VIDEO_FORMAT_RGBA, Y10_PIXEL_RGBA },
  { GST_VIDEO_FORMAT_BGRA, Y10_PIXEL_BGRA },
  { GST_VIDEO_FORMAT_ARGB, Y10_PIXEL_ARGB },
  { GST_VIDEO_FORMAT_ABGR, Y10_PIXEL_ABGR },
  { GST_VIDEO_FORMAT_GBR, Y10_PIXEL_GBR },
  { GST_VIDEO_FORMAT_RGBP, Y10_PIXEL_RGBP },
  { GST_VIDEO_FORMAT_NV12, Y10_PIXEL_NV12 },
  { GST_VIDEO_FORMAT_NV21, Y10_PIXEL_NV21 },
  { GST_VIDEO_FORMAT_I420, Y10_PIXEL_I420 },
  { GST_VIDEO_FORMAT_YV12, Y10_PIXEL_YV12 },
  { GST_VIDEO_FORMAT_Y42B, Y10_PIXEL_Y42B },
  { GST_VIDEO_FORMAT_Y444, Y10_PIXEL_Y444 },
  { GST_VIDEO_FORMAT_YUY2, Y10_PIXEL_YUY2 },
  { GST_VIDEO_FORMAT_UYVY, Y10_PIXEL_UYVY },
  { GST_VIDEO_FORMAT_GRAY8, Y10_PIXEL_GRAY8 },
  { GST_VIDEO_FORMAT_P010_10LE, Y10_PIXEL_P010 },
};

static gboolean
find_pixel_format (GstVideoFormat gst, Y10PixelFormat *y10)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i].gst == gst) {
      *y10 = formats[i].y10;
      return TRUE;
    }
  }
  return FALSE;
}

/* Without a matrix in the caps, use that of GStreamer's converter: BT.601 up to
 * PAL's 576 lines, BT.709 above. */
static Y10ColorMatrix
color_matrix (const GstVideoInfo *info)
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

static gboolean
is_cuda (GstCapsFeatures *features, GstStructure *structure, gpointer unused)
{
  return gst_caps_features_contains (features, GST_Y10_FEATURE_CUDA);
}

static gboolean
is_not_cuda (GstCapsFeatures *features, GstStructure *structure,
    gpointer unused)
{
  return !is_cuda (features, structure, unused);
}

/* Returns the pad template caps. CUDA memory comes first, because decoders pick
 * the first caps they support. */
GstCaps *
gst_y10_frame_get_caps (void)
{
  GstCaps *caps = gst_caps_make_writable (gst_y10_cuda_get_caps ());

  gst_caps_append (caps, gst_caps_from_string (GST_Y10_FRAME_CAPS));
  return caps;
}

/* Returns a copy of @caps without CUDA memory. */
GstCaps *
gst_y10_frame_system_caps (GstCaps *caps)
{
  GstCaps *system = gst_caps_copy (caps);

  gst_caps_filter_and_map_in_place (system, is_not_cuda, NULL);
  return system;
}

/* Adds @n_frames to the pools that downstream proposed, or proposes a pool. For
 * CUDA memory also adds GstVideoMeta: the layout may differ from the caps. */
void
gst_y10_frame_propose (GstQuery *query, gboolean cuda, guint n_frames)
{
  guint n = gst_query_get_n_allocation_pools (query), size, min, max;
  GstBufferPool *pool;
  GstVideoInfo info;
  GstCaps *caps;

  if (cuda
      && !gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  for (guint i = 0; i < n; i++) {
    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    min += n_frames;
    if (max && max < min)
      max = min;
    gst_query_set_nth_allocation_pool (query, i, pool, size, min, max);
    gst_clear_object (&pool);
  }
  if (n)
    return;
  gst_query_parse_allocation (query, &caps, NULL);
  if (caps && gst_video_info_from_caps (&info, caps))
    gst_query_add_allocation_pool (query, NULL, GST_VIDEO_INFO_SIZE (&info),
        n_frames + 1, 0);
}

static void
refuse_caps (const GstCaps *caps, gboolean cuda, GError **error)
{
  g_autofree gchar *text = gst_caps_to_string (caps);
  gboolean in_cuda = gst_caps_features_contains (gst_caps_get_features (caps,
                                                     0),
      GST_Y10_FEATURE_CUDA);

  if (in_cuda && !cuda)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot accept %s: only backend cuda reads CUDA memory, and it does "
        "not run here; expected system memory; add cudadownload before "
        "yolov10detect",
        text);
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot accept %s: expected video/x-raw in system memory%s, up to "
        "%dx%d pixels, in a format such as NV12, I420 or RGB; add %s before "
        "yolov10detect",
        text, cuda ? " or CUDA memory" : "", Y10_MAX_IMAGE_SIZE,
        Y10_MAX_IMAGE_SIZE, in_cuda ? "cudaconvert" : "videoconvert");
}

/* Returns TRUE if the pad template includes these caps. */
static gboolean
find_memory (const GstCaps *caps, gboolean cuda, Y10Memory *memory)
{
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  g_autoptr (GstCaps) cuda_caps = NULL;

  *memory = Y10_MEMORY_HOST;
  if (gst_caps_features_is_equal (features,
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    return TRUE;
  if (!cuda)
    return FALSE;
  *memory = Y10_MEMORY_CUDA;
  cuda_caps = gst_y10_cuda_get_caps ();
  return gst_caps_can_intersect (caps, cuda_caps);
}

/* Parses fixed @caps. @cuda tells whether CUDA memory is accepted. */
gboolean
gst_y10_frame_format_init (GstY10FrameFormat *format, const GstCaps *caps,
    gboolean cuda, GError **error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  memset (format, 0, sizeof *format);
  if (!g_strcmp0 (gst_structure_get_string (structure, "interlace-mode"),
          "alternate")) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot accept interlace-mode=alternate, where a buffer holds a single "
        "field: add deinterlace before yolov10detect");
    return FALSE;
  }
  if (!find_memory (caps, cuda, &format->image.memory)
      || !gst_video_info_from_caps (&format->info, caps)
      || GST_VIDEO_INFO_WIDTH (&format->info) > Y10_MAX_IMAGE_SIZE
      || GST_VIDEO_INFO_HEIGHT (&format->info) > Y10_MAX_IMAGE_SIZE
      || !find_pixel_format (GST_VIDEO_INFO_FORMAT (&format->info),
          &format->image.format)) {
    refuse_caps (caps, cuda, error);
    return FALSE;
  }
  format->image.size = sizeof format->image;
  format->image.matrix = color_matrix (&format->info);
  format->image.full_range = format->info.colorimetry.range
      == GST_VIDEO_COLOR_RANGE_0_255;
  if (!gst_y10_frame_format_is_odd (format)) {
    format->image.par_n = (guint) GST_VIDEO_INFO_PAR_N (&format->info);
    format->image.par_d = (guint) GST_VIDEO_INFO_PAR_D (&format->info);
  }
  return TRUE;
}

/* Returns whether the pixel aspect ratio of the caps is ignored, because no picture
 * has such pixels. */
gboolean
gst_y10_frame_format_is_odd (const GstY10FrameFormat *format)
{
  const gint64 n = GST_VIDEO_INFO_PAR_N (&format->info);
  const gint64 d = GST_VIDEO_INFO_PAR_D (&format->info);

  return n <= 0 || d <= 0 || n > d * Y10_MAX_PIXEL_ASPECT_RATIO
      || d > n * Y10_MAX_PIXEL_ASPECT_RATIO;
}

static gboolean
map_system (GstVideoFrame *frame, const GstVideoInfo *info, GstBuffer *buffer,
    GError **error)
{
  if (gst_video_frame_map (frame, info, buffer, GST_MAP_READ))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "cannot map a frame of %" G_GSIZE_FORMAT " bytes, expected %dx%d %s "
      "of %" G_GSIZE_FORMAT " bytes",
      gst_buffer_get_size (buffer), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_NAME (info),
      GST_VIDEO_INFO_SIZE (info));
  return FALSE;
}

/* Maps a frame for reading, without allocating. The buffer is not writable
 * until gst_y10_frame_unmap(). Fails if it does not match the caps. */
gboolean
gst_y10_frame_map (GstY10Frame *frame, const GstY10FrameFormat *format,
    GstBuffer *buffer, GError **error)
{
  const GstVideoCropMeta *crop;
  Y10Image *image = &frame->image;
  gpointer stream = NULL;

  if (format->image.memory == Y10_MEMORY_CUDA
          ? !gst_y10_cuda_map (&frame->frame, &format->info, buffer,
              GST_MAP_READ, &stream, error)
          : !map_system (&frame->frame, &format->info, buffer, error))
    return FALSE;

  frame->width = GST_VIDEO_FRAME_WIDTH (&frame->frame);
  frame->height = GST_VIDEO_FRAME_HEIGHT (&frame->frame);
  *image = format->image;
  image->cuda_stream = stream;
  image->width = frame->width;
  image->height = frame->height;
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES (&frame->frame); i++) {
    image->plane[i] = GST_VIDEO_FRAME_PLANE_DATA (&frame->frame, i);
    image->stride[i] = GST_VIDEO_FRAME_PLANE_STRIDE (&frame->frame, i);
  }

  crop = gst_buffer_get_video_crop_meta (buffer);
  if (crop && crop->x < frame->width && crop->y < frame->height && crop->width
      && crop->height) {
    image->x = crop->x;
    image->y = crop->y;
    image->width = MIN (crop->width, frame->width - crop->x);
    image->height = MIN (crop->height, frame->height - crop->y);
  }
  return TRUE;
}

void
gst_y10_frame_unmap (GstY10Frame *frame)
{
  gst_video_frame_unmap (&frame->frame);
}
