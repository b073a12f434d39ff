/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Writes fragmented MP4 (ISO/IEC 14496-12) into memory. A file is
 *
 *   gst_y10_mp4_append_movie ()      once: what the tracks are
 *   gst_y10_mp4_append_free ()       room for an index, if the file is to have one
 *   gst_y10_mp4_append_fragment ()   and the samples behind it, again and again
 *
 * and can be played up to its last complete fragment at any time. The same bytes are a
 * recording, a clip, and segments for Media Source Extensions. Nothing here keeps a state;
 * all functions may be called from any thread. */

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_MP4_H264,
  GST_Y10_MP4_H265,
  GST_Y10_MP4_AAC,
  GST_Y10_MP4_OPUS,
} GstY10Mp4Codec;

/**
 * GstY10Mp4Track:
 * @id: from 1, unique in the file
 * @codec: decides which of the fields below count
 * @timescale: units of the track's times in a second: 90000 for video, usually the sample
 *   rate for audio
 * @width: of the coded picture, in pixels
 * @height: of the coded picture, in pixels
 * @par_n: width of a pixel
 * @par_d: in heights of a pixel
 * @channels: of audio
 * @rate: of audio, in Hz
 * @config: what a decoder needs before the first sample: an
 *   AVCDecoderConfigurationRecord, an HEVCDecoderConfigurationRecord (both ISO/IEC
 *   14496-15; GStreamer's codec_data), an AudioSpecificConfig (ISO/IEC 14496-3; GStreamer's
 *   codec_data) or the payload of a dOps box (Encapsulation of Opus in ISOBMFF)
 * @config_size: bytes
 */
typedef struct
{
  guint32 id;
  GstY10Mp4Codec codec;
  guint32 timescale;
  guint width, height;
  guint par_n, par_d;
  guint channels, rate;
  const guint8 *config;
  gsize config_size;
} GstY10Mp4Track;

/**
 * GstY10Mp4Sample:
 * @size: bytes
 * @duration: until the next sample of the track is decoded, in units of the track's time
 * @offset: from the time at which it is decoded to that at which it is shown
 * @sync: whether decoding can begin here
 */
typedef struct
{
  guint32 size;
  guint32 duration;
  gint32 offset;
  gboolean sync;
} GstY10Mp4Sample;

/**
 * GstY10Mp4Reference:
 * @size: bytes of the fragments that it stands for; less than 2^31
 * @duration: of them, in units of the track's time
 *
 * A part of a file that begins with a sync sample.
 */
typedef struct
{
  guint32 size;
  guint32 duration;
} GstY10Mp4Reference;

/* ftyp and moov. */
void gst_y10_mp4_append_movie (GByteArray *out, const GstY10Mp4Track *tracks,
    guint n_tracks);

/* moof, and the header of the mdat. The samples' bytes are to follow, in order. @sequence
 * counts a file's fragments, from 1; @time is when the first sample is decoded. */
void gst_y10_mp4_append_fragment (GByteArray *out, guint32 sequence,
    guint32 track, guint64 time, const GstY10Mp4Sample *samples,
    guint n_samples);

/* A box of @size bytes, 8 or more, that players skip. */
void gst_y10_mp4_append_free (GByteArray *out, gsize size);

/* What gst_y10_mp4_append_index () takes for @n_references. */
gsize gst_y10_mp4_get_index_size (guint n_references);

/* sidx: players seek by it without reading the file. @first is when the first sample is
 * shown; the first reference begins @distance bytes behind the box. Parts of the file
 * follow each other without a gap. */
void gst_y10_mp4_append_index (GByteArray *out, const GstY10Mp4Track *track,
    guint64 first, guint64 distance, const GstY10Mp4Reference *references,
    guint n_references);

G_END_DECLS
