/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The pixels that yolov10overlay writes, in every format of its pad template:
 * the same picture in all of them, and no changed value where there is no box.
 * GStreamer's converter makes the stored values comparable. */

#include "overlaycommon.h"

#include <math.h>
#include <string.h>

#define W 200
#define H 150

/* Leaves room for the badge above; odd edges. */
static const OverlayBox box = { 0, "person", 0.87, 41, 51, 101, 71 };

/* Where the box may be drawn: edges rounded out to even, an outline around. */
#define X0 38
#define Y0 48
#define X1 144
#define Y1 124

static GstBuffer *
picture_with_box (GstCaps *caps)
{
  GstBuffer *buffer = overlay_picture (caps, FALSE);

  overlay_add_roi (buffer, &box);
  return buffer;
}

/* The system memory formats of the pad template. */
static const GValue *
formats (void)
{
  GstElementFactory *factory = gst_element_factory_find ("yolov10overlay");
  const GList *l = gst_element_factory_get_static_pad_templates (factory);
  GstCaps *caps = gst_static_caps_get (
      &((GstStaticPadTemplate *) l->data)->static_caps);
  const GValue *list;
  guint i = 0;

  while (!gst_caps_features_is_equal (gst_caps_get_features (caps, i),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    i++;
  list = gst_structure_get_value (gst_caps_get_structure (caps, i), "format");
  fail_unless (list && GST_VALUE_HOLDS_LIST (list));
  fail_unless (gst_value_list_get_size (list) > 60);
  gst_object_unref (factory);
  return list;
}

static gint
largest_difference (const guint8 *a, const guint8 *b, gdouble *mean)
{
  gint i, largest = 0;
  gdouble sum = 0;

  for (i = 0; i < 3 * W * H; i++) {
    largest = MAX (largest, abs (a[i] - b[i]));
    sum += abs (a[i] - b[i]);
  }
  *mean = sum / (3 * W * H);
  return largest;
}

static gboolean
is_subsampled (const GstVideoFormatInfo *finfo)
{
  guint i;

  for (i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++)
    if (GST_VIDEO_FORMAT_INFO_W_SUB (finfo, i)
        || GST_VIDEO_FORMAT_INFO_H_SUB (finfo, i))
      return TRUE;
  return FALSE;
}

/* The picture in each format against the one in RGB after a conversion to
 * that format: the same but for rounding. Where pixels share chroma the
 * converter drops half of it or more, which shows at the edges of text. */
GST_START_TEST (test_formats)
{
  const GValue *list = formats ();
  GstCaps *rgb_caps = overlay_caps ("RGB", W, H, NULL), *caps;
  GstBuffer *reference, *before, *out, *same;
  guint i;

  reference = overlay_run ("line-width=4", rgb_caps,
      picture_with_box (rgb_caps));
  for (i = 0; i < gst_value_list_get_size (list); i++) {
    const gchar *format = g_value_get_string (
        gst_value_list_get_value (list, i));
    const GstVideoFormatInfo *finfo = gst_video_format_get_info (
        gst_video_format_from_string (format));
    gint largest,
        tolerance = GST_VIDEO_FORMAT_INFO_BITS (finfo) < 8 ? 9
        : GST_VIDEO_FORMAT_INFO_IS_YUV (finfo)             ? 8
                                                           : 2;
    guint8 *rgb, *expected;
    gdouble mean;

    caps = overlay_caps (format, W, H, NULL);
    before = overlay_picture (caps, FALSE);
    out = overlay_run ("line-width=4", caps, picture_with_box (caps));
    fail_unless (overlay_n_changed (before, out, caps, X0, Y0, X1, Y1) > 1000,
        "%s: no box", format);
    same = overlay_convert (reference, rgb_caps, caps);
    rgb = overlay_rgb (out, caps);
    expected = overlay_rgb (same, caps);
    largest = largest_difference (rgb, expected, &mean);
    if (is_subsampled (finfo))
      fail_unless (mean < 0.6, "%s: differs by %.2f on average", format, mean);
    else
      fail_unless (largest <= tolerance, "%s: differs by %d", format, largest);
    g_free (rgb);
    g_free (expected);
    gst_buffer_unref (before);
    gst_buffer_unref (out);
    gst_buffer_unref (same);
    gst_caps_unref (caps);
  }
  gst_buffer_unref (reference);
  gst_caps_unref (rgb_caps);
}

GST_END_TEST;

/* On noise, without text: the inside and everything around stay unchanged to
 * the last bit. */
GST_START_TEST (test_nothing_else)
{
  const GValue *list = formats ();
  guint i;

  for (i = 0; i < gst_value_list_get_size (list); i++) {
    const gchar *format = g_value_get_string (
        gst_value_list_get_value (list, i));
    GstCaps *caps = overlay_caps (format, W, H, NULL);
    GstBuffer *before = overlay_picture (caps, TRUE), *in, *out;

    in = gst_buffer_copy_deep (before);
    overlay_add_roi (in, &box);
    out = overlay_run ("line-width=3 show-label=false show-confidence=false",
        caps, in);
    overlay_assert_same_outside (before, out, caps, X0, Y0, X1, Y1);
    fail_unless (overlay_n_changed (before, out, caps, X0 + 8, Y0 + 8, X1 - 8,
                     Y1 - 8)
            == 0,
        "%s: changed inside of the box", format);
    gst_buffer_unref (before);
    gst_buffer_unref (out);
    gst_caps_unref (caps);
  }
}

GST_END_TEST;

static const guint8 *
pixel (const guint8 *rgb, gint x, gint y)
{
  return rgb + 3 * (y * W + x);
}

/* The colour of a label, as a viewer sees it in the middle of a line. */
static void
line_color (const gchar *format, const gchar *colorimetry, const gchar *label,
    guint8 color[3])
{
  const OverlayBox labelled = { 0, label, 0.5, 40, 50, 100, 70 };
  g_autoptr (GstCaps) caps = overlay_caps (format, W, H, colorimetry);
  GstBuffer *buffer = overlay_picture (caps, FALSE);
  g_autofree guint8 *rgb = NULL;
  gint i;

  overlay_add_roi (buffer, &labelled);
  buffer = overlay_run ("line-width=4", caps, buffer);
  rgb = overlay_rgb (buffer, caps);
  memcpy (color, pixel (rgb, 90, 51), 3);
  for (i = 0; i < 4; i++) {
    static const gint on_line[][2] = { { 90, 51 }, { 90, 118 }, { 41, 80 },
      { 138, 80 } };
    const guint8 *p = pixel (rgb, on_line[i][0], on_line[i][1]);

    fail_unless (memcmp (color, p, 3) == 0,
        "%s %s, side %d: #%02x%02x%02x, "
        "not #%02x%02x%02x",
        format, colorimetry, i, p[0], p[1], p[2], color[0], color[1], color[2]);
  }
  gst_buffer_unref (buffer);
}

/* Users learn the colour of a class: these must never change. */
GST_START_TEST (test_colors_are_stable)
{
  static const struct
  {
    const gchar *label;
    guint8 color[3];
  } known[] = { { "person", { 0x93, 0xef, 0xfe } },
    { "car", { 0x73, 0xa2, 0xff } }, { "bus", { 0xfd, 0x6f, 0x88 } },
    { "truck", { 0xfa, 0x89, 0x0e } }, { "dog", { 0x1a, 0xe5, 0x2b } } };
  guint i, j, c;

  for (i = 0; i < G_N_ELEMENTS (known); i++) {
    guint8 color[3];

    line_color ("RGB", NULL, known[i].label, color);
    for (c = 0; c < 3; c++)
      fail_unless (abs (color[c] - known[i].color[c]) <= 1,
          "%s is #%02x%02x%02x", known[i].label, color[0], color[1], color[2]);
    for (j = 0; j < i; j++)
      fail_unless (abs (color[0] - known[j].color[0])
              + abs (color[1] - known[j].color[1])
              + abs (color[2] - known[j].color[2])
          > 60);
  }
}

GST_END_TEST;

/* CIE L*a*b* of an sRGB colour, for D65. */
static void
lab_of (const guint8 color[3], gdouble lab[3])
{
  static const gdouble matrix[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
    { 0.2126729, 0.7151522, 0.0721750 }, { 0.0193339, 0.1191920, 0.9503041 } };
  static const gdouble white[3] = { 0.95047, 1, 1.08883 };
  gdouble linear[3], f[3];

  for (guint c = 0; c < 3; c++) {
    const gdouble v = color[c] / 255.0;

    linear[c] = v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4);
  }
  for (guint c = 0; c < 3; c++) {
    const gdouble t = (matrix[c][0] * linear[0] + matrix[c][1] * linear[1]
                          + matrix[c][2] * linear[2])
        / white[c];

    f[c] = t > 0.008856 ? cbrt (t) : 7.787 * t + 16.0 / 116;
  }
  lab[0] = 116 * f[1] - 16;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

/* Classes that photographs of COCO show together most often, those that detectors
 * confuse, and the bundled model's. A difference of 2.3 is just noticeable. */
GST_START_TEST (test_colors_differ)
{
  static const gchar *const scenes[][9] = {
    { "person", "bicycle", "car", "motorcycle", "bus", "truck", "traffic light",
        "backpack" },
    { "person", "chair", "dining table", "cup", "bottle", "bowl", "tie",
        "handbag" },
    { "dining table", "cup", "fork", "knife", "spoon", "bowl" },
    { "cat", "dog", "couch", "bed", "tv", "person" },
    { "tv", "laptop", "mouse", "keyboard", "chair", "person" },
    { "horse", "sheep", "cow", "dog", "person" },
    { "sink", "toilet", "bottle" },
    { "person", "sports ball", "tennis racket", "baseball bat",
        "baseball glove" },
    { "person", "boat", "surfboard", "bird" },
    { "qr-code", "data-matrix", "aztec", "pdf417", "barcode", "marker", "ball" }
  };

  for (guint s = 0; s < G_N_ELEMENTS (scenes); s++) {
    gdouble lab[9][3];
    guint8 color[3];

    for (guint i = 0; scenes[s][i]; i++) {
      line_color ("RGB", NULL, scenes[s][i], color);
      lab_of (color, lab[i]);
      for (guint j = 0; j < i; j++) {
        const gdouble difference = sqrt (pow (lab[i][0] - lab[j][0], 2)
            + pow (lab[i][1] - lab[j][1], 2) + pow (lab[i][2] - lab[j][2], 2));

        fail_unless (difference > 25, "%s and %s: %.1f", scenes[s][i],
            scenes[s][j], difference);
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_colorimetry)
{
  static const gchar *const colorimetry[] = { "bt601", "bt709", "bt2020",
    "1:1:5:4", "2:4:7:1", "1:3:5:1", "smpte240m" };
  static const gchar *const yuv[] = { "NV12", "I420", "YUY2", "v210",
    "P010_10LE", "Y444" };
  guint8 reference[3], color[3];
  guint i, j, c;

  line_color ("RGB", NULL, "truck", reference);
  for (i = 0; i < G_N_ELEMENTS (colorimetry); i++) {
    for (j = 0; j < G_N_ELEMENTS (yuv); j++) {
      line_color (yuv[j], colorimetry[i], "truck", color);
      for (c = 0; c < 3; c++)
        fail_unless (abs (color[c] - reference[c]) <= 6, "%s %s: #%02x%02x%02x",
            yuv[j], colorimetry[i], color[0], color[1], color[2]);
    }
  }
}

GST_END_TEST;

/* Around the coloured line the frame is darker on both sides, so it shows on
 * a background of its own colour, too. */
GST_START_TEST (test_outline)
{
  GstCaps *caps = overlay_caps ("RGB", W, H, NULL);
  GstBuffer *in = overlay_picture (caps, FALSE), *out;
  guint8 *before = overlay_rgb (in, caps), *after;

  overlay_add_roi (in, &box);
  out = overlay_run ("line-width=4", caps, in);
  after = overlay_rgb (out, caps);
  fail_unless (pixel (after, 39, 90)[1] < 0.7 * pixel (before, 39, 90)[1]);
  fail_unless (pixel (after, 44, 90)[1] < 0.7 * pixel (before, 44, 90)[1]);
  fail_unless (pixel (after, 38, 90)[1] == pixel (before, 38, 90)[1]);
  fail_unless (pixel (after, 45, 90)[1] == pixel (before, 45, 90)[1]);
  g_free (before);
  g_free (after);
  gst_buffer_unref (out);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* The badge is always complete: above the box, or inside where there is no
 * room, and never beyond the right edge. Text is at least 10 pixels high. */
GST_START_TEST (test_badge_is_inside)
{
  g_autoptr (GstCaps) caps = overlay_caps ("GRAY8", 320, 240, NULL);
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);
  static const gint corners[][2] = { { 0, 0 }, { 280, 0 }, { 0, 200 },
    { 280, 200 }, { 140, 100 } };
  guint whole = 0, i;

  for (i = G_N_ELEMENTS (corners); i-- > 0;) {
    OverlayBox b = { 0, "traffic light", 0.5, corners[i][0], corners[i][1], 40,
      40 };
    GstBuffer *plain = gst_buffer_copy_deep (before), *text;
    GstVideoRectangle area;
    guint n;

    overlay_add_roi (plain, &b);
    text = overlay_run (NULL, caps, gst_buffer_copy_deep (plain));
    plain = overlay_run ("show-label=false show-confidence=false", caps, plain);
    overlay_changed_area (plain, text, caps, &area);
    fail_unless (area.h >= 14 && area.h <= 24, "badge of %d rows", area.h);
    if (corners[i][1] == 0)
      fail_unless (area.y <= 1);
    else
      /* The outline adds one pixel below the part that sticks out. */
      fail_unless (area.y + area.h >= corners[i][1]
          && area.y + area.h <= corners[i][1] + 1);
    /* As many dark pixels of text as where there is room. */
    n = overlay_n_changed (plain, text, caps, 0, 0, 320, 240);
    if (whole == 0)
      whole = n;
    fail_unless (n > 0.8 * whole, "%u of %u pixels at corner %u", n, whole, i);
    gst_buffer_unref (plain);
    gst_buffer_unref (text);
  }
}

GST_END_TEST;

GST_START_TEST (test_scales_with_the_frame)
{
  g_autoptr (GstCaps) caps = overlay_caps ("GRAY8", 3840, 2160, NULL);
  const OverlayBox b = { 0, "person", 0.5, 1000, 1000, 800, 800 };
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);
  GstBuffer *out = gst_buffer_copy_deep (before);
  GstVideoRectangle area;
  guint across;

  overlay_add_roi (out, &b);
  out = overlay_run (NULL, caps, out);
  overlay_changed_area (before, out, caps, &area);
  fail_unless (1000 - area.y >= 48 && 1000 - area.y <= 100);
  across = overlay_n_changed (before, out, caps, 900, 1400, 1100, 1401);
  fail_unless (across >= 6 && across <= 14, "line of %u pixels", across);
  gst_buffer_unref (out);
}

GST_END_TEST;

GST_START_TEST (test_odd_sizes)
{
  static const gint sizes[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 },
    { 3, 5 }, { 17, 1 }, { 1, 17 }, { 33, 21 }, { 319, 241 }, { 8, 100 },
    { 100, 8 } };
  static const gchar *const some[] = { "NV12", "I420", "YUY2", "RGB", "BGRx",
    "Y42B", "GRAY8", "P010_10LE", "v210", "UYVP", "YUV9", "Y41B", "RGB16",
    "IYU1" };
  guint i, j, k;

  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    for (j = 0; j < G_N_ELEMENTS (some); j++) {
      gint w = sizes[i][0], h = sizes[i][1];
      GstCaps *caps = overlay_caps (some[j], w, h, NULL);
      GstBuffer *before = overlay_picture (caps, FALSE);

      for (k = 0; k < 4; k++) {
        static const gchar *const properties[] = { NULL,
          "privacy-trust=roi privacy=blur", "privacy-trust=roi privacy=fill",
          "line-width=100 font-desc=\"Sans 3\"" };
        const OverlayBox boxes[] = {
          { 0, "person", 0.9, 0, 0, w, h },
          { 1, "a", 0.9, w / 2, h / 2, 1, 1 },
          { 2, "b", 0.5, w - 1, h - 1, 1, 1 },
          { 3, "c", 1, 0, 0, 1, 1 },
        };
        GstBuffer *out = gst_buffer_copy_deep (before);
        guint n;

        for (n = 0; n < G_N_ELEMENTS (boxes); n++)
          overlay_add_roi (out, &boxes[n]);
        out = overlay_run (properties[k], caps, out);
        fail_if (overlay_is_same (before, out, caps), "%s %dx%d", some[j], w,
            h);
        gst_buffer_unref (out);
      }
      gst_buffer_unref (before);
      gst_caps_unref (caps);
    }
  }
}

GST_END_TEST;

/* Of the first component, inside the box without its lines. */
static gdouble
variance (GstBuffer *buffer, GstCaps *caps)
{
  g_autofree guint16 *values = overlay_values (buffer, caps);
  gdouble sum = 0, squares = 0;
  gint x, y, n = 0;

  for (y = 60; y < 114; y++)
    for (x = 50; x < 134; x++, n++) {
      gdouble v = values[4 * (y * W + x) + 1];

      sum += v;
      squares += v * v;
    }
  return squares / n - (sum / n) * (sum / n);
}

/* Neighbouring pixels of noise have nothing in common, blurred ones are all
 * but equal. */
static gint
largest_step (GstBuffer *buffer, GstCaps *caps)
{
  g_autofree guint8 *rgb = overlay_rgb (buffer, caps);
  gint x, y, largest = 0;

  for (y = 60; y < 114; y++)
    for (x = 50; x < 134; x++)
      largest = MAX (largest,
          abs (pixel (rgb, x, y)[1] - pixel (rgb, x + 1, y)[1]));
  return largest;
}

GST_START_TEST (test_privacy)
{
  static const gchar *const some[] = { "NV12", "I420", "RGB", "BGRx", "YUY2",
    "Y444", "GRAY8", "P010_10LE", "v210", "RGB16" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (some); i++) {
    GstCaps *caps = overlay_caps (some[i], W, H, NULL);
    GstBuffer *before = overlay_picture (caps, TRUE), *blurred, *filled;
    const gchar *hidden = "show-label=false show-confidence=false "
                          "privacy-trust=roi privacy";
    gchar *blur = g_strconcat (hidden, "=blur", NULL);
    gchar *fill = g_strconcat (hidden, "=fill", NULL);
    gdouble noise = variance (before, caps);

    blurred = gst_buffer_copy_deep (before);
    overlay_add_roi (blurred, &box);
    filled = overlay_run (fill, caps, gst_buffer_copy_deep (blurred));
    blurred = overlay_run (blur, caps, blurred);
    fail_unless (noise > 100);
    fail_unless (variance (blurred, caps) < noise / 20, "%s: %g of %g", some[i],
        variance (blurred, caps), noise);
    fail_unless (largest_step (before, caps) > 60);
    fail_unless (largest_step (blurred, caps)
            <= (g_str_equal (some[i], "RGB16") ? 16 : 8),
        "%s: step of %d", some[i], largest_step (blurred, caps));
    fail_unless (variance (filled, caps) == 0, "%s", some[i]);
    fail_unless (largest_step (filled, caps) == 0);
    overlay_assert_same_outside (before, blurred, caps, X0, Y0, X1, Y1);
    overlay_assert_same_outside (before, filled, caps, X0, Y0, X1, Y1);
    g_free (blur);
    g_free (fill);
    gst_buffer_unref (before);
    gst_buffer_unref (blurred);
    gst_buffer_unref (filled);
    gst_caps_unref (caps);
  }
}

GST_END_TEST;

/* Rows further apart, planes elsewhere, as decoders and cameras give them. */
GST_START_TEST (test_strides)
{
  g_autoptr (GstCaps) caps = overlay_caps ("I420", W, H, NULL);
  GstBuffer *plain = picture_with_box (caps), *padded;
  gsize offset[4] = { 64, 64 + 256 * H, 64 + 256 * H + 160 * H };
  gint stride[4] = { 256, 160, 128 };
  GstVideoFrame from, to;
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  padded = gst_buffer_new_allocate (NULL, 600 * H, NULL);
  gst_buffer_memset (padded, 0, 0xa5, -1);
  gst_buffer_add_video_meta_full (padded, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_I420, W, H, 3, offset, stride);
  fail_unless (gst_video_frame_map (&from, &info, plain, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info, padded, GST_MAP_WRITE));
  gst_video_frame_copy (&to, &from);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  overlay_add_roi (padded, &box);

  padded = overlay_run (NULL, caps, padded);
  plain = overlay_run (NULL, caps, plain);
  fail_unless (overlay_is_same (plain, padded, caps));
  {
    GstMapInfo map;
    gint y, x;

    fail_unless (gst_buffer_map (padded, &map, GST_MAP_READ));
    for (y = 0; y < H; y++)
      for (x = W; x < 256; x++)
        fail_unless (map.data[64 + 256 * y + x] == 0xa5);
    gst_buffer_unmap (padded, &map);
  }
  gst_buffer_unref (plain);
  gst_buffer_unref (padded);
}

GST_END_TEST;

TEST_CHECK_MAIN (overlay_pixels)
{
  tcase_add_test (tc, test_formats);
  tcase_add_test (tc, test_nothing_else);
  tcase_add_test (tc, test_colors_are_stable);
  tcase_add_test (tc, test_colors_differ);
  tcase_add_test (tc, test_colorimetry);
  tcase_add_test (tc, test_outline);
  tcase_add_test (tc, test_badge_is_inside);
  tcase_add_test (tc, test_scales_with_the_frame);
  tcase_add_test (tc, test_odd_sizes);
  tcase_add_test (tc, test_privacy);
  tcase_add_test (tc, test_strides);
}
