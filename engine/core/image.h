/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by all code that reads a Y10Image, so that all backends compute the
 * same bits: where the samples of each format lie, how Y'CbCr becomes
 * R'G'B', and which source pixels contribute to a pixel of the network's
 * input. */

#include <y10/image.h>

G_BEGIN_DECLS

/* Byte position of the sample of pixel x, y (absolute, not within the
 * region): plane[plane] + (y >> yshift) * stride[plane] + (x >> xshift) *
 * step + offset */
typedef struct
{
  guint8 plane, step, offset, xshift, yshift;
} Y10Component;

typedef struct
{
  const char *name; /* in GStreamer caps */
  guint n_planes;
  gboolean yuv;      /* components are Y, U, V; else R, G, B */
  guint sample_size; /* bytes: 1; 2 for P010; 4 for the tensor */
  Y10Component component[3];
} Y10FormatInfo;

/* Returns NULL for an unknown format. */
const Y10FormatInfo *y10_pixel_format_get_info (Y10PixelFormat format);

gboolean y10_image_validate (const Y10Image *image, GError **error);
/* Width of the picture where its pixels are square, with the same height. */
guint y10_image_get_display_width (const Y10Image *image);

#define Y10_COLOR_BITS 20

/* R = clip ((y_gain * Y            + v_to_r * V + r_bias) >> Y10_COLOR_BITS)
 * G = clip ((y_gain * Y + u_to_g * U + v_to_g * V + g_bias) >> ...)
 * B = clip ((y_gain * Y + u_to_b * U              + b_bias) >> ...)
 * with Y, U, V as stored, 8 or 10 bits. No sum overflows 32 bits. */
typedef struct
{
  gint32 y_gain;
  gint32 v_to_r, u_to_g, v_to_g, u_to_b;
  gint32 r_bias, g_bias, b_bias;
} Y10ColorTransform;

/* @bits: bits per sample, 8 or 10 */
void y10_color_transform_init (Y10ColorTransform *transform,
    Y10ColorMatrix matrix, gboolean full_range, guint bits);

/* Two source positions and their weights in units of 1/2048. */
typedef struct
{
  guint32 pos[2];
  gint16 weight[2];
} Y10Tap;

#define Y10_TAP_ONE 2048

/* The taps of destination pixel @i, for columns and for rows, as OpenCV's
 * INTER_LINEAR computes them for 8-bit pictures. */
Y10Tap y10_tap_column (guint i, guint n_src, guint n_dst);
Y10Tap y10_tap_row (guint i, guint n_src, guint n_dst);

#define Y10_LETTERBOX_FILL 114 /* out of 255 */

/* The sides of a network's input are multiples of this. */
#define Y10_INPUT_GRANULE 32

/* Takes from the input what is border only, in steps of the granule: the picture keeps
 * its size and is centred again, as in Ultralytics' LetterBox (auto=True). */
void y10_letterbox_trim (Y10Letterbox *letterbox);

G_END_DECLS
