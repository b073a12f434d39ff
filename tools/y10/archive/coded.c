/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whether decoding can start at a key frame. Containers mark more than that: with
 * intra refresh, x264 and FFmpeg mark frames from which the picture is complete
 * only many frames later. So the NAL units are checked: an IDR picture, an IRAP
 * picture of H.265, or a recovery point of H.264 with no frames in between. */

#include "config.h"

#include <string.h>

#ifdef HAVE_GST

#include "archive/coded.h"

/* ITU-T H.264, table 7-1 and D.1; H.265, table 7-1. */
#define H264_SLICE 1
#define H264_IDR 5
#define H264_SEI 6
#define H264_RECOVERY_POINT 6
#define H265_FIRST_IRAP 16
#define H265_LAST_IRAP 21
#define H265_LAST_VCL 31

typedef enum
{
  SHOWS_NOTHING,
  IS_ENTRY,
  IS_NO_ENTRY
} Answer;

/* Bytes of length before each unit (ISO/IEC 14496-15, 5.3.3 and 8.3.3). */
static guint
find_n_length (const GstStructure *s, gsize at)
{
  const char *format = gst_structure_get_string (s, "stream-format");
  const GValue *value = gst_structure_get_value (s, "codec_data");
  guint8 byte;

  if (!format || !strcmp (format, "byte-stream") || !value
      || !GST_VALUE_HOLDS_BUFFER (value)
      || gst_buffer_extract (gst_value_get_buffer (value), at, &byte, 1) != 1)
    return 0;
  return 1 + (byte & 3);
}

gboolean
tool_coded_format_init (ToolCodedFormat *format, const GstCaps *caps)
{
  static const char *const every_key[] = { "image/jpeg", "video/x-vp8",
    "video/x-vp9", NULL };
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const char *name = gst_structure_get_name (s);

  memset (format, 0, sizeof *format);
  if (!strcmp (name, "video/x-h264")) {
    format->kind = CODED_H264;
    format->n_length = find_n_length (s, 4);
  } else if (!strcmp (name, "video/x-h265")) {
    format->kind = CODED_H265;
    format->n_length = find_n_length (s, 21);
  } else if (g_strv_contains (every_key, name)) {
    format->kind = CODED_EVERY_KEY;
    return TRUE;
  }
  return format->n_length > 0;
}

/* Without the bytes that keep start codes from occurring (H.264, 7.4.1.1). */
static gsize
unescape (const guint8 *unit, gsize n, guint8 *out, gsize n_out)
{
  gsize at = 0;
  guint zeros = 0;

  for (gsize i = 0; i < n && at < n_out; i++) {
    if (zeros >= 2 && unit[i] == 3) {
      zeros = 0;
      continue;
    }
    zeros = unit[i] ? 0 : zeros + 1;
    out[at++] = unit[i];
  }
  return at;
}

/* A number in bytes of 255 and a last one (H.264, 7.3.2.3.1). */
static gboolean
read_sei_number (const guint8 *sei, gsize n, gsize *at, gsize *value)
{
  *value = 0;
  while (*at < n && sei[*at] == 0xff) {
    *value += 0xff;
    ++*at;
  }
  if (*at == n)
    return FALSE;
  *value += sei[(*at)++];
  return TRUE;
}

/* Whether the SEI unit has a recovery point with recovery_frame_cnt 0. */
static Answer
read_sei (const guint8 *unit, gsize n)
{
  guint8 sei[1024];
  gsize at = 1, type, size;

  n = unescape (unit, n, sei, sizeof sei);
  while (read_sei_number (sei, n, &at, &type)
      && read_sei_number (sei, n, &at, &size) && size > 0 && size <= n - at) {
    /* ue(v) 0 is a single bit. */
    if (type == H264_RECOVERY_POINT)
      return sei[at] & 0x80 ? IS_ENTRY : IS_NO_ENTRY;
    at += size;
  }
  return SHOWS_NOTHING;
}

static Answer
read_unit (const ToolCodedFormat *format, const guint8 *unit, gsize n)
{
  guint type;

  if (format->kind == CODED_H265) {
    type = (unit[0] >> 1) & 0x3f;
    return type > H265_LAST_VCL                             ? SHOWS_NOTHING
        : type >= H265_FIRST_IRAP && type <= H265_LAST_IRAP ? IS_ENTRY
                                                            : IS_NO_ENTRY;
  }
  type = unit[0] & 0x1f;
  if (type == H264_SEI)
    return read_sei (unit, n);
  return type == H264_IDR                     ? IS_ENTRY
      : type >= H264_SLICE && type < H264_IDR ? IS_NO_ENTRY
                                              : SHOWS_NOTHING;
}

gboolean
tool_coded_is_entry (const ToolCodedFormat *format, GstBuffer *buffer)
{
  Answer answer = SHOWS_NOTHING;
  GstMapInfo map;
  gsize at = 0, length;

  if (format->kind == CODED_EVERY_KEY)
    return TRUE;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  while (answer == SHOWS_NOTHING && map.size - at > format->n_length) {
    length = 0;
    for (guint i = 0; i < format->n_length; i++)
      length = length << 8 | map.data[at++];
    if (length == 0 || length > map.size - at)
      break;
    answer = read_unit (format, map.data + at, length);
    at += length;
  }
  gst_buffer_unmap (buffer, &map);
  return answer == IS_ENTRY;
}

#endif
