/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Drawing on formats whose samples do not lie in whole bytes (v210, RGB16,
 * ...): the rows in question are unpacked by GStreamer's own functions, drawn
 * on, and packed again. Rows come and go four at a time, so that no chroma row
 * is packed from half of its lines. Packing what was just unpacked gives the
 * same bytes, so rows lose nothing by it. */

#include "overlay/unpack.h"

#define ROWS 4

/**
 * gst_y10_unpacked_init:
 * @unpacked: (inout): cleared, or zeros
 * @info: the frames to come
 *
 * Returns: %FALSE where such frames cannot be unpacked
 */
gboolean
gst_y10_unpacked_init (GstY10Unpacked * unpacked, const GstVideoInfo * info)
{
  const GstVideoFormatInfo *finfo = info->finfo;

  gst_y10_unpacked_clear (unpacked);
  if (!finfo->unpack_func || !finfo->pack_func || finfo->pack_lines > ROWS
      || GST_VIDEO_FORMAT_INFO_IS_TILED (finfo)
      || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo)
      || !gst_y10_canvas_supports (gst_video_format_get_info
          (finfo->unpack_format))
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
gst_y10_unpacked_clear (GstY10Unpacked * unpacked)
{
  g_clear_pointer (&unpacked->data, g_free);
}

static inline GstVideoPackFlags
pack_flags (const GstVideoFrame * frame)
{
  return GST_VIDEO_FRAME_IS_INTERLACED (frame)
      ? GST_VIDEO_PACK_FLAG_INTERLACED : GST_VIDEO_PACK_FLAG_NONE;
}

static inline guint8 *
row (const GstY10Unpacked * unpacked, gint y)
{
  return unpacked->data
      + (gsize) y * GST_VIDEO_INFO_PLANE_STRIDE (&unpacked->info, 0);
}

static inline gint
last_row (const GstY10Unpacked * unpacked, gint y1)
{
  return MIN ((y1 + ROWS - 1) / ROWS * ROWS,
      GST_VIDEO_INFO_HEIGHT (&unpacked->info));
}

/**
 * gst_y10_unpacked_load:
 * @frame: mapped for reading, of the size given to gst_y10_unpacked_init()
 * @y0: first row needed
 * @y1: row after the last one needed
 * @canvas: (out caller-allocates): those rows, to draw on
 */
void
gst_y10_unpacked_load (GstY10Unpacked * unpacked, const GstVideoFrame * frame,
    gint y0, gint y1, GstY10Canvas * canvas)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  gint first = y0 / ROWS * ROWS, last = last_row (unpacked, y1), y;

  for (y = first; y < last; y++)
    finfo->unpack_func (finfo, pack_flags (frame), row (unpacked, y),
        frame->data, frame->info.stride, 0, y,
        GST_VIDEO_INFO_WIDTH (&unpacked->info));
  gst_y10_canvas_init_data (canvas, unpacked->info.finfo, row (unpacked, first),
      GST_VIDEO_INFO_PLANE_STRIDE (&unpacked->info, 0), (GstY10Rect) {
        0, first, GST_VIDEO_INFO_WIDTH (&unpacked->info), last
      });
}

/**
 * gst_y10_unpacked_store:
 * @frame: the same frame, mapped for writing
 * @y0: as given to gst_y10_unpacked_load()
 * @y1: as given to gst_y10_unpacked_load()
 */
void
gst_y10_unpacked_store (const GstY10Unpacked * unpacked, GstVideoFrame * frame,
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
