/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <y10/error.h>

G_BEGIN_DECLS

/**
 * Y10PixelFormat:
 * @Y10_PIXEL_RGB: packed 8-bit R G B
 * @Y10_PIXEL_BGR: packed 8-bit B G R
 * @Y10_PIXEL_RGBX: packed 8-bit R G B x; x is ignored
 * @Y10_PIXEL_BGRX: packed 8-bit B G R x
 * @Y10_PIXEL_XRGB: packed 8-bit x R G B
 * @Y10_PIXEL_XBGR: packed 8-bit x B G R
 * @Y10_PIXEL_RGBA: packed 8-bit R G B A; alpha is ignored
 * @Y10_PIXEL_BGRA: packed 8-bit B G R A
 * @Y10_PIXEL_ARGB: packed 8-bit A R G B
 * @Y10_PIXEL_ABGR: packed 8-bit A B G R
 * @Y10_PIXEL_GBR: three 8-bit planes G, B, R
 * @Y10_PIXEL_RGBP: three 8-bit planes R, G, B
 * @Y10_PIXEL_NV12: plane Y, plane of U V pairs, 4:2:0
 * @Y10_PIXEL_NV21: plane Y, plane of V U pairs, 4:2:0
 * @Y10_PIXEL_I420: planes Y, U, V, 4:2:0
 * @Y10_PIXEL_YV12: planes Y, V, U, 4:2:0
 * @Y10_PIXEL_Y42B: planes Y, U, V, 4:2:2
 * @Y10_PIXEL_Y444: planes Y, U, V, 4:4:4
 * @Y10_PIXEL_YUY2: packed Y0 U Y1 V, 4:2:2
 * @Y10_PIXEL_UYVY: packed U Y0 V Y1, 4:2:2
 * @Y10_PIXEL_GRAY8: one plane of luma
 * @Y10_PIXEL_P010: as NV12, 16-bit little endian, the value in the upper 10 bits
 * @Y10_PIXEL_TENSOR: three planes R, G, B of float in [0, 1], already of the
 *   network's input size: no letterbox is applied. For tests and benchmarks.
 *
 * Memory layout of a #Y10Image. The planes have the listed order, which is
 * GStreamer's.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_PIXEL_RGB,
  Y10_PIXEL_BGR,
  Y10_PIXEL_RGBX,
  Y10_PIXEL_BGRX,
  Y10_PIXEL_XRGB,
  Y10_PIXEL_XBGR,
  Y10_PIXEL_RGBA,
  Y10_PIXEL_BGRA,
  Y10_PIXEL_ARGB,
  Y10_PIXEL_ABGR,
  Y10_PIXEL_GBR,
  Y10_PIXEL_RGBP,
  Y10_PIXEL_NV12,
  Y10_PIXEL_NV21,
  Y10_PIXEL_I420,
  Y10_PIXEL_YV12,
  Y10_PIXEL_Y42B,
  Y10_PIXEL_Y444,
  Y10_PIXEL_YUY2,
  Y10_PIXEL_UYVY,
  Y10_PIXEL_GRAY8,
  Y10_PIXEL_P010,
  Y10_PIXEL_TENSOR,
} Y10PixelFormat;

#define Y10_N_PIXEL_FORMATS (Y10_PIXEL_TENSOR + 1)

/**
 * Y10ColorMatrix:
 * @Y10_MATRIX_BT601: ITU-R BT.601 and SMPTE 170M: Kr 0.299, Kb 0.114
 * @Y10_MATRIX_BT709: ITU-R BT.709: Kr 0.2126, Kb 0.0722
 * @Y10_MATRIX_BT2020: ITU-R BT.2020 non-constant: Kr 0.2627, Kb 0.0593
 * @Y10_MATRIX_SMPTE240M: SMPTE 240M: Kr 0.212, Kb 0.087
 * @Y10_MATRIX_FCC: FCC: Kr 0.30, Kb 0.11
 *
 * Conversion matrix between Y'CbCr and R'G'B'. Ignored for RGB formats.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_MATRIX_BT601,
  Y10_MATRIX_BT709,
  Y10_MATRIX_BT2020,
  Y10_MATRIX_SMPTE240M,
  Y10_MATRIX_FCC,
} Y10ColorMatrix;

/**
 * Y10Memory:
 * @Y10_MEMORY_HOST: plane pointers are host addresses
 * @Y10_MEMORY_CUDA: plane pointers are device addresses
 *
 * Memory in which the planes of a #Y10Image lie.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_MEMORY_HOST,
  Y10_MEMORY_CUDA,
} Y10Memory;

/**
 * Y10Image:
 * @size: sizeof (Y10Image)
 * @format: memory layout of the pixels
 * @memory: memory of the planes
 * @matrix: colour matrix of YUV formats
 * @full_range: %TRUE if luma is 0–255, %FALSE if it is 16–235. Ignored for RGB
 *   and for GRAY8, which most cameras output with 0–255
 * @x: left edge of the region to read, pixels; 0 for the whole frame
 * @y: upper edge of the region to read, pixels
 * @width: width of the region, pixels, at least 1
 * @height: height of the region, pixels, at least 1
 * @plane: first byte of each plane of the whole frame, borrowed
 * @stride: bytes between rows of each plane
 * @cuda_stream: (nullable): CUDA memory only: the CUstream in the engine's
 *   context that writes the pixels. The engine reads them after all work that is
 *   queued there when the step is submitted. %NULL if they have been written.
 *   The CUstream must live as long as the pixels
 * @par_n: pixel aspect ratio, width to height, numerator; 0: square pixels
 * @par_d: its denominator. The ratio is 1/4 to 4. The network sees the picture as it
 *   is displayed; boxes are in the image's own pixels. Since 0.2
 *
 * A borrowed image. The engine reads @width × @height pixels starting at (@x,
 * @y); boxes are relative to that corner. The memory must stay valid and
 * unchanged until y10_step_wait_input() or y10_step_wait() returns for the step
 * that the image was added to.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  Y10PixelFormat format;
  Y10Memory memory;
  Y10ColorMatrix matrix;
  gboolean full_range;
  guint x, y;
  guint width, height;
  const guint8 *plane[4];
  gsize stride[4];
  gpointer cuda_stream;
  guint par_n, par_d;
} Y10Image;

/**
 * Y10_MAX_PIXEL_ASPECT_RATIO:
 *
 * Largest pixel aspect ratio of a #Y10Image; the smallest is its inverse.
 *
 * Since: 0.2
 */
#define Y10_MAX_PIXEL_ASPECT_RATIO 4

/**
 * Y10_MAX_IMAGE_SIZE:
 *
 * Maximum width and height of an image, pixels; enough for 16K video.
 */
#define Y10_MAX_IMAGE_SIZE 16384

Y10_API const char *y10_pixel_format_get_name (Y10PixelFormat format);

/**
 * Y10Letterbox:
 * @src_width: width of the picture, pixels
 * @src_height: height of the picture, pixels
 * @dst_width: width of the network's input, pixels
 * @dst_height: height of the network's input, pixels
 * @width: width of the scaled picture within the input, pixels
 * @height: height of the scaled picture within the input, pixels
 * @left: width of the left border, pixels
 * @top: height of the upper border, pixels
 * @scale: input pixels per source pixel
 *
 * How a picture is fitted into the network's input, as the training code does
 * it (ultralytics LetterBox, auto=False, scaleup, center): one scale for both
 * directions and equal borders, of which the right or lower one gets an odd
 * pixel.
 *
 * Since: 0.1
 */
typedef struct
{
  guint src_width, src_height;
  guint dst_width, dst_height;
  guint width, height;
  guint left, top;
  gdouble scale;
} Y10Letterbox;

Y10_API void y10_letterbox_init (Y10Letterbox *letterbox, guint src_width,
    guint src_height, guint dst_width, guint dst_height);
Y10_API void y10_letterbox_to_source (const Y10Letterbox *letterbox,
    gfloat box[4]);

G_END_DECLS
