/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds each anchor's best class, of those that are requested or, if only the best one of all
 * counts, of all. Only this kernel reads all logits,
 * and reads them once: eight lanes per anchor, four classes at a time, so that a
 * warp reads contiguous 128 bytes. */

#include "head.cuh"

enum
{
  SCAN_STEP = 4
      * Y10_HEAD_SCAN_LANES, /* classes that an anchor's lanes read at once */
  SCAN_AHEAD = 3, /* such reads before the first use: all of 80 classes */
};

extern "C" __global__ void
__launch_bounds__ (Y10_HEAD_SCAN_THREADS, 4) y10_head_scan (Y10KHead p)
{
  const unsigned int thread = blockIdx.x * Y10_HEAD_SCAN_THREADS + threadIdx.x;
  const unsigned int anchor = thread / Y10_HEAD_SCAN_LANES;
  const unsigned int lane = thread % Y10_HEAD_SCAN_LANES;
  const int image = (int) blockIdx.y, n_classes = p.n_classes;
  const bool filter = p.best_class && !p.params[image].all_classes;
  const bool all = p.best_class || p.params[image].all_classes;
  const unsigned char *wanted = p.classes + (long long) image * n_classes;
  const bool inside = anchor < (unsigned int) p.n_anchors;
  unsigned int key = 0, best = Y10_NO_CLASS;
  /* Twice the first class that counts, plus one if its logit is NaN. */
  unsigned int first = 0xffffffffu;

  if (inside) {
    const float *logits = y10_head_class_logits (p, image, anchor);

    for (int from = 4 * (int) lane; from < n_classes;
         from += SCAN_AHEAD * SCAN_STEP) {
      float4 four[SCAN_AHEAD];

#pragma unroll
      for (int j = 0; j < SCAN_AHEAD; j++) {
        four[j] = make_float4 (0, 0, 0, 0);
        if (from + j * SCAN_STEP < n_classes)
          four[j] = *(const float4 *) (logits + from + j * SCAN_STEP);
      }
#pragma unroll
      for (int j = 0; j < SCAN_AHEAD; j++) {
        const float l[4] = { four[j].x, four[j].y, four[j].z, four[j].w };

#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int c = from + j * SCAN_STEP + i;

          if (c < n_classes && (all || wanted[c])) {
            const unsigned int k = y10_head_key (l[i]);

            if (first == 0xffffffffu)
              first = 2 * (unsigned int) c + (k == 0);
            if (k > key) {
              key = k;
              best = (unsigned int) c;
            }
          }
        }
      }
    }
  }
  for (int d = Y10_HEAD_SCAN_LANES / 2; d > 0; d /= 2) {
    const unsigned int k = __shfl_xor_sync (Y10_ALL_LANES, key, d);
    const unsigned int b = __shfl_xor_sync (Y10_ALL_LANES, best, d);
    const unsigned int f = __shfl_xor_sync (Y10_ALL_LANES, first, d);

    if (k > key || (k == key && b < best)) {
      key = k;
      best = b;
    }
    first = f < first ? f : first;
  }
  if (inside && lane == 0) {
    const Y10KHeadScratch at = y10_head_scratch (&p);
    char *scratch = (char *) p.scratch + image * at.bytes;

    ((unsigned int *) (scratch + at.keys))[anchor] = key;
    /* No value is larger than NaN: if the logit of the first class is NaN, the
     * reference's search for the maximum stays there. */
    ((unsigned int *) (scratch + at.best))[anchor] = first & 1
            || (filter && best != Y10_NO_CLASS && !wanted[best])
        ? Y10_NO_CLASS
        : best;
  }
}
