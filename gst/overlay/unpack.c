/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Drawing on formats whose samples are not whole bytes (v210, RGB16, ...):
 * GStreamer unpacks the affected rows, the element draws on them, and GStreamer
 * packs them again. Rows are processed in groups of four, so that no chroma row
 * is packed from half of its lines. Repacking unmodified rows yields the same
 * bytes, so the round trip is lossless. */

#include "overlay/unpack.h"

#define ROWS 4

/* Prepares for frames of @info. Returns FALSE if they cannot be unpacked. */
gboolean
gst_y10_unpacked_init (GstY10Unpacked *unpacked, const GstVideoInfo *info)
{
  const GstVideoFormatInfo *finfo = info->finfo;

  gst_y10_unpacked_clear (unpacked);
  if (!finfo->unpack_func || !finfo->pack_func || finfo->pack_lines > ROWS
      || GST_VIDEO_FORMAT_INFO_IS_TILED (finfo)
      || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo)
      || !gst_y10_canvas_supports (
          gst_video_format_get_info (finfo->unpack_format))
      || !gst_video_info_set_format (&unpacked->info, finfo->unpack_format,
          GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info)))
    return FALSE;
  unpacked->info.colorimetry = info->colorimetry;
  unpacked->info.chroma_site = info->chroma_site;
  /* Unpacking may round the width up to whole groups of pixels. */
  unpacked->data = g_try_malloc (GST_VIDEO_INFO_SIZE (&unpacked->info) + 1024);
  return unpacked->data != NULL;
}

void
gst_y10_unpacked_clear (GstY10Unpacked *unpacked)
{
  g_clear_pointer (&unpacked->data, g_free);
}

static inline GstVideoPackFlags
pack_flags (const GstVideoFrame *frame)
{
  return GST_VIDEO_FRAME_IS_INTERLACED (frame) ? GST_VIDEO_PACK_FLAG_INTERLACED
                                               : GST_VIDEO_PACK_FLAG_NONE;
}

static inline guint8 *
row (const GstY10Unpacked *unpacked, gint y)
{
  return unpacked->data
      + (gsize) y * GST_VIDEO_INFO_PLANE_STRIDE (&unpacked->info, 0);
}

static inline gint
last_row (const GstY10Unpacked *unpacked, gint y1)
{
  return MIN ((y1 + ROWS - 1) / ROWS * ROWS,
      GST_VIDEO_INFO_HEIGHT (&unpacked->info));
}

/* Unpacks rows @y0 to @y1 (exclusive) of @frame and sets up @canvas on them. */
void
gst_y10_unpacked_load (GstY10Unpacked *unpacked, const GstVideoFrame *frame,
    gint y0, gint y1, GstY10Canvas *canvas)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  gint first = y0 / ROWS * ROWS, last = last_row (unpacked, y1), y;

  for (y = first; y < last; y++)
    finfo->unpack_func (finfo, pack_flags (frame), row (unpacked, y),
        frame->data, frame->info.stride, 0, y,
        GST_VIDEO_INFO_WIDTH (&unpacked->info));
  gst_y10_canvas_init_data (canvas, unpacked->info.finfo, row (unpacked, first),
      GST_VIDEO_INFO_PLANE_STRIDE (&unpacked->info, 0),
      (GstY10Rect){ 0, first, GST_VIDEO_INFO_WIDTH (&unpacked->info), last });
}

/* Packs the rows given to gst_y10_unpacked_load() back into @frame. */
void
gst_y10_unpacked_store (const GstY10Unpacked *unpacked, GstVideoFrame *frame,
    gint y0, gint y1)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  gint first = y0 / ROWS * ROWS, last = last_row (unpacked, y1), y;

  for (y = first; y < last; y += MAX (1, finfo->pack_lines))
    finfo->pack_func (finfo, pack_flags (frame), row (unpacked, y),
        GST_VIDEO_INFO_PLANE_STRIDE (&unpacked->info, 0), frame->data,
        frame->info.stride, frame->info.chroma_site, y,
        GST_VIDEO_INFO_WIDTH (&unpacked->info));
}
