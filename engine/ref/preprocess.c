/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Converts a picture to the network's input, one output pixel at a time:
 * converts four source pixels to 8-bit R'G'B', blends them as OpenCV's
 * INTER_LINEAR blends 8-bit pictures, and divides by 255. Chroma is that of
 * the nearest sample to the left and above, by the position in the frame,
 * not in the region. The computation is exact: other host backends give the
 * same bits. */

#include "ref/preprocess.h"

#include <string.h>

#include "core/image.h"

typedef struct
{
  const Y10Image *image;
  const Y10FormatInfo *info;
  Y10ColorTransform color;
} Source;

static gint32
read_sample (const Source *s, guint component, guint x, guint y)
{
  const Y10Component *c = &s->info->component[component];
  const guint8 *p = s->image->plane[c->plane]
      + (y >> c->yshift) * s->image->stride[c->plane]
      + (x >> c->xshift) * c->step + c->offset;

  /* P010: little endian, value in the upper 10 bits. */
  return s->info->sample_size == 2 ? (p[0] | p[1] << 8) >> 6 : p[0];
}

static guint8
clip (gint32 v)
{
  return CLAMP (v >> Y10_COLOR_BITS, 0, 255);
}

/* Reads pixel @x, @y of the region as 8-bit R'G'B'. */
static void
read_pixel (const Source *s, guint x, guint y, guint8 rgb[3])
{
  const Y10ColorTransform *t = &s->color;
  gint32 v[3];

  for (guint i = 0; i < 3; i++)
    v[i] = read_sample (s, i, s->image->x + x, s->image->y + y);

  if (s->info->yuv) {
    gint32 luma = t->y_gain * v[0];

    rgb[0] = clip (luma + t->v_to_r * v[2] + t->r_bias);
    rgb[1] = clip (luma + t->u_to_g * v[1] + t->v_to_g * v[2] + t->g_bias);
    rgb[2] = clip (luma + t->u_to_b * v[1] + t->b_bias);
  } else {
    for (guint i = 0; i < 3; i++)
      rgb[i] = v[i];
  }
}

/* OpenCV's fixed point: weights have 11 fractional bits in each direction; 7
 * bits remain after the columns and 2 after the rows. */
static void
blend (const Source *s, const Y10Tap *column, const Y10Tap *row, guint8 rgb[3])
{
  guint8 p[2][2][3];

  for (guint y = 0; y < 2; y++)
    for (guint x = 0; x < 2; x++)
      read_pixel (s, column->pos[x], row->pos[y], p[y][x]);

  for (guint i = 0; i < 3; i++) {
    gint32 sum = 2;

    for (guint y = 0; y < 2; y++) {
      gint32 h = p[y][0][i] * column->weight[0]
          + p[y][1][i] * column->weight[1];

      sum += (row->weight[y] * (h >> 4)) >> 16;
    }
    rgb[i] = sum >> 2;
  }
}

static void
copy_tensor (const Y10Image *image, const Y10Letterbox *l, gfloat *planes)
{
  for (guint p = 0; p < 3; p++)
    for (guint y = 0; y < l->dst_height; y++)
      memcpy (planes + ((gsize) p * l->dst_height + y) * l->dst_width,
          image->plane[p] + (image->y + y) * image->stride[p]
              + image->x * sizeof (gfloat),
          l->dst_width * sizeof (gfloat));
}

void
y10_ref_preprocess (const Y10Image *image, const Y10Letterbox *l,
    gfloat *planes)
{
  const gsize plane_size = (gsize) l->dst_height * l->dst_width;
  Source s = {
    .image = image,
    .info = y10_pixel_format_get_info (image->format),
  };

  if (image->format == Y10_PIXEL_TENSOR) {
    copy_tensor (image, l, planes);
    return;
  }

  if (s.info->yuv)
    y10_color_transform_init (&s.color, image->matrix, image->full_range,
        s.info->sample_size == 2 ? 10 : 8);

  for (gsize i = 0; i < 3 * plane_size; i++)
    planes[i] = Y10_LETTERBOX_FILL / 255.0f;

  for (guint y = 0; y < l->height; y++) {
    gfloat *out = planes + (gsize) (l->top + y) * l->dst_width + l->left;
    Y10Tap row = y10_tap_row (y, l->src_height, l->height);

    for (guint x = 0; x < l->width; x++) {
      Y10Tap column = y10_tap_column (x, image->width, l->width);
      guint8 rgb[3];

      blend (&s, &column, &row, rgb);
      for (guint i = 0; i < 3; i++)
        out[i * plane_size + x] = rgb[i] / 255.0f;
    }
  }
}
