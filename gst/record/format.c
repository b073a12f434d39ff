/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Caps as a track of an MP4 file. */
#include "record/format.h"

/* Of H.264 and H.265; what MPEG systems use. */
#define VIDEO_TIMESCALE 90000

static GBytes *
get_codec_data (const GstStructure *structure)
{
  const GValue *value = gst_structure_get_value (structure, "codec_data");
  GstBuffer *buffer = value && GST_VALUE_HOLDS_BUFFER (value)
      ? gst_value_get_buffer (value)
      : NULL;
  gpointer data;
  gsize size;

  if (!buffer)
    return NULL;
  gst_buffer_extract_dup (buffer, 0, -1, &data, &size);
  return g_bytes_new_take (data, size);
}

/**
 * gst_y10_record_format_new:
 * @caps: fixed
 * @track: its number in the file, from 1
 * @error: set if files cannot have it
 *
 * Returns: (transfer full) (nullable):
 */
GstY10RecordFormat *
gst_y10_record_format_new (const GstCaps *caps, guint track, GError **error)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  g_autoptr (GBytes) config = get_codec_data (s);
  GstY10RecordFormat *format;
  gint width = 0, height = 0, par_n = 1, par_d = 1;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  gst_structure_get_fraction (s, "pixel-aspect-ratio", &par_n, &par_d);
  if (!config || width < 1 || height < 1 || width > G_MAXUINT16
      || height > G_MAXUINT16 || par_n < 1 || par_d < 1) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "found a stream of %dx%d pixels %s codec_data, expected 1x1 to "
        "65535x65535 and codec_data, as h264parse and h265parse write it",
        width, height, config ? "with" : "without");
    return NULL;
  }
  format = g_new0 (GstY10RecordFormat, 1);
  g_atomic_ref_count_init (&format->refs);
  format->config = g_steal_pointer (&config);
  format->track = (GstY10Mp4Track){
    .id = track,
    .codec = gst_structure_has_name (s, "video/x-h264") ? GST_Y10_MP4_H264
                                                        : GST_Y10_MP4_H265,
    .timescale = VIDEO_TIMESCALE,
    .width = width,
    .height = height,
    .par_n = par_n,
    .par_d = par_d,
  };
  format->track.config = g_bytes_get_data (format->config,
      &format->track.config_size);
  return format;
}

/* Whether one file can have both. */
gboolean
gst_y10_record_format_equal (const GstY10RecordFormat *a,
    const GstY10RecordFormat *b)
{
  return a->track.codec == b->track.codec && a->track.width == b->track.width
      && a->track.height == b->track.height && a->track.par_n == b->track.par_n
      && a->track.par_d == b->track.par_d
      && g_bytes_equal (a->config, b->config);
}

GstY10RecordFormat *
gst_y10_record_format_ref (GstY10RecordFormat *format)
{
  g_atomic_ref_count_inc (&format->refs);
  return format;
}

void
gst_y10_record_format_unref (GstY10RecordFormat *format)
{
  if (!g_atomic_ref_count_dec (&format->refs))
    return;
  g_bytes_unref (format->config);
  g_free (format);
}
