/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The core of Attention (YOLOv10 §3.3): per head softmax (q'k · key_dim^-½) v
 * over all positions, plus the depthwise 3×3 of v with its bias. Sums and the
 * softmax are floats. Segments of in are q, k, v of each head, each padded to
 * 8 channels; of out one a head. Head dimensions are any (m has 36 and 72). */

#include "view.h"

typedef struct
{
  Y10KView in, out;
  const void *weight;           /* [3][3][out.channels] of the positional
                                 * convolution, the activations' type */
  const float *bias;            /* out.channels */
  int heads, key_dim, head_dim; /* without padding */
  int images;
} Y10KAttention;
