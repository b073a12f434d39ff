/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The transforms of Winograd's F(4×4, 3×3) at the points 0, ±A, ±B and infinity,
 * where A B = 1: half the rounding error of the usual ±1, ±2 (Barabasz et al.,
 * Error Analysis and Improving the Accuracy of Winograd Convolution for DNNs,
 * 2020). The including file defines WINOGRAD_VALUE: a vector, or float. */

#define WINOGRAD_A (2.0f / 3)
#define WINOGRAD_B (3.0f / 2)

/* B'd of six values. */
static inline __attribute__ ((always_inline)) void
winograd4_b (const WINOGRAD_VALUE d[6], WINOGRAD_VALUE c[6])
{
  const float a = WINOGRAD_A, b = WINOGRAD_B;
  WINOGRAD_VALUE even_a = d[4] - b * b * d[2], odd_a = a * d[3] - b * d[1];
  WINOGRAD_VALUE even_b = d[4] - a * a * d[2], odd_b = b * d[3] - a * d[1];

  c[0] = d[0] + (d[4] - (a * a + b * b) * d[2]);
  c[1] = even_a + odd_a;
  c[2] = even_a - odd_a;
  c[3] = even_b + odd_b;
  c[4] = even_b - odd_b;
  c[5] = d[1] + (d[5] - (a * a + b * b) * d[3]);
}

/* A'm of six values. */
static inline __attribute__ ((always_inline)) void
winograd4_a (const WINOGRAD_VALUE m[6], WINOGRAD_VALUE o[4])
{
  const float a = WINOGRAD_A, b = WINOGRAD_B;
  WINOGRAD_VALUE sum_a = m[1] + m[2], difference_a = m[1] - m[2];
  WINOGRAD_VALUE sum_b = m[3] + m[4], difference_b = m[3] - m[4];

  o[0] = m[0] + (sum_a + sum_b);
  o[1] = a * difference_a + b * difference_b;
  o[2] = a * a * sum_a + b * b * sum_b;
  o[3] = m[5] + (a * a * a * difference_a + b * b * b * difference_b);
}
