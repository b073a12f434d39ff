/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

/* How the samples of a video stream are read. */
typedef struct
{
  enum
  {
    CODED_OTHER,
    CODED_EVERY_KEY,
    CODED_H264,
    CODED_H265
  } kind;
  guint n_length; /* bytes of length before each NAL unit */
} ToolCodedFormat;

/* FALSE if a decoder's output is not known to be the same after a seek. */
gboolean tool_coded_format_init (ToolCodedFormat *format, const GstCaps *caps);
/* Whether a decoder that starts at the key frame @buffer decodes it and all that
 * is displayed after it exactly. */
gboolean tool_coded_is_entry (const ToolCodedFormat *format, GstBuffer *buffer);
