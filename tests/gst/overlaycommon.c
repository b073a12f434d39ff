/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See overlaycommon.h. GStreamer's own video converter converts pictures from
 * and to RGB, so a test sees the same as a viewer. */

#include "overlaycommon.h"

#include <meta/gstyolov10framemeta.h>
#include <string.h>

const OverlayBox overlay_person = { 0, "person", 0.87, 40, 60, 100, 120 };
const OverlayBox overlay_car = { 1, "car", 0.32, 180, 80, 90, 60 };

GstCaps *overlay_nv12;

GstCaps *
overlay_caps (const gchar *format, gint width, gint height,
    const gchar *colorimetry)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      format, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "framerate", GST_TYPE_FRACTION, 25, 1, "pixel-aspect-ratio",
      GST_TYPE_FRACTION, 1, 1, "interlace-mode", G_TYPE_STRING, "progressive",
      NULL);

  if (colorimetry)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  return caps;
}

void
overlay_setup (void)
{
  overlay_nv12 = overlay_caps ("NV12", OVERLAY_WIDTH, OVERLAY_HEIGHT, NULL);
}

void
overlay_teardown (void)
{
  gst_clear_caps (&overlay_nv12);
}

static void
get_info (GstVideoInfo *info, GstCaps *caps)
{
  fail_unless (gst_video_info_from_caps (info, caps));
}

/* The converter changes neither rates nor interlacing. */
static void
get_rgb_info (GstVideoInfo *rgb, const GstVideoInfo *info)
{
  gst_video_info_set_format (rgb, GST_VIDEO_FORMAT_RGBx, info->width,
      info->height);
  rgb->fps_n = info->fps_n;
  rgb->fps_d = info->fps_d;
}

static void
convert (const GstVideoInfo *from, GstBuffer *in, const GstVideoInfo *to,
    GstBuffer *out)
{
  GstVideoFrame source, target;
  GstVideoConverter *converter = gst_video_converter_new ((GstVideoInfo *) from,
      (GstVideoInfo *) to,
      gst_structure_new ("options", GST_VIDEO_CONVERTER_OPT_CHROMA_MODE,
          GST_TYPE_VIDEO_CHROMA_MODE, GST_VIDEO_CHROMA_MODE_NONE,
          GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD,
          GST_VIDEO_DITHER_NONE, NULL));

  fail_unless (converter != NULL);
  fail_unless (gst_video_frame_map (&source, from, in, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&target, to, out, GST_MAP_WRITE));
  gst_video_converter_frame (converter, &source, &target);
  gst_video_frame_unmap (&target);
  gst_video_frame_unmap (&source);
  gst_video_converter_free (converter);
}

GstBuffer *
overlay_picture (GstCaps *caps, gboolean noise)
{
  GstVideoInfo info, rgb;
  GstBuffer *in, *out;
  guint32 seed = 1;
  GstMapInfo map;
  gint x, y;

  get_info (&info, caps);
  get_rgb_info (&rgb, &info);
  in = gst_buffer_new_allocate (NULL, rgb.size, NULL);
  fail_unless (gst_buffer_map (in, &map, GST_MAP_WRITE));
  for (y = 0; y < info.height; y++) {
    for (x = 0; x < info.width; x++) {
      guint8 *p = map.data + y * rgb.stride[0] + 4 * x;

      seed = seed * 1664525 + 1013904223;
      p[0] = noise ? (gint) (seed >> 24) : 100 + x * 60 / info.width;
      p[1] = noise ? (gint) (seed >> 16) : 110 + y * 50 / info.height;
      p[2] = noise ? (gint) (seed >> 8) : 120;
      p[3] = 255;
    }
  }
  gst_buffer_unmap (in, &map);
  out = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (out, 0, 0, info.size);
  convert (&rgb, in, &info, out);
  gst_buffer_unref (in);
  GST_BUFFER_PTS (out) = 0;
  return out;
}

void
overlay_add_roi (GstBuffer *buffer, const OverlayBox *box)
{
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta (buffer, box->label, box->x,
          box->y, box->w, box->h);

  roi->id = box->id;
  if (box->confidence >= 0)
    gst_video_region_of_interest_meta_add_param (roi,
        gst_structure_new ("detection", "label_id", G_TYPE_INT, 0, "label",
            G_TYPE_STRING, box->label, "confidence", G_TYPE_DOUBLE,
            box->confidence, NULL));
}

void
overlay_add_frame_meta (GstBuffer *buffer, const gchar *producer, gint width,
    gint height, const OverlayBox *boxes, guint n_boxes)
{
  g_autofree GstYolov10Record *records = g_new0 (GstYolov10Record, n_boxes + 1);
  g_autoptr (GString) labels = g_string_new (NULL);
  GstCustomMeta *meta;
  g_autoptr (GBytes) bytes = NULL;
  guint i;

  if (!gst_meta_get_info (GST_YOLOV10_FRAME_META_NAME)) {
    const gchar *tags[] = { NULL };

    gst_meta_register_custom (GST_YOLOV10_FRAME_META_NAME, tags, NULL, NULL,
        NULL);
  }
  for (i = 0; i < n_boxes; i++) {
    records[i] = (GstYolov10Record){
      .id = boxes[i].id,
      .confidence = boxes[i].confidence,
      .x_min = boxes[i].x / (gfloat) width,
      .y_min = boxes[i].y / (gfloat) height,
      .x_max = (boxes[i].x + boxes[i].w) / (gfloat) width,
      .y_max = (boxes[i].y + boxes[i].h) / (gfloat) height,
      .label_offset = labels->len,
    };
    g_string_append_printf (labels, "%s\n", boxes[i].label);
  }
  bytes = g_bytes_new (records, n_boxes * sizeof *records);
  meta = gst_buffer_add_custom_meta (buffer, GST_YOLOV10_FRAME_META_NAME);
  fail_unless (meta != NULL);
  gst_structure_set (gst_custom_meta_get_structure (meta), "version",
      G_TYPE_UINT, 1, "producer", G_TYPE_STRING, producer, "model",
      G_TYPE_STRING, "yolov10n", "width", G_TYPE_UINT, width, "height",
      G_TYPE_UINT, height, "inference", G_TYPE_STRING, "fresh", "age",
      G_TYPE_UINT64, G_GUINT64_CONSTANT (0), "count", G_TYPE_UINT, n_boxes,
      "record-size", G_TYPE_UINT, (guint) sizeof *records, "records",
      G_TYPE_BYTES, bytes, "labels", G_TYPE_STRING, labels->str, NULL);
}

GstHarness *
overlay_harness (const gchar *properties, GstCaps *caps, gboolean compose)
{
  gchar *line = g_strdup_printf ("yolov10overlay name=o %s",
      properties ? properties : "");
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  if (compose)
    gst_harness_add_propose_allocation_meta (h,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  return h;
}

GstBuffer *
overlay_run (const gchar *properties, GstCaps *caps, GstBuffer *buffer)
{
  GstHarness *h = overlay_harness (properties, caps, FALSE);
  GstBuffer *out = gst_harness_push_and_pull (h, buffer);

  fail_unless (out != NULL);
  gst_harness_teardown (h);
  return out;
}

GstBuffer *
overlay_convert (GstBuffer *buffer, GstCaps *from, GstCaps *to)
{
  GstVideoInfo from_info, to_info;
  GstBuffer *out;

  get_info (&from_info, from);
  get_info (&to_info, to);
  out = gst_buffer_new_allocate (NULL, to_info.size, NULL);
  gst_buffer_memset (out, 0, 0, to_info.size);
  convert (&from_info, buffer, &to_info, out);
  return out;
}

guint8 *
overlay_rgb (GstBuffer *buffer, GstCaps *caps)
{
  GstVideoInfo info, rgb;
  g_autoptr (GstBuffer) out = NULL;
  guint8 *pixels;
  GstMapInfo map;
  gint x, y;

  get_info (&info, caps);
  get_rgb_info (&rgb, &info);
  out = gst_buffer_new_allocate (NULL, rgb.size, NULL);
  convert (&info, buffer, &rgb, out);
  pixels = g_malloc (3 * info.width * info.height);
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  for (y = 0; y < info.height; y++)
    for (x = 0; x < info.width; x++)
      memcpy (pixels + 3 * (y * info.width + x),
          map.data + y * rgb.stride[0] + 4 * x, 3);
  gst_buffer_unmap (out, &map);
  return pixels;
}

guint16 *
overlay_values (GstBuffer *buffer, GstCaps *caps)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  guint16 *values;
  guint8 *line;
  gboolean wide;
  gint x, y;

  get_info (&info, caps);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  wide = GST_VIDEO_FORMAT_INFO_DEPTH (gst_video_format_get_info (
                                          info.finfo->unpack_format),
             0)
      > 8;
  values = g_new (guint16, 4 * info.width * info.height);
  line = g_malloc (8 * info.width + 256);
  for (y = 0; y < info.height; y++) {
    info.finfo->unpack_func (info.finfo, GST_VIDEO_PACK_FLAG_NONE, line,
        frame.data, frame.info.stride, 0, y, info.width);
    for (x = 0; x < 4 * info.width; x++)
      values[4 * y * info.width + x] = wide ? ((guint16 *) line)[x] : line[x];
  }
  g_free (line);
  gst_video_frame_unmap (&frame);
  return values;
}

static guint
count (GstBuffer *a, GstBuffer *b, GstCaps *caps, gint x0, gint y0, gint x1,
    gint y1, gboolean inside)
{
  guint16 *u = overlay_values (a, caps), *v = overlay_values (b, caps);
  GstVideoInfo info;
  guint n = 0;
  gint x, y;

  get_info (&info, caps);
  for (y = 0; y < info.height; y++)
    for (x = 0; x < info.width; x++) {
      gsize i = 4 * ((gsize) y * info.width + x);

      if ((x >= x0 && x < x1 && y >= y0 && y < y1) == inside
          && memcmp (u + i, v + i, 4 * sizeof *u) != 0)
        n++;
    }
  g_free (u);
  g_free (v);
  return n;
}

void
overlay_assert_same_outside (GstBuffer *before, GstBuffer *after, GstCaps *caps,
    gint x0, gint y0, gint x1, gint y1)
{
  guint n = count (before, after, caps, x0, y0, x1, y1, FALSE);

  fail_unless (n == 0,
      "%u pixels changed outside of (%d, %d)-(%d, %d) in %" GST_PTR_FORMAT, n,
      x0, y0, x1, y1, caps);
}

gboolean
overlay_is_same (GstBuffer *a, GstBuffer *b, GstCaps *caps)
{
  return count (a, b, caps, 0, 0, 0, 0, FALSE) == 0;
}

guint
overlay_n_changed (GstBuffer *a, GstBuffer *b, GstCaps *caps, gint x0, gint y0,
    gint x1, gint y1)
{
  return count (a, b, caps, x0, y0, x1, y1, TRUE);
}

void
overlay_changed_area (GstBuffer *a, GstBuffer *b, GstCaps *caps,
    GstVideoRectangle *area)
{
  guint16 *u = overlay_values (a, caps), *v = overlay_values (b, caps);
  gint x, y, x0 = G_MAXINT, y0 = G_MAXINT, x1 = 0, y1 = 0;
  GstVideoInfo info;

  get_info (&info, caps);
  for (y = 0; y < info.height; y++)
    for (x = 0; x < info.width; x++) {
      gsize i = 4 * ((gsize) y * info.width + x);

      if (memcmp (u + i, v + i, 4 * sizeof *u) == 0)
        continue;
      x0 = MIN (x0, x);
      y0 = MIN (y0, y);
      x1 = MAX (x1, x + 1);
      y1 = MAX (y1, y + 1);
    }
  fail_unless (x1 > 0, "nothing changed");
  *area = (GstVideoRectangle){ x0, y0, x1 - x0, y1 - y0 };
  g_free (u);
  g_free (v);
}
