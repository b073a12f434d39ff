/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Class colours, and their component values in a video format. The colour
 * depends only on the bytes of the label, so a class looks the same in every
 * run, model and stream. Labels that most models have come from a table; others
 * are hashed to a hue in OKLCH, where equal lightness looks equally bright, so
 * no class stands out over the others. */

#include "paint/color.h"

#include <math.h>
#include <string.h>

/* Lines and badges must be visible on dark and on bright pictures. */
#define MIN_LIGHTNESS 0.64
#define MAX_LIGHTNESS 0.86

/* The best of six million seeds: maximizes the colour distance between common
 * classes. */
#define LABEL_HASH_SEED 5698780u

guint32
gst_y10_label_hash (const gchar *label, gsize length)
{
  guint32 hash = LABEL_HASH_SEED;
  gsize i;

  /* FNV-1a plus a finalizer: short labels differ in their last bytes only,
   * which FNV-1a alone leaves in the low bits. */
  for (i = 0; i < length; i++)
    hash = (hash ^ (guint8) label[i]) * 16777619u;
  hash ^= hash >> 16;
  hash *= 0x85ebca6bu;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35u;
  hash ^= hash >> 16;
  return hash;
}

/* COCO's classes and those of the bundled model. Classes that COCO's photographs
 * show together, or that resemble each other, are far apart in OKLab; 87 colours
 * that all differ well do not exist. */
static const struct
{
  const gchar *label;
  GstY10Color color;
} known[] = { { "person", { 0x93, 0xef, 0xfe } },
  { "bicycle", { 0x01, 0x8e, 0x01 } }, { "car", { 0x73, 0xa2, 0xff } },
  { "motorcycle", { 0x00, 0x7f, 0xac } }, { "airplane", { 0x00, 0xcb, 0x7e } },
  { "bus", { 0xfd, 0x6f, 0x88 } }, { "train", { 0xad, 0x02, 0xdf } },
  { "truck", { 0xfa, 0x89, 0x0e } }, { "boat", { 0x81, 0xf2, 0x07 } },
  { "traffic light", { 0x87, 0x74, 0x02 } },
  { "fire hydrant", { 0x09, 0xb2, 0x90 } },
  { "stop sign", { 0xff, 0x05, 0xd7 } },
  { "parking meter", { 0xda, 0xa0, 0x00 } }, { "bench", { 0xad, 0x74, 0xff } },
  { "bird", { 0xfe, 0x80, 0x6d } }, { "cat", { 0x0f, 0x9e, 0xff } },
  { "dog", { 0x1a, 0xe5, 0x2b } }, { "horse", { 0xbd, 0x4d, 0x00 } },
  { "sheep", { 0x03, 0xa3, 0x03 } }, { "cow", { 0x00, 0x72, 0xdd } },
  { "elephant", { 0xec, 0x05, 0x95 } }, { "bear", { 0x02, 0xdb, 0xc1 } },
  { "zebra", { 0xdb, 0xbd, 0x01 } }, { "giraffe", { 0xa0, 0x52, 0xff } },
  { "backpack", { 0xc4, 0xfa, 0x73 } }, { "umbrella", { 0x5c, 0x52, 0xfe } },
  { "handbag", { 0xd9, 0x0f, 0x00 } }, { "tie", { 0xff, 0x3b, 0xa6 } },
  { "suitcase", { 0x00, 0x92, 0xc6 } }, { "frisbee", { 0x00, 0x83, 0xfd } },
  { "skis", { 0x07, 0x9f, 0x62 } }, { "snowboard", { 0xc6, 0x10, 0xfd } },
  { "sports ball", { 0x0f, 0xf9, 0x77 } }, { "kite", { 0xff, 0xe5, 0x69 } },
  { "baseball bat", { 0xde, 0x7c, 0x00 } },
  { "baseball glove", { 0xff, 0x66, 0xdc } },
  { "skateboard", { 0xad, 0xb4, 0x0b } }, { "surfboard", { 0x97, 0x42, 0xd3 } },
  { "tennis racket", { 0xd2, 0x00, 0x6f } }, { "bottle", { 0x94, 0x19, 0xfe } },
  { "wine glass", { 0x06, 0xb9, 0x05 } }, { "cup", { 0x18, 0x63, 0xff } },
  { "fork", { 0xca, 0x02, 0x93 } }, { "knife", { 0xa3, 0x64, 0x03 } },
  { "spoon", { 0xf9, 0x11, 0x00 } }, { "bowl", { 0x01, 0xfc, 0x01 } },
  { "banana", { 0x7a, 0xab, 0x07 } }, { "apple", { 0xff, 0x58, 0x1d } },
  { "sandwich", { 0xbe, 0x01, 0xb9 } }, { "orange", { 0x6e, 0x5b, 0xdc } },
  { "broccoli", { 0x01, 0xab, 0xc0 } }, { "carrot", { 0x09, 0xf5, 0xb3 } },
  { "hot dog", { 0xe9, 0x5f, 0xa3 } }, { "pizza", { 0xff, 0xa8, 0x3c } },
  { "donut", { 0xd0, 0x56, 0xff } }, { "cake", { 0xf9, 0xea, 0x02 } },
  { "chair", { 0x01, 0x8a, 0x63 } }, { "couch", { 0xda, 0x00, 0xd4 } },
  { "potted plant", { 0x82, 0x37, 0xff } }, { "bed", { 0xf7, 0x01, 0x54 } },
  { "dining table", { 0x0e, 0xb9, 0xf9 } }, { "toilet", { 0xc4, 0xdf, 0x64 } },
  { "tv", { 0xff, 0xc7, 0x56 } }, { "laptop", { 0xff, 0x72, 0xb6 } },
  { "mouse", { 0x09, 0xcf, 0x07 } }, { "remote", { 0xb3, 0x79, 0x03 } },
  { "keyboard", { 0xd8, 0x00, 0x48 } }, { "cell phone", { 0xe6, 0x31, 0xff } },
  { "microwave", { 0x0c, 0xc3, 0xc3 } }, { "oven", { 0xf1, 0xd0, 0x00 } },
  { "toaster", { 0x5c, 0x83, 0x01 } }, { "sink", { 0xff, 0x5a, 0xf6 } },
  { "refrigerator", { 0xc3, 0x3e, 0x54 } }, { "book", { 0xb9, 0xff, 0x28 } },
  { "clock", { 0xb0, 0x98, 0x02 } }, { "vase", { 0xb8, 0x3d, 0x8c } },
  { "scissors", { 0x81, 0x8a, 0xff } }, { "teddy bear", { 0xfe, 0x4f, 0x6d } },
  { "hair drier", { 0x0b, 0xe0, 0x8c } },
  { "toothbrush", { 0x00, 0x9c, 0x89 } }, { "ball", { 0xce, 0x47, 0xb1 } },
  { "barcode", { 0x40, 0xcf, 0xff } }, { "qr-code", { 0x6d, 0x70, 0xff } },
  { "data-matrix", { 0x88, 0x8e, 0x01 } }, { "aztec", { 0x87, 0xff, 0xdc } },
  { "pdf417", { 0x98, 0xd5, 0x01 } }, { "marker", { 0xd8, 0x59, 0x00 } } };

static const GstY10Color *
known_color (const gchar *label, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strlen (known[i].label) == length
        && memcmp (known[i].label, label, length) == 0)
      return &known[i].color;
  return NULL;
}

static gdouble
srgb_encode (gdouble linear)
{
  if (linear <= 0.0031308)
    return 12.92 * linear;
  return 1.055 * pow (linear, 1 / 2.4) - 0.055;
}

static gdouble
srgb_decode (guint8 value)
{
  const gdouble v = value / 255.0;

  return v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4);
}

/* Converts OKLCH to linear sRGB. Returns FALSE if out of gamut. */
static gboolean
oklch_to_linear (gdouble lightness, gdouble chroma, gdouble hue, gdouble rgb[3])
{
  gdouble a = chroma * cos (hue), b = chroma * sin (hue);
  gdouble l = lightness + 0.3963377774 * a + 0.2158037573 * b;
  gdouble m = lightness - 0.1055613458 * a - 0.0638541728 * b;
  gdouble s = lightness - 0.0894841775 * a - 1.2914855480 * b;
  gboolean inside = TRUE;
  guint i;

  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
  for (i = 0; i < 3; i++) {
    inside = inside && rgb[i] >= -0.001 && rgb[i] <= 1.001;
    rgb[i] = CLAMP (rgb[i], 0, 1);
  }
  return inside;
}

/* Finds the highest chroma that sRGB has for a hue and lightness. */
static gdouble
most_chroma (gdouble lightness, gdouble hue, gdouble rgb[3])
{
  gdouble chroma = 0.26;

  while (!oklch_to_linear (lightness, chroma, hue, rgb) && chroma > 0.02)
    chroma -= 0.005;
  return chroma;
}

/* Returns the saturated colour of a label, whose bytes need not be UTF-8 or
 * terminated. */
GstY10Color
gst_y10_color_for_label (const gchar *label, gsize length)
{
  const GstY10Color *color = known_color (label, length);
  guint32 hash = gst_y10_label_hash (label, length);
  gdouble hue = (hash & 0xffff) * (2 * G_PI / 65536);
  gdouble best = 0, lightness = MIN_LIGHTNESS, l, chroma, rgb[3];

  if (color)
    return *color;
  /* Use the lightness at which sRGB reaches the highest chroma for this hue:
   * high for yellow, low for violet. Half of the labels are a little
   * lighter. */
  for (l = MIN_LIGHTNESS; l < MAX_LIGHTNESS; l += 0.02) {
    chroma = most_chroma (l, hue, rgb);
    if (chroma > best) {
      best = chroma;
      lightness = l;
    }
  }
  if (hash & 0x10000)
    lightness = MIN (lightness + 0.08, 0.9);
  most_chroma (lightness, hue, rgb);
  return (GstY10Color){ (guint8) lrint (255 * srgb_encode (rgb[0])),
    (guint8) lrint (255 * srgb_encode (rgb[1])),
    (guint8) lrint (255 * srgb_encode (rgb[2])) };
}

/* Returns black or white, whichever has more contrast to @background by WCAG
 * 2.2: (L1 + 0.05) / (L2 + 0.05), with relative luminances. */
GstY10Color
gst_y10_color_for_text (GstY10Color background)
{
  const gdouble luminance = 0.2126 * srgb_decode (background.r)
      + 0.7152 * srgb_decode (background.g)
      + 0.0722 * srgb_decode (background.b);

  return (luminance + 0.05) * (luminance + 0.05) > 1.05 * 0.05
      ? (GstY10Color){ 0, 0, 0 }
      : (GstY10Color){ 255, 255, 255 };
}

/* Converts a full-range sRGB @color to component values for @info's format,
 * matrix and range. Alpha is opaque. */
void
gst_y10_paint_init (GstY10Paint *paint, const GstVideoInfo *info,
    GstY10Color color)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  gdouble part[GST_VIDEO_MAX_COMPONENTS] = { color.r / 255.0, color.g / 255.0,
    color.b / 255.0, 1.0 };
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  guint i;

  if (!GST_VIDEO_FORMAT_INFO_IS_RGB (finfo)) {
    gdouble kr, kb, r = part[0], b = part[2];

    /* A YUV format with no usable matrix (RGB, unknown) is a producer's
     * mistake: guess the matrix from the height. */
    if (!gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &kr,
            &kb)) {
      gboolean hd = GST_VIDEO_INFO_HEIGHT (info) > 576;

      kr = hd ? 0.2126 : 0.2990;
      kb = hd ? 0.0722 : 0.1140;
    }
    part[0] = kr * r + (1 - kr - kb) * part[1] + kb * b;
    part[1] = (b - part[0]) / (2 * (1 - kb));
    part[2] = (r - part[0]) / (2 * (1 - kr));
  }

  gst_video_color_range_offsets (info->colorimetry.range, finfo, offset, scale);
  memset (paint, 0, sizeof *paint);
  for (i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    /* Gray formats with alpha would have alpha at index 1; none is
     * supported. */
    gint value = (gint) lrint (offset[i] + scale[i] * part[i]);
    gint max = (1 << GST_VIDEO_FORMAT_INFO_DEPTH (finfo, i)) - 1;

    paint->value[i] = (guint16) (CLAMP (value, 0, max)
        << GST_VIDEO_FORMAT_INFO_SHIFT (finfo, i));
  }
}
