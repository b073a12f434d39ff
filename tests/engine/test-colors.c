/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Pixels of every format as RGB: colours against the standards' formulas in double
 * and their published colour bars, formats against bytes written by hand, and the
 * positions of chroma samples. */

#include <math.h>
#include <string.h>

#include "preprocesscommon.h"

/* The formulas of ITU-R BT.601 and related standards, without rounding. */
static void
exact_rgb (Y10ColorMatrix matrix, gboolean full, guint bits, const guint yuv[3],
    gdouble rgb[3])
{
  static const gdouble k[][2] = { { 0.299, 0.114 }, { 0.2126, 0.0722 },
    { 0.2627, 0.0593 }, { 0.212, 0.087 }, { 0.30, 0.11 } };
  gdouble kr = k[matrix][0], kb = k[matrix][1], s = 1 << (bits - 8), y, cb, cr;

  if (full) {
    y = yuv[0] / (256 * s - 1);
    cb = (yuv[1] - 128 * s) / (256 * s - 1);
    cr = (yuv[2] - 128 * s) / (256 * s - 1);
  } else {
    y = (yuv[0] - 16 * s) / (219 * s);
    cb = (yuv[1] - 128 * s) / (224 * s);
    cr = (yuv[2] - 128 * s) / (224 * s);
  }
  rgb[0] = y + 2 * (1 - kr) * cr;
  rgb[2] = y + 2 * (1 - kb) * cb;
  rgb[1] = (y - kr * rgb[0] - kb * rgb[2]) / (1 - kr - kb);
  for (guint i = 0; i < 3; i++)
    rgb[i] = CLAMP (rgb[i] * 255, 0, 255);
}

/* Converts a row of pixels, each with its own chroma, without scaling. Free the
 * bytes with g_free(). */
static guint8 *
convert_row (gboolean cpu, Y10ColorMatrix matrix, gboolean full, guint bits,
    guint (*yuv)[3], guint n)
{
  Y10Image image = {
    .size = sizeof (Y10Image),
    .matrix = matrix,
    .full_range = full,
    .height = 1,
  };
  g_autofree gfloat *planes = g_new (gfloat, 3 * n);
  guint8 *data = g_malloc0 (8 * n), *rgb;
  Y10Letterbox l;

  if (bits == 8) {
    image.format = Y10_PIXEL_Y444;
    image.width = n;
    for (guint p = 0; p < 3; p++) {
      image.plane[p] = data + p * n;
      image.stride[p] = n;
      for (guint i = 0; i < n; i++)
        data[p * n + i] = yuv[i][p];
    }
    y10_letterbox_init (&l, n, 1, n, 1);
    preprocess (cpu, &image, &l, 1, planes);
    rgb = to_bytes (planes, n);
  } else {
    /* P010 has one chroma for two pixels: one pixel at a time */
    rgb = g_malloc (3 * n);
    y10_letterbox_init (&l, 1, 1, 1, 1);
    for (guint i = 0; i < n; i++) {
      guint8 *one;

      for (guint p = 0; p < 3; p++) {
        data[2 * p] = yuv[i][p] << 6;
        data[2 * p + 1] = yuv[i][p] >> 2;
      }
      image.format = Y10_PIXEL_P010;
      image.width = 1;
      image.plane[0] = data;
      image.stride[0] = 2;
      image.plane[1] = data + 2;
      image.stride[1] = 4;
      preprocess (cpu, &image, &l, 1, planes);
      one = to_bytes (planes, 1);
      memcpy (rgb + 3 * i, one, 3);
      g_free (one);
    }
  }
  g_free (data);
  return rgb;
}

static void
test_color (gconstpointer cpu)
{
  const guint n = 4000;
  guint (*yuv)[3] = g_malloc (n * sizeof (*yuv));
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint bits = 8; bits <= 10; bits += 2)
    for (guint m = 0; m <= Y10_MATRIX_FCC; m++)
      for (guint full = 0; full < 2; full++) {
        guint8 *rgb;

        for (guint i = 0; i < n; i++)
          for (guint p = 0; p < 3; p++)
            yuv[i][p] = g_rand_int (rand) & ((1 << bits) - 1);
        rgb = convert_row (GPOINTER_TO_INT (cpu), m, full, bits, yuv, n);
        for (guint i = 0; i < n; i++) {
          gdouble exact[3];

          exact_rgb (m, full, bits, yuv[i], exact);
          for (guint p = 0; p < 3; p++)
            g_assert_cmpfloat (fabs (rgb[3 * i + p] - exact[p]), <=,
                0.5 + 2e-3);
        }
        g_free (rgb);
      }
  g_free (yuv);
}

/* Grey must stay grey, and the bars must have the values that the standards
 * print. */
static void
test_bars (gconstpointer cpu)
{
  static const guint8 colors[8][3] = { { 255, 255, 255 }, { 255, 255, 0 },
    { 0, 255, 255 }, { 0, 255, 0 }, { 255, 0, 255 }, { 255, 0, 0 },
    { 0, 0, 255 } };
  /* 100 % bars, white yellow cyan green magenta red blue black */
  static const guint bt601[8][3] = { { 235, 128, 128 }, { 210, 16, 146 },
    { 170, 166, 16 }, { 145, 54, 34 }, { 106, 202, 222 }, { 81, 90, 240 },
    { 41, 240, 110 }, { 16, 128, 128 } };
  static const guint bt709[8][3] = { { 235, 128, 128 }, { 219, 16, 138 },
    { 188, 154, 16 }, { 173, 42, 26 }, { 78, 214, 230 }, { 63, 102, 240 },
    { 32, 240, 118 }, { 16, 128, 128 } };

  for (guint m = 0; m < 2; m++) {
    guint yuv[8][3];
    guint8 *rgb;

    memcpy (yuv, m == 0 ? bt601 : bt709, sizeof (yuv));
    rgb = convert_row (GPOINTER_TO_INT (cpu), m, FALSE, 8, yuv, 8);
    /* The bars' Y, Cb and Cr are whole numbers themselves. */
    for (guint i = 0; i < 8; i++)
      for (guint p = 0; p < 3; p++)
        g_assert_cmpint (ABS (rgb[3 * i + p] - colors[i][p]), <=, 2);
    g_free (rgb);
  }

  for (guint m = 0; m <= Y10_MATRIX_FCC; m++) {
    guint yuv[256][3];
    guint8 *rgb;

    for (guint i = 0; i < 256; i++) {
      yuv[i][0] = i;
      yuv[i][1] = yuv[i][2] = 128;
    }
    rgb = convert_row (GPOINTER_TO_INT (cpu), m, TRUE, 8, yuv, 256);
    for (guint i = 0; i < 3 * 256; i++)
      g_assert_cmpuint (rgb[i], ==, i / 3);
    g_free (rgb);
  }
}

/* Four pixels in each format, with bytes written by hand: rows
 * (1 2 3) (40 50 60) / (170 180 190) (255 0 9) in RGB; luma 10 200 / 30 40,
 * chroma 100 180 in YUV. Bytes of 0x63 must be ignored. */
static const struct
{
  Y10PixelFormat format;
  const char *name;
  gsize stride[3];
  guint8 plane[3][16];
} by_hand[] = {
  { Y10_PIXEL_RGB, "RGB", { 6 },
      { { 1, 2, 3, 40, 50, 60, 170, 180, 190, 255, 0, 9 } } },
  { Y10_PIXEL_BGR, "BGR", { 6 },
      { { 3, 2, 1, 60, 50, 40, 190, 180, 170, 9, 0, 255 } } },
  { Y10_PIXEL_RGBX, "RGBx", { 8 },
      { { 1, 2, 3, 0x63, 40, 50, 60, 0x63, 170, 180, 190, 0x63, 255, 0, 9,
          0x63 } } },
  { Y10_PIXEL_BGRX, "BGRx", { 8 },
      { { 3, 2, 1, 0x63, 60, 50, 40, 0x63, 190, 180, 170, 0x63, 9, 0, 255,
          0x63 } } },
  { Y10_PIXEL_XRGB, "xRGB", { 8 },
      { { 0x63, 1, 2, 3, 0x63, 40, 50, 60, 0x63, 170, 180, 190, 0x63, 255, 0,
          9 } } },
  { Y10_PIXEL_XBGR, "xBGR", { 8 },
      { { 0x63, 3, 2, 1, 0x63, 60, 50, 40, 0x63, 190, 180, 170, 0x63, 9, 0,
          255 } } },
  { Y10_PIXEL_RGBA, "RGBA", { 8 },
      { { 1, 2, 3, 0x63, 40, 50, 60, 0x63, 170, 180, 190, 0x63, 255, 0, 9,
          0x63 } } },
  { Y10_PIXEL_BGRA, "BGRA", { 8 },
      { { 3, 2, 1, 0x63, 60, 50, 40, 0x63, 190, 180, 170, 0x63, 9, 0, 255,
          0x63 } } },
  { Y10_PIXEL_ARGB, "ARGB", { 8 },
      { { 0x63, 1, 2, 3, 0x63, 40, 50, 60, 0x63, 170, 180, 190, 0x63, 255, 0,
          9 } } },
  { Y10_PIXEL_ABGR, "ABGR", { 8 },
      { { 0x63, 3, 2, 1, 0x63, 60, 50, 40, 0x63, 190, 180, 170, 0x63, 9, 0,
          255 } } },
  { Y10_PIXEL_GBR, "GBR", { 2, 2, 2 },
      { { 2, 50, 180, 0 }, { 3, 60, 190, 9 }, { 1, 40, 170, 255 } } },
  { Y10_PIXEL_RGBP, "RGBP", { 2, 2, 2 },
      { { 1, 40, 170, 255 }, { 2, 50, 180, 0 }, { 3, 60, 190, 9 } } },
  { Y10_PIXEL_NV12, "NV12", { 2, 2 }, { { 10, 200, 30, 40 }, { 100, 180 } } },
  { Y10_PIXEL_NV21, "NV21", { 2, 2 }, { { 10, 200, 30, 40 }, { 180, 100 } } },
  { Y10_PIXEL_I420, "I420", { 2, 1, 1 },
      { { 10, 200, 30, 40 }, { 100 }, { 180 } } },
  { Y10_PIXEL_YV12, "YV12", { 2, 1, 1 },
      { { 10, 200, 30, 40 }, { 180 }, { 100 } } },
  { Y10_PIXEL_Y42B, "Y42B", { 2, 1, 1 },
      { { 10, 200, 30, 40 }, { 100, 100 }, { 180, 180 } } },
  { Y10_PIXEL_Y444, "Y444", { 2, 2, 2 },
      { { 10, 200, 30, 40 }, { 100, 100, 100, 100 }, { 180, 180, 180, 180 } } },
  { Y10_PIXEL_YUY2, "YUY2", { 4 },
      { { 10, 100, 200, 180, 30, 100, 40, 180 } } },
  { Y10_PIXEL_UYVY, "UYVY", { 4 },
      { { 100, 10, 180, 200, 100, 30, 180, 40 } } },
  { Y10_PIXEL_GRAY8, "GRAY8", { 2 }, { { 10, 200, 30, 40 } } },
  /* 10 bits: four times the value; 0x3f: bits that must be ignored */
  { Y10_PIXEL_P010, "P010_10LE", { 4, 4 },
      { { 0x3f, 10, 0, 200, 0, 30, 0x3f, 40 }, { 0, 100, 0x3f, 180 } } },
};

static void
test_by_hand (gconstpointer cpu)
{
  static const guint8 rgb[4][3] = { { 1, 2, 3 }, { 40, 50, 60 },
    { 170, 180, 190 }, { 255, 0, 9 } };
  static const guint luma[4] = { 10, 200, 30, 40 };
  Y10Letterbox l;

  g_assert_cmpuint (G_N_ELEMENTS (by_hand), ==, Y10_PIXEL_TENSOR);
  y10_letterbox_init (&l, 2, 2, 2, 2);
  for (guint i = 0; i < G_N_ELEMENTS (by_hand); i++) {
    gboolean is_rgb = by_hand[i].format <= Y10_PIXEL_RGBP;
    gboolean is_grey = by_hand[i].format == Y10_PIXEL_GRAY8;
    /* The range must make no difference to formats without one. */
    Y10Image image = {
      .size = sizeof (Y10Image),
      .format = by_hand[i].format,
      .matrix = Y10_MATRIX_BT709,
      .width = 2,
      .height = 2,
      .full_range = !is_rgb && !is_grey,
    };
    guint8 *found;
    gfloat planes[12];

    g_assert_cmpstr (y10_pixel_format_get_name (image.format), ==,
        by_hand[i].name);
    for (guint p = 0; p < 3; p++) {
      image.plane[p] = by_hand[i].plane[p];
      image.stride[p] = by_hand[i].stride[p];
    }
    preprocess (GPOINTER_TO_INT (cpu), &image, &l, 1, planes);
    found = to_bytes (planes, 4);
    for (guint j = 0; j < 4; j++) {
      gboolean ten = image.format == Y10_PIXEL_P010;
      guint s = ten ? 4 : 1, yuv[3] = { luma[j] * s, 100 * s, 180 * s };
      gdouble exact[3];

      exact_rgb (Y10_MATRIX_BT709, TRUE, ten ? 10 : 8, yuv, exact);
      for (guint c = 0; c < 3; c++) {
        gdouble want = is_rgb ? rgb[j][c] : is_grey ? luma[j] : exact[c];

        if (fabs (found[3 * j + c] - want) > 0.5 + 2e-3)
          g_test_fail_printf ("%s pixel %u: component %u is %u, expected %g",
              by_hand[i].name, j, c, found[3 * j + c], want);
      }
    }
    g_free (found);
  }
}

/* Colour conversion comes before resizing: the letterbox of a YUV picture
 * equals that of the same picture converted to RGB at full size. */
static void
test_color_first (void)
{
  const guint w = 150, h = 94;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint format = Y10_PIXEL_NV12; format < Y10_PIXEL_TENSOR; format++) {
    gfloat *own = g_new (gfloat, 3 * w * h);
    gfloat *a = g_new (gfloat, 3 * 64 * 64), *b = g_new (gfloat, 3 * 64 * 64);
    guint8 *rgb;
    Picture pic;
    Y10Letterbox l;

    picture_init (&pic, rand, format, w, h, 5);
    pic.image.width = w;
    pic.image.height = h;
    y10_letterbox_init (&l, w, h, w, h);
    preprocess (FALSE, &pic.image, &l, 1, own);
    rgb = to_bytes (own, w * h);
    y10_letterbox_init (&l, w, h, 64, 64);
    preprocess (FALSE, &pic.image, &l, 1, a);
    preprocess (FALSE,
        &(Y10Image){ .size = sizeof (Y10Image),
            .format = Y10_PIXEL_RGB,
            .width = w,
            .height = h,
            .plane = { rgb },
            .stride = { 3 * w } },
        &l, 1, b);
    g_assert_cmpmem (a, 3 * 64 * 64 * sizeof (gfloat), b,
        3 * 64 * 64 * sizeof (gfloat));
    picture_clear (&pic);
    g_free (rgb);
    g_free (own);
    g_free (a);
    g_free (b);
  }
}

/* Chroma samples belong to positions in the frame, wherever the region
 * begins. */
static void
test_region (gconstpointer cpu)
{
  const guint8 luma[4][4] = { { 90, 91, 92, 93 }, { 94, 95, 96, 97 },
    { 98, 99, 100, 101 }, { 102, 103, 104, 105 } };
  const guint8 chroma[2][4] = { { 60, 70, 80, 90 }, { 150, 160, 170, 180 } };
  Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_NV12,
    .full_range = TRUE,
    .plane = { luma[0], chroma[0] },
    .stride = { 4, 4 },
  };

  for (image.y = 0; image.y < 4; image.y++)
    for (image.x = 0; image.x < 4; image.x++) {
      gfloat planes[3 * 4 * 4];
      Y10Letterbox l;
      guint8 *rgb;

      image.width = 4 - image.x;
      image.height = 4 - image.y;
      y10_letterbox_init (&l, image.width, image.height, image.width,
          image.height);
      preprocess (GPOINTER_TO_INT (cpu), &image, &l, 1, planes);
      rgb = to_bytes (planes, image.width * image.height);
      for (guint y = 0; y < image.height; y++)
        for (guint x = 0; x < image.width; x++) {
          guint fx = image.x + x, fy = image.y + y;
          guint yuv[3] = { luma[fy][fx], chroma[fy / 2][fx / 2 * 2],
            chroma[fy / 2][fx / 2 * 2 + 1] };
          gdouble exact[3];

          exact_rgb (Y10_MATRIX_BT601, TRUE, 8, yuv, exact);
          for (guint c = 0; c < 3; c++)
            g_assert_cmpfloat (fabs (rgb[3 * (y * image.width + x) + c]
                                   - exact[c]),
                <=, 0.5 + 2e-3);
        }
      g_free (rgb);
    }
}

int
main (int argc, char **argv)
{
  if (!tests_init (&argc, &argv))
    return 0; /* Meson takes any other status as an error */
  g_test_add_func ("/preprocess/color-first", test_color_first);
  tests_add ("color", test_color);
  tests_add ("color-bars", test_bars);
  tests_add ("formats-by-hand", test_by_hand);
  tests_add ("region", test_region);
  return g_test_run ();
}
