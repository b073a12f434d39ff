/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The header of a file: which tracks there are, and what their decoders need. Sections are
 * those of ISO/IEC 14496-12. */
#include "mp4/box.h"
#include "mp4/mp4.h"

/* Of times that concern the whole movie, of which there are none. */
#define MOVIE_TIMESCALE 1000

/* The identity, 8.2.2. */
static void
put_matrix (GByteArray *out)
{
  static const guint32 matrix[9] = { 0x10000, 0, 0, 0, 0x10000, 0, 0, 0,
    0x40000000 };

  for (guint i = 0; i < G_N_ELEMENTS (matrix); i++)
    put (out, matrix[i], 4);
}

static gboolean
is_video (const GstY10Mp4Track *track)
{
  return track->codec == GST_Y10_MP4_H264 || track->codec == GST_Y10_MP4_H265;
}

static void
put_box (GByteArray *out, const char *name, const guint8 *data, gsize size)
{
  const guint box = open_box (out, name);

  g_byte_array_append (out, data, size);
  close_box (out, box);
}

/* A descriptor of ISO/IEC 14496-1, 7.2.2.2. Returns where its size is. */
static guint
open_descriptor (GByteArray *out, guint tag)
{
  put (out, tag, 1);
  put (out, 0x80808000, 4); /* a size of four bytes */
  return out->len - 4;
}

static void
close_descriptor (GByteArray *out, guint at)
{
  const guint32 size = out->len - at - 4;

  patch (out, at,
      0x80808000 | (size >> 14 & 0x7f) << 16 | (size >> 7 & 0x7f) << 8
          | (size & 0x7f));
}

/* ISO/IEC 14496-14, 5.6. */
static void
put_esds (GByteArray *out, const GstY10Mp4Track *track)
{
  const guint box = open_full_box (out, "esds", 0, 0);
  const guint es = open_descriptor (out, 3);
  guint decoder, specific;

  put (out, 0, 3); /* its number, no options */
  decoder = open_descriptor (out, 4);
  put (out, 0x40, 1); /* ISO/IEC 14496-3 */
  put (out, 0x15, 1); /* audio */
  put_zeros (out, 11);
  specific = open_descriptor (out, 5);
  g_byte_array_append (out, track->config, track->config_size);
  close_descriptor (out, specific);
  close_descriptor (out, decoder);
  specific = open_descriptor (out, 6);
  put (out, 2, 1); /* as MP4 files have it */
  close_descriptor (out, specific);
  close_descriptor (out, es);
  close_box (out, box);
}

/* 12.1.3 */
static void
put_video_entry (GByteArray *out, const GstY10Mp4Track *track)
{
  const gboolean h264 = track->codec == GST_Y10_MP4_H264;
  /* hvc1, since Safari does not play hev1. */
  const guint entry = open_box (out, h264 ? "avc1" : "hvc1");

  put_zeros (out, 6);
  put (out, 1, 2); /* data reference */
  put_zeros (out, 16);
  put (out, track->width, 2);
  put (out, track->height, 2);
  put (out, 0x480000, 4); /* 72 dpi */
  put (out, 0x480000, 4);
  put (out, 0, 4);
  put (out, 1, 2); /* frame of a sample */
  put_zeros (out, 32);
  put (out, 24, 2); /* depth */
  put (out, 0xffff, 2);
  put_box (out, h264 ? "avcC" : "hvcC", track->config, track->config_size);
  if (track->par_n != track->par_d) {
    const guint pasp = open_box (out, "pasp");

    put (out, track->par_n, 4);
    put (out, track->par_d, 4);
    close_box (out, pasp);
  }
  close_box (out, entry);
}

/* 12.2.3 */
static void
put_audio_entry (GByteArray *out, const GstY10Mp4Track *track)
{
  const gboolean aac = track->codec == GST_Y10_MP4_AAC;
  const guint entry = open_box (out, aac ? "mp4a" : "Opus");

  put_zeros (out, 6);
  put (out, 1, 2); /* data reference */
  put_zeros (out, 8);
  put (out, track->channels, 2);
  put (out, 16, 2);
  put (out, 0, 4);
  /* Rates from 65536 do not fit; decoders take that of the config. */
  put (out, track->rate < 65536 ? track->rate << 16 : 0, 4);
  if (aac)
    put_esds (out, track);
  else
    put_box (out, "dOps", track->config, track->config_size);
  close_box (out, entry);
}

/* Tables that are empty, since fragments have all samples; 8.6.1.2 and others. */
static void
put_empty_table (GByteArray *out, const char *name, guint n_zeros)
{
  const guint box = open_full_box (out, name, 0, 0);

  put_zeros (out, n_zeros);
  close_box (out, box);
}

static void
put_media (GByteArray *out, const GstY10Mp4Track *track)
{
  const guint mdia = open_box (out, "mdia");
  guint box, minf, dinf, stbl;

  box = open_full_box (out, "mdhd", 0, 0);
  put_zeros (out, 8);
  put (out, track->timescale, 4);
  put (out, 0, 4);
  put (out, 0x55c4, 2); /* und */
  put (out, 0, 2);
  close_box (out, box);
  box = open_full_box (out, "hdlr", 0, 0);
  put (out, 0, 4);
  g_byte_array_append (out,
      (const guint8 *) (is_video (track) ? "vide" : "soun"), 4);
  put_zeros (out, 13);
  close_box (out, box);

  minf = open_box (out, "minf");
  if (is_video (track)) {
    box = open_full_box (out, "vmhd", 0, 1);
    put_zeros (out, 8);
  } else {
    box = open_full_box (out, "smhd", 0, 0);
    put_zeros (out, 4);
  }
  close_box (out, box);
  dinf = open_box (out, "dinf");
  box = open_full_box (out, "dref", 0, 0);
  put (out, 1, 4);
  close_box (out, open_full_box (out, "url ", 0, 1)); /* this file */
  close_box (out, box);
  close_box (out, dinf);
  stbl = open_box (out, "stbl");
  box = open_full_box (out, "stsd", 0, 0);
  put (out, 1, 4);
  if (is_video (track))
    put_video_entry (out, track);
  else
    put_audio_entry (out, track);
  close_box (out, box);
  put_empty_table (out, "stts", 4);
  put_empty_table (out, "stsc", 4);
  put_empty_table (out, "stsz", 8);
  put_empty_table (out, "stco", 4);
  close_box (out, stbl);
  close_box (out, minf);
  close_box (out, mdia);
}

static void
put_track (GByteArray *out, const GstY10Mp4Track *track)
{
  const guint trak = open_box (out, "trak");
  /* In the movie and enabled, 8.3.2. */
  const guint tkhd = open_full_box (out, "tkhd", 0, 3);

  put_zeros (out, 8);
  put (out, track->id, 4);
  put_zeros (out, 16);
  put (out, 0, 2); /* layer, group */
  put (out, 0, 2);
  put (out, is_video (track) ? 0 : 0x100, 2);
  put (out, 0, 2);
  put_matrix (out);
  if (is_video (track)) {
    const guint64 shown = (guint64) track->width * track->par_n;

    put (out, (shown << 16) / track->par_d, 4);
    put (out, track->height << 16, 4);
  } else {
    put_zeros (out, 8);
  }
  close_box (out, tkhd);
  put_media (out, track);
  close_box (out, trak);
}

void
gst_y10_mp4_append_movie (GByteArray *out, const GstY10Mp4Track *tracks,
    guint n_tracks)
{
  static const char brands[] = "iso6iso5mp41";
  guint box = open_box (out, "ftyp"), moov, mvex;

  g_byte_array_append (out, (const guint8 *) "iso6", 4);
  put (out, 0, 4);
  g_byte_array_append (out, (const guint8 *) brands, sizeof brands - 1);
  close_box (out, box);

  moov = open_box (out, "moov");
  box = open_full_box (out, "mvhd", 0, 0);
  put_zeros (out, 8);
  put (out, MOVIE_TIMESCALE, 4);
  put (out, 0, 4);
  put (out, 0x10000, 4); /* rate */
  put (out, 0x100, 2);   /* volume */
  put_zeros (out, 10);
  put_matrix (out);
  put_zeros (out, 24);
  put (out, G_MAXUINT32, 4); /* the next track's number: to be searched */
  close_box (out, box);
  for (guint i = 0; i < n_tracks; i++)
    put_track (out, &tracks[i]);
  mvex = open_box (out, "mvex");
  for (guint i = 0; i < n_tracks; i++) {
    box = open_full_box (out, "trex", 0, 0);
    put (out, tracks[i].id, 4);
    put (out, 1, 4); /* sample description */
    put_zeros (out, 12);
    close_box (out, box);
  }
  close_box (out, mvex);
  close_box (out, moov);
}
