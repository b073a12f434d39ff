/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Compares the CUDA kernels that read pictures with the reference's letterbox,
 * for every format, with random regions, sizes and strides. The input has equal
 * bits for floats, the same bits rounded once for the shorter types; the stem is
 * a convolution of it, computed here in doubles. Each plane ends with its last
 * sample, at any alignment, and values beside the output's view must not
 * change. */

#include <math.h>
#include <string.h>

#include "base/half.h"
#include "core/image.h"
#include "kernels/preprocess.h"
#include "kernels/stem.h"
#include "ref/preprocess.h"
#include "sim.h"

#define ROUNDS 12
#define MAX_PICTURES 3  /* of a launch */
#define MAX_CHANNELS 24 /* of the view, and the same number beside it */

static const char *const kernel_names[] = { "y10_preprocess_f32",
  "y10_preprocess_f16", "y10_preprocess_bf16" };
static const char *const stem_names[] = { "y10_stem_f32", "y10_stem_f16",
  "y10_stem_bf16" };

typedef struct
{
  Y10Image image;
  Y10Letterbox letterbox;
  guint8 *planes[4];
  Y10Tap *column, *row;
} Picture;

/* Bytes of a plane from the first row of the frame up to the last sample of the
 * region; the allocation ends there. */
static gsize
plane_size (const Y10Image *image, const Y10FormatInfo *info, guint plane)
{
  gsize size = 0;

  for (guint i = 0; i < 3; i++) {
    const Y10Component *c = &info->component[i];
    gsize last_x = (image->x + image->width - 1) >> c->xshift;
    gsize last_y = (image->y + image->height - 1) >> c->yshift;

    if (c->plane == plane)
      size = MAX (size,
          last_y * image->stride[plane] + last_x * c->step + c->offset
              + info->sample_size);
  }
  return size;
}

static void
fill_plane (Picture *p, const Y10FormatInfo *info, guint plane, GRand *rand)
{
  gsize size = plane_size (&p->image, info, plane), shift;

  /* Off malloc's alignment, and up to the end of the allocation. */
  shift = g_rand_int_range (rand, 0, 8);
  p->planes[plane] = g_malloc (size + shift);
  p->image.plane[plane] = p->planes[plane] + shift;
  for (gsize i = 0; i < size + shift; i++)
    p->planes[plane][i] = g_rand_int (rand);
  if (info->sample_size != 4)
    return;
  for (guint y = 0; y < p->image.height; y++)
    for (guint x = 0; x < p->image.width; x++) {
      gfloat v = g_rand_double_range (rand, -2, 2);

      memcpy (p->planes[plane] + shift
              + (p->image.y + y) * p->image.stride[plane]
              + (p->image.x + x) * 4,
          &v, 4);
    }
}

static void
picture_init (Picture *p, Y10PixelFormat format, guint width, guint height,
    GRand *rand)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (format);
  gboolean tensor = format == Y10_PIXEL_TENSOR;
  gboolean whole = g_rand_boolean (rand);

  memset (p, 0, sizeof *p);
  p->image = (Y10Image){ .size = sizeof (Y10Image),
    .format = format,
    .matrix = g_rand_int_range (rand, 0, Y10_MATRIX_FCC + 1),
    .full_range = g_rand_boolean (rand),
    .x = whole ? 0 : g_rand_int_range (rand, 0, 9),
    .y = whole ? 0 : g_rand_int_range (rand, 0, 9),
    .width = tensor ? width : (guint) g_rand_int_range (rand, 1, 4 * width),
    .height = tensor ? height
                     : (guint) g_rand_int_range (rand, 1, 4 * height) };
  /* Twice and three times the input, where no pixel is a mixture or all are. */
  if (!tensor && g_rand_int_range (rand, 0, 4) == 0) {
    guint times = g_rand_int_range (rand, 1, 4);

    p->image.width = times * width;
    p->image.height = times * height;
  }
  for (guint i = 0; i < info->n_planes; i++) {
    p->image.stride[i] = (p->image.x + p->image.width + 1) * 4
        + g_rand_int_range (rand, 0, 20);
    fill_plane (p, info, i, rand);
  }
  y10_letterbox_init (&p->letterbox, p->image.width, p->image.height, width,
      height);
  p->column = g_new (Y10Tap, p->letterbox.width);
  p->row = g_new (Y10Tap, p->letterbox.height);
  for (guint i = 0; i < p->letterbox.width; i++)
    p->column[i] = y10_tap_column (i, p->image.width, p->letterbox.width);
  for (guint i = 0; i < p->letterbox.height; i++)
    p->row[i] = y10_tap_row (i, p->image.height, p->letterbox.height);
}

static void
picture_clear (Picture *p)
{
  for (guint i = 0; i < 4; i++)
    g_free (p->planes[i]);
  g_free (p->column);
  g_free (p->row);
}

static void
fill_picture (Y10KPicture *k, const Picture *p)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (p->image.format);
  const Y10Letterbox *l = &p->letterbox;
  Y10ColorTransform color = { 0 };

  if (info->yuv)
    y10_color_transform_init (&color, p->image.matrix, p->image.full_range,
        info->sample_size == 2 ? 10 : 8);
  *k = (Y10KPicture){
    .x = p->image.x,
    .y = p->image.y,
    .yuv = info->yuv,
    .sample_size = info->sample_size,
    .left = l->left,
    .top = l->top,
    .width = l->width,
    .height = l->height,
    .column = (const Y10KTap *) p->column,
    .row = (const Y10KTap *) p->row,
  };
  G_STATIC_ASSERT (sizeof (Y10KTap) == sizeof (Y10Tap));
  G_STATIC_ASSERT (sizeof k->color == sizeof color);
  memcpy (k->color, &color, sizeof color);
  for (guint i = 0; i < info->n_planes; i++) {
    k->plane[i] = p->image.plane[i];
    k->stride[i] = p->image.stride[i];
  }
  for (guint i = 0; i < 3; i++) {
    const Y10Component *c = &info->component[i];

    k->component[i] = (Y10KComponent){ c->plane, c->step, c->offset, c->xshift,
      c->yshift };
  }
}

/* Returns element @i as the kernel of @type must write it. */
static gboolean
is_rounded (gconstpointer out, guint type, gsize i, gfloat expected)
{
  const guint16 *shorts = out;
  const gfloat *floats = out;

  switch (type) {
    case 0:
      return memcmp (&floats[i], &expected, sizeof expected) == 0;
    case 1:
      return shorts[i] == y10_half_from_float (expected);
    default:
      return shorts[i] == y10_bfloat_from_float (expected);
  }
}

/* Checks every output: the view's channels have the expected values, with zeros
 * after the third, and the others are unchanged. */
static gboolean
check (const Picture *p, const Y10KView *view, guint type, guint8 fill,
    const gfloat *planes, gconstpointer out)
{
  gsize elem = type ? 2 : 4;
  gsize area = (gsize) view->height * view->width;

  for (gsize i = 0; i < area; i++)
    for (guint c = 0; c < (guint) view->pixel; c++) {
      gsize at = i * view->pixel + c;
      const guint8 *bytes = (const guint8 *) out + at * elem;
      gboolean inside = (gint) c < view->channels, ok = TRUE;

      if (inside)
        ok = is_rounded (out, type, at, c < 3 ? planes[c * area + i] : 0);
      for (guint b = 0; !inside && b < elem; b++)
        ok = ok && bytes[b] == fill;
      if (!ok) {
        g_test_message ("%s of %s %ux%u+%u+%u to %dx%d, matrix %u%s: row %u "
                        "column %u channel %u is not %g (%g of 255)",
            kernel_names[type], y10_pixel_format_get_name (p->image.format),
            p->image.width, p->image.height, p->image.x, p->image.y,
            view->width, view->height, p->image.matrix,
            p->image.full_range ? " full" : "", (guint) (i / view->width),
            (guint) (i % view->width), c, c < 3 ? planes[c * area + i] : 0,
            c < 3 ? planes[c * area + i] * 255 : 0);
        return FALSE;
      }
    }
  return TRUE;
}

/* Pictures of different kinds in one launch; @planes holds the reference's
 * results. */
static void
run_type (const Picture *pictures, guint n, guint type, gfloat *const *planes,
    GRand *rand)
{
  const Y10SimKernel *kernel = y10_sim_kernel (kernel_names[type]);
  guint width = pictures[0].letterbox.dst_width;
  guint height = pictures[0].letterbox.dst_height;
  Y10KPicture device[MAX_PICTURES];
  gsize elem = type ? 2 : 4, size;
  guint8 *out, fill = 0x5a;
  Y10KPreprocess k;

  for (guint i = 0; i < n; i++)
    fill_picture (&device[i], &pictures[i]);
  k.pictures = device;
  k.images = (int) n;
  k.out = (Y10KView){
    .height = height,
    .width = width,
    .channels = 8 * g_rand_int_range (rand, 1, MAX_CHANNELS / 8 + 1),
  };
  k.out.pixel = k.out.channels + 8 * g_rand_int_range (rand, 0, 3);
  k.out.image = (gint64) height * width * k.out.pixel;
  size = k.out.image * elem;
  out = g_malloc (n * size);
  memset (out, fill, n * size);
  k.out.data = out;
  g_assert_nonnull (kernel);
  g_assert_true (y10_sim_run (kernel, y10_preprocess_launch (&k), 49152, &k));
  for (guint i = 0; i < n; i++)
    if (!check (&pictures[i], &k.out, type, fill, planes[i], out + i * size))
      g_test_fail ();
  g_free (out);
}

/* A value as the type stores it. */
static gfloat
rounded (guint type, gfloat v)
{
  return type == 0 ? v
      : type == 1  ? y10_half_to_float (y10_half_from_float (v))
                   : y10_bfloat_to_float (y10_bfloat_from_float (v));
}

static void
put (gpointer to, guint type, gsize i, gfloat v)
{
  if (type == 0)
    ((gfloat *) to)[i] = v;
  else
    ((guint16 *) to)[i] = type == 1 ? y10_half_from_float (v)
                                    : y10_bfloat_from_float (v);
}

static gfloat
get (gconstpointer from, guint type, gsize i)
{
  const guint16 *shorts = from;

  return type == 0 ? ((const gfloat *) from)[i]
      : type == 1  ? y10_half_to_float (shorts[i])
                   : y10_bfloat_to_float (shorts[i]);
}

typedef struct
{
  guint type, channels; /* of the output, with padding */
  gboolean silu;
  gfloat *weight, *bias; /* [channels][3][3][8], as stored */
  gpointer packed;
} Stem;

static void
stem_init (Stem *s, guint type, GRand *rand)
{
  gsize n;

  s->type = type;
  s->silu = g_rand_int_range (rand, 0, 4) > 0;
  s->channels = 8 * g_rand_int_range (rand, 1, Y10_STEM_MAX_CHANNELS / 8 + 1);
  n = (gsize) s->channels * 9 * 8;
  s->weight = g_new0 (gfloat, n);
  s->bias = g_new (gfloat, s->channels);
  s->packed = g_malloc0 (n * 4);
  for (gsize i = 0; i < n; i++)
    if (i % 8 < 3) {
      s->weight[i] = rounded (type, g_rand_double_range (rand, -1, 1));
      put (s->packed, type, i, s->weight[i]);
    }
  for (guint i = 0; i < s->channels; i++)
    s->bias[i] = g_rand_double_range (rand, -1, 1);
}

static void
stem_clear (Stem *s)
{
  g_free (s->weight);
  g_free (s->bias);
  g_free (s->packed);
}

static double
stem_expected (const Stem *s, const gfloat *planes, guint width, guint height,
    guint x, guint y, guint channel)
{
  double sum = s->bias[channel];

  for (guint ky = 0; ky < 3; ky++)
    for (guint kx = 0; kx < 3; kx++) {
      gint row = (gint) (2 * y + ky) - 1, column = (gint) (2 * x + kx) - 1;

      if (row < 0 || row >= (gint) height || column < 0
          || column >= (gint) width)
        continue;
      for (guint c = 0; c < 3; c++)
        sum += (double) rounded (s->type,
                   planes[((gsize) c * height + row) * width + column])
            * s->weight[((channel * 3 + ky) * 3 + kx) * 8 + c];
    }
  return s->silu ? sum / (1 + exp (-sum)) : sum;
}

static void
check_stem (const Stem *s, const Y10KView *view, const gfloat *planes,
    guint width, guint height, guint8 fill, gconstpointer out)
{
  static const double epsilon[] = { 1e-5, 1e-3, 8e-3 };
  gsize elem = s->type ? 2 : 4;

  for (guint y = 0; y < (guint) view->height; y++)
    for (guint x = 0; x < (guint) view->width; x++)
      for (guint c = 0; c < (guint) view->pixel; c++) {
        gsize at = ((gsize) y * view->width + x) * view->pixel + c;
        const guint8 *bytes = (const guint8 *) out + at * elem;
        double expected, got;

        if (c >= s->channels) {
          for (guint b = 0; b < elem; b++)
            g_assert_cmpuint (bytes[b], ==, fill);
          continue;
        }
        expected = stem_expected (s, planes, width, height, x, y, c);
        got = get (out, s->type, at);
        if (!(fabs (got - expected)
                <= epsilon[s->type] * MAX (fabs (expected), 1))) {
          g_test_message ("%s, %ux%u: row %u column %u channel %u of %u is %g, "
                          "expected %g",
              stem_names[s->type], width, height, y, x, c, s->channels, got,
              expected);
          g_test_fail ();
          return;
        }
      }
}

static void
run_stem (const Picture *pictures, guint n, guint type, gfloat *const *planes,
    GRand *rand)
{
  const Y10SimKernel *kernel = y10_sim_kernel (stem_names[type]);
  guint width = pictures[0].letterbox.dst_width;
  guint height = pictures[0].letterbox.dst_height;
  Y10KPicture device[MAX_PICTURES];
  guint8 *out, fill = 0x5a;
  gsize size;
  Y10KStem k;
  Stem s;

  stem_init (&s, type, rand);
  for (guint i = 0; i < n; i++)
    fill_picture (&device[i], &pictures[i]);
  k = (Y10KStem){
    .pictures = device,
    .height = height,
    .width = width,
    .out = { .height = (height + 1) / 2,
        .width = (width + 1) / 2,
        .channels = s.channels,
        .pixel = s.channels + 8 * g_rand_int_range (rand, 0, 3) },
    .weight = s.packed,
    .bias = s.bias,
    .images = (int) n,
    .silu = s.silu,
  };
  k.out.image = (gint64) k.out.height * k.out.width * k.out.pixel;
  size = k.out.image * (type ? 2 : 4);
  out = g_malloc (n * size);
  memset (out, fill, n * size);
  k.out.data = out;
  g_assert_nonnull (kernel);
  g_assert_true (y10_sim_run (kernel, y10_stem_launch (&k), 49152, &k));
  for (guint i = 0; i < n; i++)
    check_stem (&s, &k.out, planes[i], width, height, fill, out + i * size);
  g_free (out);
  stem_clear (&s);
}

static void
test_format (gconstpointer data)
{
  Y10PixelFormat format = GPOINTER_TO_UINT (data);
  GRand *rand = g_rand_new_with_seed (format);

  for (guint i = 0; i < ROUNDS && !g_test_failed (); i++) {
    guint width = 4 * g_rand_int_range (rand, 1, 24);
    guint height = 4 * g_rand_int_range (rand, 1, 24);
    guint n = 1 + i % MAX_PICTURES;
    gfloat *planes[MAX_PICTURES];
    Picture pictures[MAX_PICTURES];

    for (guint k = 0; k < n; k++) {
      planes[k] = g_new (gfloat, 3 * width * height);
      picture_init (&pictures[k],
          k ? (Y10PixelFormat) g_rand_int_range (rand, 0, Y10_N_PIXEL_FORMATS)
            : format,
          width, height, rand);
      y10_ref_preprocess (&pictures[k].image, &pictures[k].letterbox,
          planes[k]);
    }
    for (guint type = 0; type < 3 && !g_test_failed (); type++) {
      run_type (pictures, n, type, planes, rand);
      if (i % 3 == 0) /* a convolution takes the executor of PTX long */
        run_stem (pictures, n, type, planes, rand);
    }
    for (guint k = 0; k < n; k++) {
      picture_clear (&pictures[k]);
      g_free (planes[k]);
    }
  }
  g_rand_free (rand);
}

/* All values of a byte, none of which may be off by the last bit. */
static void
test_values (void)
{
  guint8 bytes[256];
  gfloat planes[3 * 256], *all[] = { planes };
  GRand *rand = g_rand_new_with_seed (1);
  Picture p = { .image = { .format = Y10_PIXEL_GRAY8,
                    .width = 256,
                    .height = 1,
                    .plane = { bytes },
                    .stride = { 256 } } };

  for (guint i = 0; i < 256; i++) {
    bytes[i] = i;
    planes[i] = planes[256 + i] = planes[512 + i] = i / 255.0f;
  }
  y10_letterbox_init (&p.letterbox, 256, 1, 256, 1);
  p.column = g_new (Y10Tap, 256);
  p.row = g_new (Y10Tap, 1);
  for (guint i = 0; i < 256; i++)
    p.column[i] = y10_tap_column (i, 256, 256);
  p.row[0] = y10_tap_row (0, 1, 1);
  for (guint type = 0; type < 3; type++)
    run_type (&p, 1, type, all, rand);
  picture_clear (&p);
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/values", test_values);
  for (guint f = 0; f < Y10_N_PIXEL_FORMATS; f++) {
    char *path = g_strdup_printf ("/format/%s",
        y10_pixel_format_get_name ((Y10PixelFormat) f));

    g_test_add_data_func (path, GUINT_TO_POINTER (f), test_format);
    g_free (path);
  }
  return g_test_run ();
}
