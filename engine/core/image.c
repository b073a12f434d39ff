/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Image formats, colour conversion and the letterbox. This file touches no
 * pixels: the preprocess.c of each backend does, with the numbers computed
 * here, so all backends agree bit for bit. Positions and weights of taps
 * match OpenCV, the letterbox matches the training code: the network gets
 * the input that it was trained on. */

#include "core/image.h"

#include <math.h>

/* clang-format off */
#define PACKED(r, g, b, n) \
  { { 0, n, r, 0, 0 }, { 0, n, g, 0, 0 }, { 0, n, b, 0, 0 } }
#define PLANAR(a, b, c, xs, ys, n) \
  { { a, n, 0, 0, 0 }, { b, n, 0, xs, ys }, { c, n, 0, xs, ys } }
#define SEMI(u, v, n) \
  { { 0, n, 0, 0, 0 }, { 1, 2 * n, u, 1, 1 }, { 1, 2 * n, v, 1, 1 } }
#define MACROPIXEL(y, u, v) \
  { { 0, 2, y, 0, 0 }, { 0, 4, u, 1, 0 }, { 0, 4, v, 1, 0 } }
/* clang-format on */

static const Y10FormatInfo formats[Y10_N_PIXEL_FORMATS] = {
  [Y10_PIXEL_RGB] = { "RGB", 1, FALSE, 1, PACKED (0, 1, 2, 3) },
  [Y10_PIXEL_BGR] = { "BGR", 1, FALSE, 1, PACKED (2, 1, 0, 3) },
  [Y10_PIXEL_RGBX] = { "RGBx", 1, FALSE, 1, PACKED (0, 1, 2, 4) },
  [Y10_PIXEL_BGRX] = { "BGRx", 1, FALSE, 1, PACKED (2, 1, 0, 4) },
  [Y10_PIXEL_XRGB] = { "xRGB", 1, FALSE, 1, PACKED (1, 2, 3, 4) },
  [Y10_PIXEL_XBGR] = { "xBGR", 1, FALSE, 1, PACKED (3, 2, 1, 4) },
  [Y10_PIXEL_RGBA] = { "RGBA", 1, FALSE, 1, PACKED (0, 1, 2, 4) },
  [Y10_PIXEL_BGRA] = { "BGRA", 1, FALSE, 1, PACKED (2, 1, 0, 4) },
  [Y10_PIXEL_ARGB] = { "ARGB", 1, FALSE, 1, PACKED (1, 2, 3, 4) },
  [Y10_PIXEL_ABGR] = { "ABGR", 1, FALSE, 1, PACKED (3, 2, 1, 4) },
  [Y10_PIXEL_GBR] = { "GBR", 3, FALSE, 1, PLANAR (2, 0, 1, 0, 0, 1) },
  [Y10_PIXEL_RGBP] = { "RGBP", 3, FALSE, 1, PLANAR (0, 1, 2, 0, 0, 1) },
  [Y10_PIXEL_NV12] = { "NV12", 2, TRUE, 1, SEMI (0, 1, 1) },
  [Y10_PIXEL_NV21] = { "NV21", 2, TRUE, 1, SEMI (1, 0, 1) },
  [Y10_PIXEL_I420] = { "I420", 3, TRUE, 1, PLANAR (0, 1, 2, 1, 1, 1) },
  [Y10_PIXEL_YV12] = { "YV12", 3, TRUE, 1, PLANAR (0, 2, 1, 1, 1, 1) },
  [Y10_PIXEL_Y42B] = { "Y42B", 3, TRUE, 1, PLANAR (0, 1, 2, 1, 0, 1) },
  [Y10_PIXEL_Y444] = { "Y444", 3, TRUE, 1, PLANAR (0, 1, 2, 0, 0, 1) },
  [Y10_PIXEL_YUY2] = { "YUY2", 1, TRUE, 1, MACROPIXEL (0, 1, 3) },
  [Y10_PIXEL_UYVY] = { "UYVY", 1, TRUE, 1, MACROPIXEL (1, 0, 2) },
  /* R, G and B all read the luma plane. */
  [Y10_PIXEL_GRAY8] = { "GRAY8", 1, FALSE, 1, PLANAR (0, 0, 0, 0, 0, 1) },
  [Y10_PIXEL_P010] = { "P010_10LE", 2, TRUE, 2, SEMI (0, 2, 2) },
  [Y10_PIXEL_TENSOR] = { "tensor", 3, FALSE, 4, PLANAR (0, 1, 2, 0, 0, 4) },
};

const Y10FormatInfo *
y10_pixel_format_get_info (Y10PixelFormat format)
{
  return (guint) format < Y10_N_PIXEL_FORMATS ? &formats[format] : NULL;
}

/**
 * y10_pixel_format_get_name:
 * @format: a #Y10PixelFormat
 *
 * The format's name in GStreamer caps, such as "NV12"; "tensor" for
 * %Y10_PIXEL_TENSOR, which has no GStreamer format.
 *
 * Returns: (transfer none) (nullable): the name, or %NULL if @format is not a
 *   #Y10PixelFormat
 *
 * Since: 0.1
 */
const char *
y10_pixel_format_get_name (Y10PixelFormat format)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (format);

  return info != NULL ? info->name : NULL;
}

/* Bytes of a row of @plane up to and including pixel @last with its padding
 * byte. */
static gsize
row_size (const Y10FormatInfo *info, guint plane, guint last)
{
  gsize size = 0;

  for (guint i = 0; i < 3; i++) {
    const Y10Component *c = &info->component[i];

    if (c->plane == plane)
      size = MAX (size, ((gsize) (last >> c->xshift) + 1) * c->step);
  }
  return size;
}

static gboolean
check_extent (const char *what, const char *where, guint pos, guint size,
    GError **error)
{
  if (size < 1 || size > Y10_MAX_IMAGE_SIZE) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "image %s is %u, expected 1 to %u", what, size, Y10_MAX_IMAGE_SIZE);
    return FALSE;
  }
  if (pos > Y10_MAX_IMAGE_SIZE - size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "image %s is %u with %s %u, expected %s + %s to be at most %u", where,
        pos, what, size, where, what, Y10_MAX_IMAGE_SIZE);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_pixel_aspect_ratio (const Y10Image *image, GError **error)
{
  const guint64 n = image->par_n, d = image->par_d,
                most = Y10_MAX_PIXEL_ASPECT_RATIO;

  if (n == 0)
    return TRUE;
  if (n * most < d || n > d * most) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the image's pixel aspect ratio is %u/%u, expected 1/%u to %u/1",
        image->par_n, image->par_d, (guint) most, (guint) most);
    return FALSE;
  }
  if (image->format == Y10_PIXEL_TENSOR && n != d) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the tensor image's pixel aspect ratio is %u/%u, expected 1/1",
        image->par_n, image->par_d);
    return FALSE;
  }
  return TRUE;
}

guint
y10_image_get_display_width (const Y10Image *image)
{
  if (image->par_n == image->par_d || image->par_n == 0)
    return image->width;
  return (guint) MAX (1,
      rint ((gdouble) image->width * image->par_n / image->par_d));
}

/* Checks everything about @image except the size of the memory that its planes
 * point to. */
gboolean
y10_image_validate (const Y10Image *image, GError **error)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (image->format);

  if (info == NULL) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "image format is %u, expected a Y10PixelFormat, 0 to %u",
        (guint) image->format, Y10_N_PIXEL_FORMATS - 1);
    return FALSE;
  }
  if ((guint) image->memory > Y10_MEMORY_CUDA) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "image memory is %u, expected a Y10Memory, 0 to %u",
        (guint) image->memory, Y10_MEMORY_CUDA);
    return FALSE;
  }
  if (info->yuv && (guint) image->matrix > Y10_MATRIX_FCC) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "image matrix is %u, expected a Y10ColorMatrix, 0 to %u",
        (guint) image->matrix, Y10_MATRIX_FCC);
    return FALSE;
  }
  if (!check_extent ("width", "x", image->x, image->width, error)
      || !check_extent ("height", "y", image->y, image->height, error)
      || !check_pixel_aspect_ratio (image, error))
    return FALSE;

  for (guint p = 0; p < info->n_planes; p++) {
    gsize size = row_size (info, p, image->x + image->width - 1);

    if (image->plane[p] == NULL) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "%s image: plane %u is NULL, expected %u planes", info->name, p,
          info->n_planes);
      return FALSE;
    }
    if (image->stride[p] < size) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "%s image: stride of plane %u is %" G_GSIZE_FORMAT " bytes, expected "
          "at least %" G_GSIZE_FORMAT " for x %u, width %u",
          info->name, p, image->stride[p], size, image->x, image->width);
      return FALSE;
    }
  }
  return TRUE;
}

/* R' = Y' + 2 (1 - Kr) Cr and so on (ITU-R BT.601 and related standards),
 * scaled to 0–255. The biases include rounding half up. They are computed
 * from the rounded gains, so that grey stays grey. */
void
y10_color_transform_init (Y10ColorTransform *t, Y10ColorMatrix matrix,
    gboolean full_range, guint bits)
{
  static const struct
  {
    gdouble kr, kb;
  } luma[] = {
    [Y10_MATRIX_BT601] = { 0.299, 0.114 },
    [Y10_MATRIX_BT709] = { 0.2126, 0.0722 },
    [Y10_MATRIX_BT2020] = { 0.2627, 0.0593 },
    [Y10_MATRIX_SMPTE240M] = { 0.212, 0.087 },
    [Y10_MATRIX_FCC] = { 0.30, 0.11 },
  };
  const gdouble kr = luma[matrix].kr, kb = luma[matrix].kb, kg = 1 - kr - kb;
  const gint unit = 1 << (bits - 8); /* one 8-bit step */
  const gint y_zero = full_range ? 0 : 16 * unit, c_zero = 128 * unit;
  const gint y_range = full_range ? 256 * unit - 1 : 219 * unit;
  const gint c_range = full_range ? 256 * unit - 1 : 224 * unit;
  const gdouble y = 255.0 * (1 << Y10_COLOR_BITS) / y_range;
  const gdouble c = 255.0 * (1 << Y10_COLOR_BITS) / c_range;
  const gint32 half = 1 << (Y10_COLOR_BITS - 1);

  t->y_gain = lrint (y);
  t->v_to_r = lrint (c * 2 * (1 - kr));
  t->u_to_g = lrint (c * -2 * (1 - kb) * kb / kg);
  t->v_to_g = lrint (c * -2 * (1 - kr) * kr / kg);
  t->u_to_b = lrint (c * 2 * (1 - kb));
  t->r_bias = half - t->y_gain * y_zero - t->v_to_r * c_zero;
  t->g_bias = half - t->y_gain * y_zero - (t->u_to_g + t->v_to_g) * c_zero;
  t->b_bias = half - t->y_gain * y_zero - t->u_to_b * c_zero;
}

/* Rounds exactly where OpenCV does: inverted quotient, position in double,
 * fraction and weights in float. */
static Y10Tap
make_tap (guint i, guint n_src, guint n_dst, gboolean clamp)
{
  const gdouble scale = 1.0 / ((gdouble) n_dst / n_src);
  gfloat f = (gfloat) ((i + 0.5) * scale - 0.5);
  gint last = (gint) n_src - 1, pos = (gint) floorf (f);
  Y10Tap tap;

  f -= pos;
  if (clamp && (pos < 0 || pos >= last)) {
    f = 0;
    pos = CLAMP (pos, 0, last);
  }
  tap.pos[0] = CLAMP (pos, 0, last);
  tap.pos[1] = CLAMP (pos + 1, 0, last);
  tap.weight[0] = lrintf ((1.0f - f) * Y10_TAP_ONE);
  tap.weight[1] = lrintf (f * Y10_TAP_ONE);
  return tap;
}

/* OpenCV discards the fraction left of the first and right of the last
 * column. */
Y10Tap
y10_tap_column (guint i, guint n_src, guint n_dst)
{
  return make_tap (i, n_src, n_dst, TRUE);
}

/* OpenCV blends the first and the last row with themselves, which may round
 * differently. */
Y10Tap
y10_tap_row (guint i, guint n_src, guint n_dst)
{
  return make_tap (i, n_src, n_dst, FALSE);
}

static guint
centre (guint size, guint picture)
{
  return (guint) rint ((size - picture) / 2.0 - 0.1);
}

/**
 * y10_letterbox_init:
 * @letterbox: (out caller-allocates): the letterbox to fill in
 * @src_width: width of the picture, pixels, at least 1
 * @src_height: height of the picture, pixels, at least 1
 * @dst_width: width of the network's input, pixels, at least 1
 * @dst_height: height of the network's input, pixels, at least 1
 *
 * Fits a picture into the network's input as the training code does: scaled to
 * the largest size that fits and keeps its aspect ratio, rounded to whole
 * pixels (at least one), and centred.
 *
 * Since: 0.1
 */
void
y10_letterbox_init (Y10Letterbox *letterbox, guint src_width, guint src_height,
    guint dst_width, guint dst_height)
{
  gdouble scale;

  g_return_if_fail (letterbox != NULL);
  g_return_if_fail (src_width > 0 && src_height > 0);
  g_return_if_fail (dst_width > 0 && dst_height > 0);

  /* rint() rounds half to even, like Python's round(). */
  scale = MIN ((gdouble) dst_height / src_height,
      (gdouble) dst_width / src_width);
  letterbox->src_width = src_width;
  letterbox->src_height = src_height;
  letterbox->dst_width = dst_width;
  letterbox->dst_height = dst_height;
  letterbox->scale = scale;
  letterbox->width = MAX (1, (guint) rint (src_width * scale));
  letterbox->height = MAX (1, (guint) rint (src_height * scale));
  letterbox->left = centre (dst_width, letterbox->width);
  letterbox->top = centre (dst_height, letterbox->height);
}

static guint
trim (guint size, guint picture)
{
  return size - (size - picture) / Y10_INPUT_GRANULE * Y10_INPUT_GRANULE;
}

void
y10_letterbox_trim (Y10Letterbox *letterbox)
{
  Y10Letterbox *l = letterbox;

  l->dst_width = trim (l->dst_width, l->width);
  l->dst_height = trim (l->dst_height, l->height);
  l->left = centre (l->dst_width, l->width);
  l->top = centre (l->dst_height, l->height);
}

/**
 * y10_letterbox_to_source:
 * @letterbox: how the picture was fitted into the input
 * @box: (inout) (array fixed-size=4): left, top, right and bottom edge; pixels
 *   of the network's input on entry, pixels of the picture on return
 *
 * Maps a box from the network's input back to the picture and clips it to the
 * picture. Subtracts the border that y10_letterbox_init() computed, so the box
 * lies on its pixels. PyTorch code that recomputes the border from the
 * unrounded size is off by one input pixel for some sizes (614 x 461).
 *
 * Since: 0.1
 */
void
y10_letterbox_to_source (const Y10Letterbox *letterbox, gfloat box[4])
{
  const Y10Letterbox *l = letterbox;
  const gfloat pad[2] = { l->left, l->top };
  const gfloat size[2] = { l->src_width, l->src_height };

  for (guint i = 0; i < 4; i++) {
    gfloat v = (box[i] - pad[i & 1]) / (gfloat) l->scale;

    box[i] = CLAMP (v, 0.0f, size[i & 1]);
  }
}
