/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A fake video decoder, libnvcuvid.so.1, with the capabilities of a Tesla T4:
 * all codecs but AV1. The structure is laid out as NVIDIA's Video Codec SDK
 * documents it. */

#include "fake.h"

typedef struct
{
  int codec, chroma;
  unsigned int depth_minus_8, reserved1[3];
  unsigned char supported, n_engines;
  unsigned short formats;
  unsigned int max_width, max_height, max_blocks;
  unsigned short min_width, min_height;
  unsigned char histogram, counter_bits;
  unsigned short max_bins;
  unsigned int reserved3[10];
} Caps;

int cuvidGetDecoderCaps (Caps *caps);

FAKE int
cuvidGetDecoderCaps (Caps *caps)
{
  enum
  {
    JPEG = 5,
    AV1 = 11
  };

  if (caps->codec == AV1)
    return 0;
  caps->supported = 1;
  caps->max_width = caps->codec == JPEG ? 32768 : 8192;
  caps->max_height = caps->codec == JPEG ? 16384 : 8192;
  return 0;
}
