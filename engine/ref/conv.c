/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Convolution, bias, SiLU, residual, in floats and in integers. A row of outputs is a sum of shifted
 * rows of inputs, so the inner loop runs over contiguous memory. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "ref/ops.h"

/* The range of outputs x for which x * stride + shift is a column of the
 * input. */
static void
valid_columns (gint shift, guint stride, guint in_width, guint out_width,
    guint *begin, guint *end)
{
  gint last = (gint) in_width - 1 - shift;

  *begin = shift < 0 ? (-shift + stride - 1) / stride : 0;
  *end = last < 0 ? 0 : MIN (out_width, (guint) last / stride + 1);
}

static void
add_row (gfloat *restrict row, const gfloat *restrict in, gfloat weight,
    gint shift, guint stride, guint begin, guint end)
{
  if (stride == 1) {
    const gfloat *restrict p = in + shift;
    for (guint x = begin; x < end; x++)
      row[x] += weight * p[x];
  } else {
    for (guint x = begin; x < end; x++)
      row[x] += weight * in[(gint) (x * stride) + shift];
  }
}

static gfloat
silu (gfloat x)
{
  return x / (1.0f + expf (-x));
}

void
y10_ref_conv (const Y10Op *op, const gfloat *in, guint in_channels,
    guint in_height, guint in_width, const gfloat *weight, const gfloat *bias,
    const gfloat *add, gfloat *out, guint out_channels, guint out_height,
    guint out_width, gfloat *row)
{
  guint k = op->kernel, group_in = in_channels / op->groups;
  guint group_out = out_channels / op->groups;

  for (guint o = 0; o < out_channels; o++) {
    const gfloat *planes = in
        + (gsize) (o / group_out) * group_in * in_height * in_width;

    for (guint y = 0; y < out_height; y++) {
      gsize at = ((gsize) o * out_height + y) * out_width;

      for (guint x = 0; x < out_width; x++)
        row[x] = bias[o];
      for (guint i = 0; i < group_in; i++)
        for (guint ky = 0; ky < k; ky++) {
          gint iy = (gint) (y * op->stride + ky) - (gint) op->pad;
          const gfloat *line;

          if (iy < 0 || iy >= (gint) in_height)
            continue;
          line = planes + ((gsize) i * in_height + iy) * in_width;
          for (guint kx = 0; kx < k; kx++) {
            gint shift = (gint) kx - (gint) op->pad;
            guint begin, end;

            valid_columns (shift, op->stride, in_width, out_width, &begin,
                &end);
            add_row (row, line,
                weight[(((gsize) o * group_in + i) * k + ky) * k + kx], shift,
                op->stride, begin, end);
          }
        }
      if (op->act == Y10_ACT_SILU)
        for (guint x = 0; x < out_width; x++)
          row[x] = silu (row[x]);
      if (add)
        for (guint x = 0; x < out_width; x++)
          row[x] += add[at + x];
      memcpy (out + at, row, out_width * sizeof *row);
    }
  }
}

static void
add_row_int8 (gint32 *restrict row, const guint8 *restrict in, gint32 weight,
    gint32 zero, gint shift, guint stride, guint begin, guint end)
{
  for (guint x = begin; x < end; x++)
    row[x] += weight * (in[(gint) (x * stride) + shift] - zero);
}

void
y10_ref_conv_int8 (const Y10Op *op, const guint8 *in, guint in_channels,
    guint in_height, guint in_width, const guint8 *zero, const gint8 *weight,
    const gfloat *scale, const gfloat *bias, gfloat *out, guint out_channels,
    guint out_height, guint out_width, gint32 *sums)
{
  guint k = op->kernel;

  for (guint o = 0; o < out_channels; o++)
    for (guint y = 0; y < out_height; y++) {
      gfloat *row = out + ((gsize) o * out_height + y) * out_width;

      memset (sums, 0, out_width * sizeof *sums);
      for (guint i = 0; i < in_channels; i++)
        for (guint ky = 0; ky < k; ky++) {
          gint iy = (gint) (y * op->stride + ky) - (gint) op->pad;

          if (iy < 0 || iy >= (gint) in_height)
            continue;
          for (guint kx = 0; kx < k; kx++) {
            gint shift = (gint) kx - (gint) op->pad;
            guint begin, end;

            valid_columns (shift, op->stride, in_width, out_width, &begin,
                &end);
            add_row_int8 (sums, in + ((gsize) i * in_height + iy) * in_width,
                weight[(((gsize) o * in_channels + i) * k + ky) * k + kx],
                zero[i], shift, op->stride, begin, end);
          }
        }
      for (guint x = 0; x < out_width; x++) {
        gfloat v = (gfloat) sums[x] * scale[o] + bias[o];

        row[x] = op->act == Y10_ACT_SILU ? silu (v) : v;
      }
    }
}
