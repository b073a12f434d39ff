/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Makes JPEG of frames by GStreamer's converter and encoder, which live as long as the
 * maker. The encoder stands between two pads of ours, so that it works in the thread that
 * calls, without a pipeline. A frame is untrusted: caps, video meta and memory may not fit
 * each other. */
#include "publish/picture.h"

#include <math.h>
#include <string.h>

#define QUALITY 85
#define MAX_SIDE 65500 /* of libjpeg */

/* Around an object: part of its sides. */
#define MARGIN 0.1
#define MIN_SIDE 16

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

struct _GstY10PictureMaker
{
  GstElement *encoder;
  GstPad *src, *sink;
  gboolean began;
  GstVideoInfo encoded; /* the latest caps */
  GstClockTime time;
  GBytes *jpeg;

  GstVideoConverter *converter;
  GstVideoInfo from, to;
  GstVideoRectangle part; /* of the frames, which the picture shows */
  GstBuffer *picture;     /* the frame that was taken, as I420 */
};

/* Takes what the encoder has made. */
static GstFlowReturn
on_jpeg (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstY10PictureMaker *self = gst_pad_get_element_private (pad);
  gpointer data;
  gsize size;

  gst_buffer_extract_dup (buffer, 0, (gsize) -1, &data, &size);
  gst_buffer_unref (buffer);
  g_clear_pointer (&self->jpeg, g_bytes_unref);
  self->jpeg = g_bytes_new_take (data, size);
  return GST_FLOW_OK;
}

static gboolean
link_encoder (GstY10PictureMaker *self)
{
  g_autoptr (GstPad)
      encoder_sink = gst_element_get_static_pad (self->encoder, "sink");
  g_autoptr (GstPad)
      encoder_src = gst_element_get_static_pad (self->encoder, "src");

  self->src = gst_object_ref_sink (
      gst_pad_new_from_static_template (&src_template, "src"));
  self->sink = gst_object_ref_sink (
      gst_pad_new_from_static_template (&sink_template, "sink"));
  gst_pad_set_element_private (self->sink, self);
  gst_pad_set_chain_function (self->sink, on_jpeg);
  return encoder_sink && encoder_src
      && gst_pad_link (self->src, encoder_sink) == GST_PAD_LINK_OK
      && gst_pad_link (encoder_src, self->sink) == GST_PAD_LINK_OK
      && gst_pad_set_active (self->src, TRUE)
      && gst_pad_set_active (self->sink, TRUE)
      && gst_element_set_state (self->encoder, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE;
}

/**
 * gst_y10_picture_maker_new:
 * @error: says what is missing
 *
 * Returns: (transfer full): a maker, for one thread at a time, or %NULL with an error
 */
GstY10PictureMaker *
gst_y10_picture_maker_new (GError **error)
{
  GstY10PictureMaker *self = g_new0 (GstY10PictureMaker, 1);

  self->encoder = gst_element_factory_make ("jpegenc", NULL);
  if (self->encoder) {
    gst_object_ref_sink (self->encoder);
    g_object_set (self->encoder, "quality", QUALITY, NULL);
    if (link_encoder (self))
      return self;
  }
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
      "%s; expected jpegenc, which Debian has in gstreamer1.0-plugins-good",
      self->encoder ? "jpegenc does not work" : "GStreamer has no jpegenc");
  gst_y10_picture_maker_free (self);
  return NULL;
}

void
gst_y10_picture_maker_free (GstY10PictureMaker *self)
{
  if (!self)
    return;
  if (self->encoder)
    gst_element_set_state (self->encoder, GST_STATE_NULL);
  if (self->src)
    gst_pad_set_active (self->src, FALSE);
  if (self->sink)
    gst_pad_set_active (self->sink, FALSE);
  gst_clear_object (&self->src);
  gst_clear_object (&self->sink);
  gst_clear_object (&self->encoder);
  g_clear_pointer (&self->jpeg, g_bytes_unref);
  g_clear_pointer (&self->converter, gst_video_converter_free);
  gst_clear_buffer (&self->picture);
  g_free (self);
}

/* An I420 picture as JPEG has it. The encoder may read some bytes behind each row. */
static GstBuffer *
allocate (GstVideoInfo *info, gint width, gint height)
{
  GstVideoAlignment align;
  GstBuffer *buffer;

  gst_video_info_set_format (info, GST_VIDEO_FORMAT_I420, (guint) width,
      (guint) height);
  info->colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  info->colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  gst_video_alignment_reset (&align);
  align.padding_right = 32;
  align.padding_bottom = 32;
  if (!gst_video_info_align (info, &align))
    return NULL;
  buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  if (!buffer)
    return NULL;
  gst_buffer_memset (buffer, 0, 128, info->size);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_I420, (guint) width, (guint) height, 3, info->offset,
      info->stride);
  return buffer;
}

static gboolean
fail_format (const GstVideoInfo *info, GError **error)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "cannot make pictures of frames: found %s %dx%d; expected progressive or "
      "interleaved raw video that GStreamer can convert, of at most %dx%d",
      info->finfo ? info->finfo->name : "no format", info->width, info->height,
      MAX_SIDE, MAX_SIDE);
  return FALSE;
}

/* Gives @info the size of the whole frame, which boxes refer to, and finds the part of it
 * that is shown. Where elements upstream cut frames by metadata, the caps have the size of
 * what is shown. */
static void
find_part (GstBuffer *frame, GstVideoInfo *info, GstVideoRectangle *part)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (frame);
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (frame);
  guint width, height;

  *part = (GstVideoRectangle){ 0, 0, info->width, info->height };
  if (meta) {
    info->width = (gint) MIN (meta->width, G_MAXINT);
    info->height = (gint) MIN (meta->height, G_MAXINT);
  }
  width = (guint) MAX (info->width, 0);
  height = (guint) MAX (info->height, 0);
  if (crop && crop->x < width && crop->y < height && crop->width
      && crop->height)
    *part = (GstVideoRectangle){ (gint) crop->x, (gint) crop->y,
      (gint) MIN (crop->width, width - crop->x),
      (gint) MIN (crop->height, height - crop->y) };
}

static gboolean
is_readable (const GstVideoInfo *info)
{
  return info->finfo && info->finfo->unpack_func && info->width >= 1
      && info->height >= 1 && info->width <= MAX_SIDE
      && info->height <= MAX_SIDE
      && GST_VIDEO_INFO_INTERLACE_MODE (info)
      != GST_VIDEO_INTERLACE_MODE_ALTERNATE;
}

static gboolean
is_same_part (const GstVideoRectangle *a, const GstVideoRectangle *b)
{
  return a->x == b->x && a->y == b->y && a->w == b->w && a->h == b->h;
}

/* Prepares for frames of that kind, of which @part is shown. */
static gboolean
prepare (GstY10PictureMaker *self, const GstVideoInfo *info,
    const GstVideoRectangle *part, GError **error)
{
  if (self->converter && gst_video_info_is_equal (&self->from, info)
      && is_same_part (&self->part, part))
    return TRUE;
  g_clear_pointer (&self->converter, gst_video_converter_free);
  gst_clear_buffer (&self->picture);
  if (!is_readable (info))
    return fail_format (info, error);
  self->picture = allocate (&self->to, part->w, part->h);
  if (!self->picture)
    return fail_format (info, error);
  self->from = *info;
  self->part = *part;
  /* The converter wants these to be equal. */
  self->to.fps_n = info->fps_n;
  self->to.fps_d = info->fps_d;
  self->to.interlace_mode = info->interlace_mode;
  self->to.colorimetry.transfer = info->colorimetry.transfer;
  self->to.colorimetry.primaries = info->colorimetry.primaries;
  self->converter = gst_video_converter_new (&self->from, &self->to,
      gst_structure_new ("part", GST_VIDEO_CONVERTER_OPT_SRC_X, G_TYPE_INT,
          part->x, GST_VIDEO_CONVERTER_OPT_SRC_Y, G_TYPE_INT, part->y,
          GST_VIDEO_CONVERTER_OPT_SRC_WIDTH, G_TYPE_INT, part->w,
          GST_VIDEO_CONVERTER_OPT_SRC_HEIGHT, G_TYPE_INT, part->h, NULL));
  return self->converter || fail_format (info, error);
}

/* What an overlay has attached to the whole frame and left to downstream to draw. */
static void
blend (GstY10PictureMaker *self, GstBuffer *frame, GstVideoFrame *picture)
{
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (frame);
  g_autoptr (GstVideoOverlayComposition) moved = NULL;

  if (!meta || !meta->overlay)
    return;
  moved = gst_video_overlay_composition_copy (meta->overlay);
  for (guint i = 0; i < gst_video_overlay_composition_n_rectangles (moved);
       i++) {
    GstVideoOverlayRectangle *rectangle =
        gst_video_overlay_composition_get_rectangle (moved, i);
    guint width, height;
    gint x, y;

    gst_video_overlay_rectangle_get_render_rectangle (rectangle, &x, &y, &width,
        &height);
    gst_video_overlay_rectangle_set_render_rectangle (rectangle,
        x - self->part.x, y - self->part.y, width, height);
  }
  gst_video_overlay_composition_blend (moved, picture);
}

/* GStreamer takes it for a bug where video meta does not fit the caps. */
static gboolean
fits_meta (GstBuffer *frame, const GstVideoInfo *info, GError **error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (frame);

  if (!meta
      || (meta->format == GST_VIDEO_INFO_FORMAT (info)
          && meta->width >= (guint) info->width
          && meta->height >= (guint) info->height))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "cannot make pictures of frames: found %s %ux%u in a GstVideoMeta; expected %s "
      "%dx%d as in the caps",
      gst_video_format_to_string (meta->format), meta->width, meta->height,
      info->finfo ? info->finfo->name : "no format", info->width, info->height);
  return FALSE;
}

/**
 * gst_y10_picture_maker_take:
 * @self: a maker
 * @frame: a frame, which is not needed afterwards
 * @info: of its caps
 *
 * Converts a frame, of which then gst_y10_picture_maker_encode() makes pictures. They show
 * what is inside its #GstVideoCropMeta, if it has one.
 *
 * Returns: %FALSE with an error if GStreamer cannot read or convert it
 */
gboolean
gst_y10_picture_maker_take (GstY10PictureMaker *self, GstBuffer *frame,
    const GstVideoInfo *info, GError **error)
{
  GstVideoInfo whole = *info;
  GstVideoFrame in, out;
  GstVideoRectangle part;
  gboolean ok;

  find_part (frame, &whole, &part);
  if (!fits_meta (frame, info, error) || !prepare (self, &whole, &part, error))
    return FALSE;
  if (!gst_video_frame_map (&in, info, frame, GST_MAP_READ)) {
    const GstMemory *memory = gst_buffer_n_memory (frame)
        ? gst_buffer_peek_memory (frame, 0)
        : NULL;

    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot make pictures of frames: found memory of type %s with %" G_GSIZE_FORMAT
        " bytes; expected %" G_GSIZE_FORMAT " bytes that GStreamer can read",
        memory && memory->allocator ? memory->allocator->mem_type : "unknown",
        gst_buffer_get_size (frame), info->size);
    return FALSE;
  }
  ok = gst_video_frame_map (&out, &self->to, self->picture, GST_MAP_READWRITE);
  if (ok) {
    gst_video_converter_frame (self->converter, &in, &out);
    blend (self, frame, &out);
    gst_video_frame_unmap (&out);
  } else {
    fail_format (info, error);
  }
  gst_video_frame_unmap (&in);
  return ok;
}

/**
 * gst_y10_picture_place:
 * @frame: a frame
 * @info: of its caps
 * @box: (inout): x and y of the first corner and of the second: fractions of the whole frame
 *   become fractions of the picture that gst_y10_picture_maker_take() makes of it
 *
 * Returns: whether the picture shows any of the box
 */
gboolean
gst_y10_picture_place (GstBuffer *frame, const GstVideoInfo *info,
    gfloat box[4])
{
  GstVideoInfo whole = *info;
  GstVideoRectangle part;

  find_part (frame, &whole, &part);
  for (guint i = 0; i < 4; i++) {
    const gint size = i % 2 ? whole.height : whole.width;
    const gint from = i % 2 ? part.y : part.x;
    const gint length = i % 2 ? part.h : part.w;

    box[i] = CLAMP ((box[i] * (gfloat) size - (gfloat) from) / (gfloat) length,
        0, 1);
  }
  return box[0] < box[2] && box[1] < box[3];
}

/* Fractions to an even range of pixels with a margin. */
static void
find_range (gfloat from, gfloat to, gint size, gint *start, gint *length)
{
  const gdouble margin = (gdouble) (to - from) * MARGIN;
  gint a = (gint) floor (CLAMP ((gdouble) from - margin, 0, 1) * size);
  gint b = (gint) ceil (CLAMP ((gdouble) to + margin, 0, 1) * size);

  a = MAX (MIN (a, size - MIN_SIDE), 0) & ~1;
  b = MIN (MAX (b, a + MIN_SIDE), size);
  *start = a;
  *length = b - a;
}

static GstBuffer *
crop (GstY10PictureMaker *self, const gfloat *box, GstVideoInfo *info)
{
  GstVideoFrame in, out;
  gint x, y, width, height;
  g_autoptr (GstBuffer) buffer = NULL;

  find_range (box[0], box[2], self->to.width, &x, &width);
  find_range (box[1], box[3], self->to.height, &y, &height);
  buffer = allocate (info, width, height);
  if (!buffer
      || !gst_video_frame_map (&in, &self->to, self->picture, GST_MAP_READ))
    return NULL;
  if (!gst_video_frame_map (&out, info, buffer, GST_MAP_WRITE)) {
    gst_video_frame_unmap (&in);
    return NULL;
  }
  for (guint i = 0; i < 3; i++) {
    const guint8 *from = GST_VIDEO_FRAME_COMP_DATA (&in, i);
    guint8 *to = GST_VIDEO_FRAME_COMP_DATA (&out, i);
    const gint shift = i > 0;

    from += (y >> shift) * GST_VIDEO_FRAME_COMP_STRIDE (&in, i) + (x >> shift);
    for (gint row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (&out, i); row++)
      memcpy (to + row * GST_VIDEO_FRAME_COMP_STRIDE (&out, i),
          from + row * GST_VIDEO_FRAME_COMP_STRIDE (&in, i),
          (gsize) GST_VIDEO_FRAME_COMP_WIDTH (&out, i));
  }
  gst_video_frame_unmap (&out);
  gst_video_frame_unmap (&in);
  return g_steal_pointer (&buffer);
}

static void
begin (GstY10PictureMaker *self, const GstVideoInfo *info)
{
  GstVideoInfo told = *info;
  g_autoptr (GstCaps) caps = NULL;

  if (self->began && self->encoded.width == info->width
      && self->encoded.height == info->height)
    return;
  if (!self->began)
    gst_pad_push_event (self->src, gst_event_new_stream_start ("snapshots"));
  told.interlace_mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  told.fps_n = told.fps_d = 1;
  caps = gst_video_info_to_caps (&told);
  gst_pad_push_event (self->src, gst_event_new_caps (caps));
  if (!self->began) {
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_push_event (self->src, gst_event_new_segment (&segment));
  }
  self->began = TRUE;
  self->encoded = *info;
}

/**
 * gst_y10_picture_maker_encode:
 * @self: a maker that has taken a frame
 * @box: (nullable): x and y of the first corner and of the second, as fractions of the
 *   picture: what of it to encode, with a margin; %NULL: all
 *
 * Returns: (transfer full): a JPEG, or %NULL with an error
 */
GBytes *
gst_y10_picture_maker_encode (GstY10PictureMaker *self, const gfloat *box,
    GError **error)
{
  GstVideoInfo info = self->to;
  GstBuffer *buffer = box ? crop (self, box, &info)
                          : gst_buffer_copy (self->picture);
  GstFlowReturn flow = GST_FLOW_ERROR;

  g_clear_pointer (&self->jpeg, g_bytes_unref);
  if (buffer) {
    begin (self, &info);
    GST_BUFFER_PTS (buffer) = self->time;
    GST_BUFFER_DURATION (buffer) = GST_SECOND;
    self->time += GST_SECOND;
    flow = gst_pad_push (self->src, buffer);
  }
  if (!self->jpeg)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE,
        "jpegenc makes no picture of a frame of %dx%d: %s", info.width,
        info.height, gst_flow_get_name (flow));
  return g_steal_pointer (&self->jpeg);
}
