/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The network's input. Compares the letterbox with OpenCV's bytes
 * (data/letterbox.py), and the cpu backend with ref bit by bit. An inaccessible
 * page follows each plane's last sample and the output. test-colors.c tests the
 * conversion to RGB. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>
#endif

#include "preprocesscommon.h"

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

/* Y10_LETTERBOX_FILE: another file of data/letterbox.py. */
static void
test_opencv (gconstpointer cpu)
{
  const char *path = g_getenv ("Y10_LETTERBOX_FILE");
  char *text, **lines;
  guint n = 0;
  GError *error = NULL;

  g_file_get_contents (path ? path : TEST_DATA_DIR "/letterbox.txt", &text,
      NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);

  for (char **line = lines; *line != NULL && **line != '\0'; line++, n++) {
    guint sw, sh, par_n, par_d, dw, dh, w, h, left, top;
    char expected[65], *found;
    gfloat *planes;
    guint8 *rgb;
    Y10Image image;
    Y10Letterbox l;

    g_assert_cmpint (sscanf (*line, "%u %u %u %u %u %u %u %u %u %u %64s", &sw,
                         &sh, &par_n, &par_d, &dw, &dh, &w, &h, &left, &top,
                         expected),
        ==, 11);
    image = (Y10Image){
      .size = sizeof (Y10Image),
      .format = Y10_PIXEL_RGB,
      .width = sw,
      .height = sh,
      .plane = { get_noise ((gsize) 3 * sw * sh) },
      .stride = { 3 * sw },
      .par_n = par_n,
      .par_d = par_d,
    };
    y10_letterbox_init (&l, y10_image_get_display_width (&image), sh, dw, dh);
    g_assert_cmpuint (l.width, ==, w);
    g_assert_cmpuint (l.height, ==, h);
    g_assert_cmpuint (l.left, ==, left);
    g_assert_cmpuint (l.top, ==, top);

    planes = g_new (gfloat, (gsize) 3 * dw * dh);
    preprocess (GPOINTER_TO_INT (cpu), &image, &l, 2, planes);
    rgb = to_bytes (planes, (gsize) dw * dh);
    found = g_compute_checksum_for_data (G_CHECKSUM_SHA256, rgb,
        (gsize) 3 * dw * dh);
    if (strcmp (found, expected) != 0)
      g_test_fail_printf ("%ux%u, %u/%u, in %ux%u is not what OpenCV makes", sw,
          sh, par_n, par_d, dw, dh);
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
      Y10Image image = {
        .size = sizeof (Y10Image),
        .format = Y10_PIXEL_RGB,
        .width = gdk_pixbuf_get_width (photo),
        .height = gdk_pixbuf_get_height (photo),
        .plane = { gdk_pixbuf_read_pixels (photo) },
        .stride = { gdk_pixbuf_get_rowstride (photo) },
      };
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
            gdk_pixbuf_read_pixels (expected)
                + y * gdk_pixbuf_get_rowstride (expected),
            3 * size);
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
  assert_box (&l, (gfloat[]){ 80, 0, 560, 640 }, (gfloat[]){ 0, 0, 810, 1080 });
  assert_box (&l, (gfloat[]){ 320, 320, 400, 480 },
      (gfloat[]){ 405, 540, 540, 810 });
  /* outside of the picture */
  assert_box (&l, (gfloat[]){ -5, -1, 600, 700 },
      (gfloat[]){ 0, 0, 810, 1080 });
  assert_box (&l, (gfloat[]){ 570, 10, 600, 20 },
      (gfloat[]){ 810, 16.875, 810, 33.75 });

  /* Rounding has moved the picture to row 79; the reference detections follow
   * it there. */
  y10_letterbox_init (&l, 614, 461, 640, 640);
  g_assert_cmpuint (l.top, ==, 79);
  assert_box (&l, (gfloat[]){ 0, 79, 640, 539 },
      (gfloat[]){ 0, 0, 614, 441.3125 });

  y10_letterbox_init (&l, 1, 1, 640, 640);
  assert_box (&l, (gfloat[]){ 0, 320, 160, 640 }, (gfloat[]){ 0, .5, .25, 1 });
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
    g_test_fail_printf (
        "%s %ux%u at %u,%u in %ux%u, %u threads: plane %" G_GSIZE_FORMAT
        " row %" G_GSIZE_FORMAT " column %" G_GSIZE_FORMAT " is %g, ref %g",
        y10_pixel_format_get_name (i->format), i->width, i->height, i->x, i->y,
        dst_w, dst_h, threads, at / dst_w / dst_h, at / dst_w % dst_h,
        at % dst_w, ((gfloat *) (b.data + 64))[at], ((gfloat *) a.data)[at]);
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
  g_autoptr (GRand) rand = g_rand_new_with_seed (format);
  /* frame, region's corner and size, input */
  static const guint fixed[][8] = {
    { 1, 1, 0, 0, 1, 1, 64, 64 },
    { 2, 2, 1, 1, 1, 1, 32, 64 },
    { 640, 360, 0, 0, 640, 360, 640, 640 },
    { 480, 270, 0, 0, 480, 270, 160, 160 },
    { 481, 271, 1, 1, 480, 270, 160, 160 },
    { 320, 240, 0, 0, 320, 240, 160, 160 },
    { 321, 241, 1, 0, 319, 241, 96, 96 },
    { 1000, 5, 3, 1, 997, 3, 96, 64 },
    { 5, 1000, 1, 3, 3, 997, 64, 96 },
    { 33, 20, 0, 0, 33, 20, 160, 96 },
    { 7680, 16, 0, 0, 7680, 16, 640, 64 },
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
}

static void
test_tensor (gconstpointer cpu)
{
  gfloat in[3][3 * 5], planes[3 * 2 * 4];
  Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_TENSOR,
    .x = 1,
    .y = 1,
    .width = 4,
    .height = 2,
  };
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
        g_assert_true (
            planes[(p * 2 + y) * 4 + x] == in[p][(y + 1) * 5 + x + 1]);
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
  const Y10Image good = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_NV12,
    .x = 3,
    .y = 1,
    .width = 640,
    .height = 360,
    .plane = { &byte, &byte },
    .stride = { 643, 644 },
  };
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
  INVALID (x, G_MAXUINT,
      "image x is 4294967295 with width 640, expected "
      "x + width to be at most 16384");
  INVALID (y, 16025,
      "image y is 16025 with height 360, expected "
      "y + height to be at most 16384");
  INVALID (plane[1], NULL, "NV12 image: plane 1 is NULL, expected 2 planes");
  INVALID (stride[0], 642,
      "NV12 image: stride of plane 0 is 642 bytes, "
      "expected at least 643 for x 3, width 640");
  INVALID (stride[1], 643,
      "NV12 image: stride of plane 1 is 643 bytes, "
      "expected at least 644 for x 3, width 640");
  g_assert_null (y10_pixel_format_get_name (Y10_N_PIXEL_FORMATS));
}

int
main (int argc, char **argv)
{
  if (!tests_init (&argc, &argv))
    return 0; /* Meson takes any other status as an error */
  g_test_add_func ("/image/validate", test_validate);
  g_test_add_func ("/letterbox/to-source", test_to_source);
  tests_add ("opencv", test_opencv);
  tests_add ("photos", test_photos);
  tests_add ("tensor", test_tensor);
  for (guint f = 0; f < Y10_PIXEL_TENSOR; f++) {
    char *path = g_strdup_printf ("/preprocess/cpu/same-as-ref/%s",
        y10_pixel_format_get_name (f));

    g_test_add_data_func (path, GINT_TO_POINTER (f), test_same);
    g_free (path);
  }
  return g_test_run ();
}
