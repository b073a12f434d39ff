/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Class colours, and their component values in a video format. The colour
 * depends only on the bytes of the label, so a class looks the same in every
 * run, model and stream. Hues are spread in OKLCH, where equal lightness looks
 * equally bright, so no class stands out over the others. */

#include "overlay/color.h"

#include <math.h>

/* Lines and badges must be visible on dark and on bright pictures. */
#define MIN_LIGHTNESS 0.64
#define MAX_LIGHTNESS 0.86

/* The best of six million seeds: maximizes the colour distance between the most
 * common classes (person, car, bus, truck, bicycle, dog, cat, face, ...). */
#define LABEL_HASH_SEED 5698780u

guint32
gst_y10_label_hash (const gchar * label, gsize length)
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

static gdouble
srgb_encode (gdouble linear)
{
  if (linear <= 0.0031308)
    return 12.92 * linear;
  return 1.055 * pow (linear, 1 / 2.4) - 0.055;
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
gst_y10_color_for_label (const gchar * label, gsize length)
{
  guint32 hash = gst_y10_label_hash (label, length);
  gdouble hue = (hash & 0xffff) * (2 * G_PI / 65536);
  gdouble best = 0, lightness = MIN_LIGHTNESS, l, chroma, rgb[3];

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
  return (GstY10Color) {
    (guint8) lrint (255 * srgb_encode (rgb[0])),
    (guint8) lrint (255 * srgb_encode (rgb[1])),
    (guint8) lrint (255 * srgb_encode (rgb[2]))
  };
}

/* Returns black or white, whichever is easier to read on @background. */
GstY10Color
gst_y10_color_for_text (GstY10Color background)
{
  guint luma = 299 * background.r + 587 * background.g + 114 * background.b;

  return luma > 128000 ? (GstY10Color) { 0, 0, 0 }
  : (GstY10Color) { 255, 255, 255 };
}

/* Converts a full-range sRGB @color to component values for @info's format,
 * matrix and range. Alpha is opaque. */
void
gst_y10_paint_init (GstY10Paint * paint, const GstVideoInfo * info,
    GstY10Color color)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  gdouble part[GST_VIDEO_MAX_COMPONENTS] = {
    color.r / 255.0, color.g / 255.0, color.b / 255.0, 1.0
  };
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  guint i;

  if (!GST_VIDEO_FORMAT_INFO_IS_RGB (finfo)) {
    gdouble kr, kb, r = part[0], b = part[2];

    /* A YUV format with no usable matrix (RGB, unknown) is a producer's
     * mistake: guess the matrix from the height. */
    if (!gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &kr, &kb)) {
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
