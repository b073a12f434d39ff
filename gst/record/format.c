/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Caps as tracks of an MP4 file. */
#include "record/format.h"

/* Of H.264 and H.265; what MPEG systems use. */
#define VIDEO_TIMESCALE 90000

/* Opus always counts in these. */
#define OPUS_RATE 48000

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

/* Takes @config. */
static void
add_track (GstY10RecordFormat *format, GstY10Mp4Track track, GBytes *config)
{
  const guint n = format->n_tracks++;

  track.id = n + 1;
  track.config = g_bytes_get_data (config, &track.config_size);
  format->tracks[n] = track;
  format->configs[n] = config;
}

static gboolean
add_video (GstY10RecordFormat *format, const GstCaps *caps, GError **error)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  GBytes *config = get_codec_data (s);
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
    g_clear_pointer (&config, g_bytes_unref);
    return FALSE;
  }
  add_track (format,
      (GstY10Mp4Track){ .codec = gst_structure_has_name (s, "video/x-h264")
              ? GST_Y10_MP4_H264
              : GST_Y10_MP4_H265,
          .timescale = VIDEO_TIMESCALE,
          .width = width,
          .height = height,
          .par_n = par_n,
          .par_d = par_d },
      config);
  return TRUE;
}

/* The payload of dOps, as RTP's streams need it: mono or stereo, and nothing skipped.
 * Encapsulation of Opus in ISO Base Media File Format, 4.3.2. */
static GBytes *
make_dops (guint channels)
{
  const guint8 dops[11] = { 0, channels, 0, 0, 0, 0, OPUS_RATE >> 8,
    OPUS_RATE & 0xff };

  return g_bytes_new (dops, sizeof dops);
}

static gboolean
add_audio (GstY10RecordFormat *format, const GstCaps *caps, GError **error)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gboolean opus = gst_structure_has_name (s, "audio/x-opus");
  GBytes *config = NULL;
  gint channels = opus ? 2 : 0, rate = opus ? OPUS_RATE : 0;

  gst_structure_get_int (s, "channels", &channels);
  if (!opus)
    gst_structure_get_int (s, "rate", &rate);
  if (channels >= 1 && channels <= (opus ? 2 : 8) && rate >= 1)
    config = opus ? make_dops (channels) : get_codec_data (s);
  if (!config) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "found %s of %d channels at %d Hz, expected Opus of 1 or 2 channels, or AAC of 1 to 8 "
        "with codec_data, as aacparse writes it",
        gst_structure_get_name (s), channels, rate);
    return FALSE;
  }
  add_track (format,
      (GstY10Mp4Track){ .codec = opus ? GST_Y10_MP4_OPUS : GST_Y10_MP4_AAC,
          .timescale = rate,
          .channels = channels,
          .rate = rate },
      config);
  return TRUE;
}

/**
 * gst_y10_record_format_new:
 * @video: fixed caps
 * @audio: (nullable): fixed caps
 * @error: set if files cannot have them
 *
 * Returns: (transfer full) (nullable):
 */
GstY10RecordFormat *
gst_y10_record_format_new (const GstCaps *video, const GstCaps *audio,
    GError **error)
{
  g_autoptr (GstY10RecordFormat) format = g_new0 (GstY10RecordFormat, 1);

  g_atomic_ref_count_init (&format->refs);
  if (!add_video (format, video, error)
      || (audio && !add_audio (format, audio, error)))
    return NULL;
  return g_steal_pointer (&format);
}

static gboolean
is_same_track (const GstY10RecordFormat *a, const GstY10RecordFormat *b,
    guint n)
{
  const GstY10Mp4Track *x = &a->tracks[n], *y = &b->tracks[n];

  return x->codec == y->codec && x->timescale == y->timescale
      && x->width == y->width && x->height == y->height && x->par_n == y->par_n
      && x->par_d == y->par_d && x->channels == y->channels
      && g_bytes_equal (a->configs[n], b->configs[n]);
}

/* Whether frames of one can follow those of the other. */
gboolean
gst_y10_record_format_is_same_video (const GstY10RecordFormat *a,
    const GstY10RecordFormat *b)
{
  return a == b || is_same_track (a, b, GST_Y10_RECORD_VIDEO);
}

/* Whether one file can have both. */
gboolean
gst_y10_record_format_equal (const GstY10RecordFormat *a,
    const GstY10RecordFormat *b)
{
  if (a == b)
    return TRUE;
  if (a->n_tracks != b->n_tracks)
    return FALSE;
  for (guint n = 0; n < a->n_tracks; n++)
    if (!is_same_track (a, b, n))
      return FALSE;
  return TRUE;
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
  for (guint n = 0; n < format->n_tracks; n++)
    g_bytes_unref (format->configs[n]);
  g_free (format);
}
