/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The network's input. Compares the letterbox with OpenCV's bytes
 * (data/letterbox.py), colours with the standards' formulas in double and their
 * published colour bars, formats with bytes written by hand, and the cpu
 * backend with ref bit by bit. An inaccessible page follows each plane's last
 * sample and the output. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef HAVE_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>
#endif

#include "cpu/preprocess.h"
#include "core/image.h"
#include "ref/preprocess.h"

/* Memory that ends at an inaccessible page. */
typedef struct
{
  guint8 *map, *data;
  gsize map_size, size;
} Guarded;

static Guarded
guarded_new (gsize size)
{
  gsize page = sysconf (_SC_PAGESIZE);
  Guarded g = {.size = size, .map_size = (size + page - 1) / page * page + page };

  g.map = mmap (NULL, g.map_size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (g.map != MAP_FAILED);
  g_assert_cmpint (mprotect (g.map + g.map_size - page, page, PROT_NONE), ==, 0);
  g.data = g.map + g.map_size - page - size;
  return g;
}

static void
guarded_clear (Guarded *g)
{
  munmap (g->map, g->map_size);
}

static guint
random_int (GRand *rand, guint least, guint most)
{
  return g_rand_int_range (rand, least, most + 1);
}

/* Runs both backends on an output whose bits are all set. The caller checks the
 * result of ref; that of cpu must be equal. */
static void
preprocess (gboolean cpu, const Y10Image *image, const Y10Letterbox *l,
    guint threads, gfloat *planes)
{
  memset (planes, 0xff,
      (gsize) 3 * l->dst_width * l->dst_height * sizeof (gfloat));
  if (cpu) {
    gsize size = y10_cpu_preprocess_scratch (l->dst_width, threads);
    gpointer scratch = aligned_alloc (64, (size + 63) / 64 * 64);
    Y10ThreadPool *team = NULL;
    GError *error = NULL;

    if (threads > 1)
      team = y10_threadpool_new (threads, FALSE, &error);
    g_assert_no_error (error);
    memset (scratch, 0xff, size);
    y10_cpu_preprocess (image, l, team, scratch, planes);
    y10_threadpool_free (team);
    free (scratch);
  } else {
    y10_ref_preprocess (image, l, planes);
  }
}

/* Planar floats to packed bytes; each float must be one of v / 255. */
static guint8 *
to_bytes (const gfloat *planes, gsize n)
{
  guint8 *rgb = g_malloc (3 * n);

  for (gsize i = 0; i < n; i++)
    for (guint c = 0; c < 3; c++) {
      gfloat v = planes[c * n + i];
      long byte = lrintf (v * 255.0f);

      g_assert_cmpint (byte, >=, 0);
      g_assert_cmpint (byte, <=, 255);
      g_assert_true (v == (gfloat) byte / 255.0f);
      rgb[3 * i + c] = byte;
    }
  return rgb;
}

/* The same as data/letterbox.py's picture (): all pictures begin with the same
 * bytes, so one buffer grows as needed. */
static const guint8 *
get_noise (gsize size)
{
  static guint8 *data;
  static gsize made;

  if (made < size)
    data = g_realloc (data, size);
  for (; made < size; made++) {
    guint32 x = (guint32) made * 0x9E3779B1u;

    x ^= x >> 15;
    x *= 0x85EBCA77u;
    x ^= x >> 13;
    data[made] = x >> 24;
  }
  return data;
}

static void
test_opencv (gconstpointer cpu)
{
  char *text, **lines;
  guint n = 0;
  GError *error = NULL;

  g_file_get_contents (TEST_DATA_DIR "/letterbox.txt", &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);

  for (char **line = lines; *line != NULL && **line != '\0'; line++, n++) {
    guint sw, sh, dw, dh, w, h, left, top;
    char expected[65], *found;
    gfloat *planes;
    guint8 *rgb;
    Y10Letterbox l;

    g_assert_cmpint (sscanf (*line, "%u %u %u %u %u %u %u %u %64s", &sw, &sh,
            &dw, &dh, &w, &h, &left, &top, expected), ==, 9);
    y10_letterbox_init (&l, sw, sh, dw, dh);
    g_assert_cmpuint (l.width, ==, w);
    g_assert_cmpuint (l.height, ==, h);
    g_assert_cmpuint (l.left, ==, left);
    g_assert_cmpuint (l.top, ==, top);

    planes = g_new (gfloat, (gsize) 3 * dw * dh);
    preprocess (GPOINTER_TO_INT (cpu), &(Y10Image) {.size = sizeof (Y10Image),
      .format = Y10_PIXEL_RGB, .width = sw, .height = sh,
          .plane = { get_noise ((gsize) 3 * sw * sh) },
          .stride = { 3 * sw }}, &l, 2, planes);
    rgb = to_bytes (planes, (gsize) dw * dh);
    found = g_compute_checksum_for_data (G_CHECKSUM_SHA256, rgb,
        (gsize) 3 * dw * dh);
    if (strcmp (found, expected) != 0)
      g_test_fail_printf ("%ux%u in %ux%u is not what OpenCV makes", sw, sh,
          dw, dh);
    g_free (found);
    g_free (rgb);
    g_free (planes);
  }
  g_assert_cmpuint (n, >, 20);
  g_strfreev (lines);
  g_free (text);
}

/* The pictures behind the reference detections, and the output of the training
 * code's own letterbox for them. They are not part of the project. */
static void
test_photos (gconstpointer cpu)
{
#ifdef HAVE_PIXBUF
  const char *dir = g_getenv ("Y10_REFERENCE_DIR");
  static const char *const photos[] = { "bus", "zidane" };

  if (dir == NULL)
    dir = TEST_DATA_DIR "/../../../shared/reference";
  for (guint i = 0; i < G_N_ELEMENTS (photos); i++) {
    char *in = g_strdup_printf ("%s/%s.png", dir, photos[i]);
    char *out = g_strdup_printf ("%s/%s-letterbox640.png", dir, photos[i]);
    GdkPixbuf *photo = gdk_pixbuf_new_from_file (in, NULL);
    GdkPixbuf *expected = gdk_pixbuf_new_from_file (out, NULL);

    if (photo != NULL && expected != NULL) {
      const guint size = 640;
      Y10Image image = {.size = sizeof (Y10Image),.format = Y10_PIXEL_RGB,
        .width = gdk_pixbuf_get_width (photo),
        .height = gdk_pixbuf_get_height (photo),
        .plane = {gdk_pixbuf_read_pixels (photo)},
        .stride = {gdk_pixbuf_get_rowstride (photo)} };
      gfloat *planes = g_new (gfloat, 3 * size * size);
      Y10Letterbox l;
      guint8 *rgb;

      g_assert_cmpint (gdk_pixbuf_get_n_channels (photo), ==, 3);
      g_assert_cmpint (gdk_pixbuf_get_n_channels (expected), ==, 3);
      g_assert_cmpint (gdk_pixbuf_get_width (expected), ==, size);
      g_assert_cmpint (gdk_pixbuf_get_height (expected), ==, size);
      y10_letterbox_init (&l, image.width, image.height, size, size);
      preprocess (GPOINTER_TO_INT (cpu), &image, &l, 1, planes);
      rgb = to_bytes (planes, size * size);
      for (guint y = 0; y < size; y++)
        g_assert_cmpmem (rgb + 3 * size * y, 3 * size,
            gdk_pixbuf_read_pixels (expected) +
            y * gdk_pixbuf_get_rowstride (expected), 3 * size);
      g_free (rgb);
      g_free (planes);
    } else {
      char *why = g_strdup_printf ("%s or %s is missing", in, out);

      g_test_skip (why);
      g_free (why);
    }
    g_clear_object (&photo);
    g_clear_object (&expected);
    g_free (in);
    g_free (out);
  }
#else
  g_test_skip ("built without gdk-pixbuf, which reads the pictures");
#endif
}

static void
assert_box (const Y10Letterbox *l, const gfloat in[4], const gfloat out[4])
{
  gfloat box[4];

  memcpy (box, in, sizeof (box));
  y10_letterbox_to_source (l, box);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat_with_epsilon (box[i], out[i], 1e-3);
}

static void
test_to_source (void)
{
  Y10Letterbox l;

  y10_letterbox_init (&l, 810, 1080, 640, 640);
  assert_box (&l, (gfloat[]) {80, 0, 560, 640}, (gfloat[]) {0, 0, 810, 1080});
  assert_box (&l, (gfloat[]) {320, 320, 400, 480},
      (gfloat[]) {405, 540, 540, 810});
  /* outside of the picture */
  assert_box (&l, (gfloat[]) {-5, -1, 600, 700}, (gfloat[]) {0, 0, 810, 1080});
  assert_box (&l, (gfloat[]) {570, 10, 600, 20},
      (gfloat[]) {810, 16.875, 810, 33.75});

  /* Rounding has moved the picture to row 79; the reference detections follow
   * it there. */
  y10_letterbox_init (&l, 614, 461, 640, 640);
  g_assert_cmpuint (l.top, ==, 79);
  assert_box (&l, (gfloat[]) {0, 79, 640, 539}, (gfloat[]) {0, 0, 614, 441.3125});

  y10_letterbox_init (&l, 1, 1, 640, 640);
  assert_box (&l, (gfloat[]) {0, 320, 160, 640}, (gfloat[]) {0, .5, .25, 1});
}

/* The formulas of ITU-R BT.601 and its kin; only the result is rounded. */
static void
exact_rgb (Y10ColorMatrix matrix, gboolean full, guint bits, const guint yuv[3],
    gdouble rgb[3])
{
  static const gdouble k[][2] = { {0.299, 0.114}, {0.2126, 0.0722},
    {0.2627, 0.0593}, {0.212, 0.087}, {0.30, 0.11} };
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

/* Converts a row of pixels, each with its own chroma, at the network's size. */
static guint8 *
convert_row (gboolean cpu, Y10ColorMatrix matrix, gboolean full, guint bits,
    guint (*yuv)[3], guint n)
{
  Y10Image image = {.size = sizeof (Y10Image),
    .matrix = matrix, .full_range = full, .height = 1 };
  gfloat *planes = g_new (gfloat, 3 * n);
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
  g_free (planes);
  return rgb;
}

static void
test_color (gconstpointer cpu)
{
  const guint n = 4000;
  guint (*yuv)[3] = g_malloc (n * sizeof (*yuv));
  GRand *rand = g_rand_new_with_seed (3);

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
            g_assert_cmpfloat (fabs (rgb[3 * i + p] - exact[p]), <=, 0.5 + 2e-3);
        }
        g_free (rgb);
      }
  g_rand_free (rand);
  g_free (yuv);
}

/* Grey must stay grey, and the bars must have the values that the standards
 * print. */
static void
test_bars (gconstpointer cpu)
{
  static const guint8 colors[8][3] = { {255, 255, 255}, {255, 255, 0},
    {0, 255, 255}, {0, 255, 0}, {255, 0, 255}, {255, 0, 0}, {0, 0, 255} };
  /* 100 % bars, white yellow cyan green magenta red blue black */
  static const guint bt601[8][3] = { {235, 128, 128}, {210, 16, 146},
    {170, 166, 16}, {145, 54, 34}, {106, 202, 222}, {81, 90, 240},
    {41, 240, 110}, {16, 128, 128} };
  static const guint bt709[8][3] = { {235, 128, 128}, {219, 16, 138},
    {188, 154, 16}, {173, 42, 26}, {78, 214, 230}, {63, 102, 240},
    {32, 240, 118}, {16, 128, 128} };

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
  {Y10_PIXEL_RGB, "RGB", {6},
      {{1, 2, 3, 40, 50, 60, 170, 180, 190, 255, 0, 9}}},
  {Y10_PIXEL_BGR, "BGR", {6},
      {{3, 2, 1, 60, 50, 40, 190, 180, 170, 9, 0, 255}}},
  {Y10_PIXEL_RGBX, "RGBx", {8}, {{1, 2, 3, 0x63, 40, 50, 60, 0x63,
              170, 180, 190, 0x63, 255, 0, 9, 0x63}}},
  {Y10_PIXEL_BGRX, "BGRx", {8}, {{3, 2, 1, 0x63, 60, 50, 40, 0x63,
              190, 180, 170, 0x63, 9, 0, 255, 0x63}}},
  {Y10_PIXEL_XRGB, "xRGB", {8}, {{0x63, 1, 2, 3, 0x63, 40, 50, 60,
              0x63, 170, 180, 190, 0x63, 255, 0, 9}}},
  {Y10_PIXEL_XBGR, "xBGR", {8}, {{0x63, 3, 2, 1, 0x63, 60, 50, 40,
              0x63, 190, 180, 170, 0x63, 9, 0, 255}}},
  {Y10_PIXEL_RGBA, "RGBA", {8}, {{1, 2, 3, 0x63, 40, 50, 60, 0x63,
              170, 180, 190, 0x63, 255, 0, 9, 0x63}}},
  {Y10_PIXEL_BGRA, "BGRA", {8}, {{3, 2, 1, 0x63, 60, 50, 40, 0x63,
              190, 180, 170, 0x63, 9, 0, 255, 0x63}}},
  {Y10_PIXEL_ARGB, "ARGB", {8}, {{0x63, 1, 2, 3, 0x63, 40, 50, 60,
              0x63, 170, 180, 190, 0x63, 255, 0, 9}}},
  {Y10_PIXEL_ABGR, "ABGR", {8}, {{0x63, 3, 2, 1, 0x63, 60, 50, 40,
              0x63, 190, 180, 170, 0x63, 9, 0, 255}}},
  {Y10_PIXEL_GBR, "GBR", {2, 2, 2},
      {{2, 50, 180, 0}, {3, 60, 190, 9}, {1, 40, 170, 255}}},
  {Y10_PIXEL_RGBP, "RGBP", {2, 2, 2},
      {{1, 40, 170, 255}, {2, 50, 180, 0}, {3, 60, 190, 9}}},
  {Y10_PIXEL_NV12, "NV12", {2, 2}, {{10, 200, 30, 40}, {100, 180}}},
  {Y10_PIXEL_NV21, "NV21", {2, 2}, {{10, 200, 30, 40}, {180, 100}}},
  {Y10_PIXEL_I420, "I420", {2, 1, 1}, {{10, 200, 30, 40}, {100}, {180}}},
  {Y10_PIXEL_YV12, "YV12", {2, 1, 1}, {{10, 200, 30, 40}, {180}, {100}}},
  {Y10_PIXEL_Y42B, "Y42B", {2, 1, 1},
      {{10, 200, 30, 40}, {100, 100}, {180, 180}}},
  {Y10_PIXEL_Y444, "Y444", {2, 2, 2}, {{10, 200, 30, 40},
          {100, 100, 100, 100}, {180, 180, 180, 180}}},
  {Y10_PIXEL_YUY2, "YUY2", {4}, {{10, 100, 200, 180, 30, 100, 40, 180}}},
  {Y10_PIXEL_UYVY, "UYVY", {4}, {{100, 10, 180, 200, 100, 30, 180, 40}}},
  {Y10_PIXEL_GRAY8, "GRAY8", {2}, {{10, 200, 30, 40}}},
  /* 10 bits: four times the value; 0x3f: bits that must be ignored */
  {Y10_PIXEL_P010, "P010_10LE", {4, 4},
      {{0x3f, 10, 0, 200, 0, 30, 0x3f, 40}, {0, 100, 0x3f, 180}}},
};

static void
test_by_hand (gconstpointer cpu)
{
  static const guint8 rgb[4][3] =
      { {1, 2, 3}, {40, 50, 60}, {170, 180, 190}, {255, 0, 9} };
  static const guint luma[4] = { 10, 200, 30, 40 };
  Y10Letterbox l;

  g_assert_cmpuint (G_N_ELEMENTS (by_hand), ==, Y10_PIXEL_TENSOR);
  y10_letterbox_init (&l, 2, 2, 2, 2);
  for (guint i = 0; i < G_N_ELEMENTS (by_hand); i++) {
    gboolean is_rgb = by_hand[i].format <= Y10_PIXEL_RGBP;
    gboolean is_grey = by_hand[i].format == Y10_PIXEL_GRAY8;
    /* The range must make no difference to formats without one. */
    Y10Image image = {.size = sizeof (Y10Image),
      .format = by_hand[i].format, .matrix = Y10_MATRIX_BT709,
      .width = 2, .height = 2, .full_range = !is_rgb && !is_grey };
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

/* Pictures of every format whose planes end at an inaccessible page. */
typedef struct
{
  Y10Image image;
  Guarded plane[3];
} Picture;

static void
picture_init (Picture *pic, GRand *rand, Y10PixelFormat format, guint frame_w,
    guint frame_h, guint pad)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (format);

  memset (pic, 0, sizeof (*pic));
  pic->image.format = format;
  pic->image.matrix = random_int (rand, 0, Y10_MATRIX_FCC);
  pic->image.full_range = random_int (rand, 0, 1);
  for (guint p = 0; p < info->n_planes; p++) {
    gsize row = 0, rows = 0;

    for (guint i = 0; i < 3; i++) {
      const Y10Component *c = &info->component[i];
      gsize end = (gsize) (((frame_w - 1) >> c->xshift) + 1) * c->step;

      if (c->plane == p) {
        row = MAX (row, end);
        rows = ((frame_h - 1) >> c->yshift) + 1;
      }
    }
    pic->image.stride[p] = row + pad;
    pic->plane[p] = guarded_new ((rows - 1) * (row + pad) + row);
    pic->image.plane[p] = pic->plane[p].data;
    for (gsize i = 0; i < pic->plane[p].size; i++)
      pic->plane[p].data[i] = g_rand_int (rand);
  }
}

static void
picture_clear (Picture *pic)
{
  for (guint p = 0; p < 3; p++)
    if (pic->plane[p].map != NULL)
      guarded_clear (&pic->plane[p]);
}

static void
compare (const Picture *pic, guint dst_w, guint dst_h, guint threads)
{
  const Y10Image *i = &pic->image;
  gsize size = (gsize) 3 * dst_w * dst_h * sizeof (gfloat);
  Guarded a = guarded_new (size), b = guarded_new (size + 64);
  GError *error = NULL;
  Y10Letterbox l;

  g_assert_true (y10_image_validate (i, &error));
  g_assert_no_error (error);
  y10_letterbox_init (&l, i->width, i->height, dst_w, dst_h);
  memset (b.data, 0xa5, 64);
  preprocess (FALSE, i, &l, 1, (gfloat *) a.data);
  preprocess (TRUE, i, &l, threads, (gfloat *) (b.data + 64));
  if (memcmp (a.data, b.data + 64, size) != 0) {
    gsize at = 0;

    while (a.data[at] == b.data[64 + at])
      at++;
    at /= sizeof (gfloat);
    g_test_fail_printf ("%s %ux%u at %u,%u in %ux%u, %u threads: plane %"
        G_GSIZE_FORMAT " row %" G_GSIZE_FORMAT " column %" G_GSIZE_FORMAT
        " is %g, ref %g", y10_pixel_format_get_name (i->format), i->width,
        i->height, i->x, i->y, dst_w, dst_h, threads, at / dst_w / dst_h,
        at / dst_w % dst_h, at % dst_w, ((gfloat *) (b.data + 64))[at],
        ((gfloat *) a.data)[at]);
  }
  for (guint j = 0; j < 64; j++)
    g_assert_cmphex (b.data[j], ==, 0xa5);
  guarded_clear (&a);
  guarded_clear (&b);
}

static void
test_same (gconstpointer data)
{
  const Y10PixelFormat format = GPOINTER_TO_INT (data);
  GRand *rand = g_rand_new_with_seed (format);
  /* frame, region's corner and size, input */
  static const guint fixed[][8] = {
    {1, 1, 0, 0, 1, 1, 64, 64}, {2, 2, 1, 1, 1, 1, 32, 64},
    {640, 360, 0, 0, 640, 360, 640, 640}, {480, 270, 0, 0, 480, 270, 160, 160},
    {481, 271, 1, 1, 480, 270, 160, 160}, {320, 240, 0, 0, 320, 240, 160, 160},
    {321, 241, 1, 0, 319, 241, 96, 96}, {1000, 5, 3, 1, 997, 3, 96, 64},
    {5, 1000, 1, 3, 3, 997, 64, 96}, {33, 20, 0, 0, 33, 20, 160, 96},
    {7680, 16, 0, 0, 7680, 16, 640, 64},
  };

  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++) {
    const guint *f = fixed[i];
    Picture pic;

    picture_init (&pic, rand, format, f[0], f[1], i % 3);
    pic.image.x = f[2];
    pic.image.y = f[3];
    pic.image.width = f[4];
    pic.image.height = f[5];
    compare (&pic, f[6], f[7], 1);
    picture_clear (&pic);
  }

  for (guint i = 0; i < 60; i++) {
    guint most = 1 << random_int (rand, 0, 9);
    guint w = random_int (rand, 1, most), h = random_int (rand, 1, most);
    Picture pic;

    picture_init (&pic, rand, format, w, h, random_int (rand, 0, 40));
    pic.image.x = random_int (rand, 0, w - 1);
    pic.image.y = random_int (rand, 0, h - 1);
    pic.image.width = random_int (rand, 1, w - pic.image.x);
    pic.image.height = random_int (rand, 1, h - pic.image.y);
    compare (&pic, 32 * random_int (rand, 1, 6), 32 * random_int (rand, 1, 6),
        random_int (rand, 1, 5));
    picture_clear (&pic);
  }
  g_rand_free (rand);
}

/* Colour conversion comes before resizing: the letterbox of a YUV picture
 * equals that of the same picture converted to RGB at full size. */
static void
test_color_first (void)
{
  const guint w = 150, h = 94;
  GRand *rand = g_rand_new_with_seed (7);

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
    preprocess (FALSE, &(Y10Image) {.size = sizeof (Y10Image),
      .format = Y10_PIXEL_RGB, .width = w, .height = h, .plane = { rgb },
          .stride = { 3 * w }}, &l, 1, b);
    g_assert_cmpmem (a, 3 * 64 * 64 * sizeof (gfloat), b,
        3 * 64 * 64 * sizeof (gfloat));
    picture_clear (&pic);
    g_free (rgb);
    g_free (own);
    g_free (a);
    g_free (b);
  }
  g_rand_free (rand);
}

/* Chroma samples belong to positions in the frame, wherever the region
 * begins. */
static void
test_region (gconstpointer cpu)
{
  const guint8 luma[4][4] = { {90, 91, 92, 93}, {94, 95, 96, 97},
    {98, 99, 100, 101}, {102, 103, 104, 105} };
  const guint8 chroma[2][4] = { {60, 70, 80, 90}, {150, 160, 170, 180} };
  Y10Image image = {.size = sizeof (Y10Image),
    .format = Y10_PIXEL_NV12, .full_range = TRUE,
    .plane = {luma[0], chroma[0]}, .stride = {4, 4} };

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
            g_assert_cmpfloat (fabs (rgb[3 * (y * image.width + x) + c] -
                    exact[c]), <=, 0.5 + 2e-3);
        }
      g_free (rgb);
    }
}

static void
test_tensor (gconstpointer cpu)
{
  gfloat in[3][3 * 5], planes[3 * 2 * 4];
  Y10Image image = {.size = sizeof (Y10Image),
    .format = Y10_PIXEL_TENSOR, .x = 1, .y = 1, .width = 4,
    .height = 2 };
  Y10Letterbox l;

  for (guint p = 0; p < 3; p++) {
    image.plane[p] = (const guint8 *) in[p];
    image.stride[p] = sizeof (gfloat) * 5;
    for (guint i = 0; i < 15; i++)
      in[p][i] = p + i / 64.0f;
  }
  y10_letterbox_init (&l, 4, 2, 4, 2);
  preprocess (GPOINTER_TO_INT (cpu), &image, &l, 1, planes);
  for (guint p = 0; p < 3; p++)
    for (guint y = 0; y < 2; y++)
      for (guint x = 0; x < 4; x++)
        g_assert_true (planes[(p * 2 + y) * 4 + x] ==
            in[p][(y + 1) * 5 + x + 1]);
}

static void
assert_invalid (Y10Image image, const char *message)
{
  GError *error = NULL;

  g_assert_false (y10_image_validate (&image, &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
  g_assert_cmpstr (error->message, ==, message);
  g_error_free (error);
}

static void
test_validate (void)
{
  static const guint8 byte;
  const Y10Image good = {.size = sizeof (Y10Image),
    .format = Y10_PIXEL_NV12, .x = 3, .y = 1,
    .width = 640, .height = 360, .plane = {&byte, &byte},
    .stride = {643, 644} };
  Y10Image image;

  g_assert_true (y10_image_validate (&good, NULL));

#define INVALID(field, value, message) \
  image = good; \
  image.field = value; \
  assert_invalid (image, message)

  INVALID (format, 23,
      "image format is 23, expected a Y10PixelFormat, 0 to 22");
  INVALID (memory, 2, "image memory is 2, expected a Y10Memory, 0 to 1");
  INVALID (matrix, 5, "image matrix is 5, expected a Y10ColorMatrix, 0 to 4");
  INVALID (width, 0, "image width is 0, expected 1 to 16384");
  INVALID (height, 16385, "image height is 16385, expected 1 to 16384");
  INVALID (x, G_MAXUINT, "image x is 4294967295 with width 640, expected "
      "x + width to be at most 16384");
  INVALID (y, 16025, "image y is 16025 with height 360, expected "
      "y + height to be at most 16384");
  INVALID (plane[1], NULL, "NV12 image: plane 1 is NULL, expected 2 planes");
  INVALID (stride[0], 642, "NV12 image: stride of plane 0 is 642 bytes, "
      "expected at least 643 for x 3, width 640");
  INVALID (stride[1], 643, "NV12 image: stride of plane 1 is 643 bytes, "
      "expected at least 644 for x 3, width 640");
  g_assert_null (y10_pixel_format_get_name (Y10_N_PIXEL_FORMATS));
}

int
main (int argc, char **argv)
{
  static const char *const backends[] = { "ref", "cpu" };
  const char *wanted = g_getenv ("Y10_MAX_CPU_ISA");

  if ((g_strcmp0 (wanted, "avx2") == 0 || g_strcmp0 (wanted, "avx512") == 0) &&
      strcmp (wanted, y10_cpu_preprocess_impl ()) != 0) {
    g_print ("1..0 # SKIP this CPU has no %s\n", wanted);
    return 77;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_message ("cpu kernels: %s", y10_cpu_preprocess_impl ());
  g_test_add_func ("/image/validate", test_validate);
  g_test_add_func ("/letterbox/to-source", test_to_source);
  g_test_add_func ("/preprocess/color-first", test_color_first);
  for (guint i = 0; i < 2; i++) {
    static const struct
    {
      const char *name;
      GTestDataFunc func;
    } tests[] = { {"opencv", test_opencv}, {"photos", test_photos}, {"color", test_color},
      {"color-bars", test_bars}, {"formats-by-hand", test_by_hand},
      {"region", test_region}, {"tensor", test_tensor} };

    for (guint j = 0; j < G_N_ELEMENTS (tests); j++) {
      char *path = g_strdup_printf ("/preprocess/%s/%s", backends[i],
          tests[j].name);

      g_test_add_data_func (path, GINT_TO_POINTER (i), tests[j].func);
      g_free (path);
    }
  }
  for (guint f = 0; f < Y10_PIXEL_TENSOR; f++) {
    char *path = g_strdup_printf ("/preprocess/cpu/same-as-ref/%s",
        y10_pixel_format_get_name (f));

    g_test_add_data_func (path, GINT_TO_POINTER (f), test_same);
    g_free (path);
  }
  return g_test_run ();
}
