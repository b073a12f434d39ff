/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Types shared by kernels and the host, in plain C without GLib. Activations are
 * [image][row][column][channel] with channels padded to 8. A view is a range of
 * channels; its padding is zero and must stay zero. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  void *data; /* first channel of the view in the first image;
                                 * 16-byte aligned; NULL: no such view */
  int height, width;
  int channels;    /* with padding: a multiple of 8 */
  int pixel;       /* distance between adjacent pixels, in elements */
  long long image; /* distance between adjacent images, in elements */
} Y10KView;

/* The launch configuration of a kernel; NAME.h computes it in y10_NAME_launch (). */
typedef struct
{
  unsigned int grid[3], block[3], shared_bytes;
} Y10KLaunch;

/* Declares functions that both the host and kernels call. */
#ifdef __CUDACC__
#define Y10_K_INLINE static inline __host__ __device__
#else
#define Y10_K_INLINE static inline
#endif

static inline unsigned int
y10_k_div_up (long long a, long long b)
{
  return (unsigned int) ((a + b - 1) / b);
}

/* K (NAME, STRUCT): kernels with one instance per type of activation: y10_NAME_f32,
 * y10_NAME_f16 and y10_NAME_bf16. Each has one parameter, a Y10KSTRUCT passed by
 * value. */
#define Y10_TYPED_KERNELS(K) \
  K (preprocess, Preprocess) \
  K (stem, Stem) \
  K (conv, Conv) \
  K (epilogue, Epilogue) \
  K (depthwise, Depthwise) \
  K (maxpool5, MaxPool5) \
  K (upsample2x, Upsample2x) \
  K (attention, Attention)

/* Kernels that read logits, which are always floats: y10_NAME. */
#define Y10_UNTYPED_KERNELS(K) \
  K (head_scan, Head) \
  K (head_select, Head) \
  K (head_nms, Head) \
  K (head_nms_pairs, Head)

/* Kernels of the painter, which draw on pictures: y10_NAME. */
#define Y10_PAINTER_KERNELS(K) \
  K (overlay, Overlay) \
  K (overlay_means, Blur) \
  K (overlay_blur, Blur)

#ifdef __cplusplus
}
#endif
