/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Compares the network's ops as kernels on the simulated GPU with the
 * reference. Views are ranges of wider tensors: the surrounding values are NaN
 * and must stay bit for bit, and padded channels must become zero. Inputs are
 * rounded to the activations' type first, so only the order of sums and one
 * rounding may differ. */

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/attention.h"
#include "kernels/conv.h"
#include "kernels/depthwise.h"
#include "kernels/epilogue.h"
#include "kernels/maxpool5.h"
#include "kernels/upsample2x.h"
#include "ref/ops.h"
#include "sim.h"
#include "small_float.h"

typedef enum
{
  F32,
  F16,
  BF16,
  N_TYPES
} Type;

static const char *const suffix[N_TYPES] = { "f32", "f16", "bf16" };
static const guint type_size[N_TYPES] = { 4, 2, 2 };
/* Half a unit in the last place, relative to the value; slightly more for
 * sums. */
static const float rounding[N_TYPES] = { 0, 0x1.04p-11f, 0x1.04p-8f };

static float
get (Type type, const void *data, gsize i)
{
  if (type == F32)
    return ((const float *) data)[i];
  return type == F16 ? y10_sim::half_to_float (((const guint16 *) data)[i])
                     : y10_sim::bf16_to_float (((const guint16 *) data)[i]);
}

static void
set (Type type, void *data, gsize i, float x)
{
  if (type == F32)
    ((float *) data)[i] = x;
  else
    ((guint16 *) data)[i] = type == F16 ? y10_sim::float_to_half (x)
                                        : y10_sim::float_to_bf16 (x);
}

/* Allocates exactly the requested size, so that AddressSanitizer detects an
 * overrun. */
static void *
poisoned (gsize size)
{
  void *p = NULL;

  g_assert_cmpint (posix_memalign (&p, 64, MAX (size, 1)), ==, 0);
  memset (p, 0xff, size);
  return p;
}

static guint32 state;

static float
noise (void)
{
  state = state * 1664525u + 1013904223u;
  return (float) (gint32) state * 0x1p-31f;
}

/* @images of logical channels in segments, each padded to 8, in the middle of
 * wider pixels. */
typedef struct
{
  Type type;
  Y10KView view;
  guint images, n_segs, seg[32], logical;
  gsize bytes;
  guint8 *memory;
  float *plane; /* [image][channel][row][column] */
} Tensor;

#define AROUND 8 /* channels before and after */

static gsize
tensor_index (const Tensor *t, guint image, guint y, guint x, guint channel)
{
  guint padded = AROUND, s = 0;

  for (; channel >= t->seg[s]; s++) {
    channel -= t->seg[s];
    padded += (t->seg[s] + 7) / 8 * 8;
  }
  return (gsize) (image * t->view.image)
      + (y * t->view.width + x) * t->view.pixel + padded + channel;
}

static gsize
plane_index (const Tensor *t, guint image, guint y, guint x, guint channel)
{
  return (((gsize) image * t->logical + channel) * t->view.height + y)
      * t->view.width
      + x;
}

static void
tensor_init (Tensor *t, Type type, guint images, guint height, guint width,
    const guint *seg, guint n_segs)
{
  memset (t, 0, sizeof *t);
  t->type = type;
  t->images = images;
  t->n_segs = n_segs;
  for (guint s = 0; s < n_segs; s++) {
    t->seg[s] = seg[s];
    t->logical += seg[s];
    t->view.channels += (seg[s] + 7) / 8 * 8;
  }
  t->view.height = height;
  t->view.width = width;
  t->view.pixel = t->view.channels + 2 * AROUND;
  t->view.image = (gint64) height * width * t->view.pixel + 16;
  t->bytes = images * t->view.image * type_size[type];
  t->memory = (guint8 *) poisoned (t->bytes);
  t->view.data = t->memory + AROUND * type_size[type];
  t->plane = g_new0 (float, (gsize) images * t->logical * height * width);
}

static void
tensor_clear (Tensor *t)
{
  free (t->memory);
  g_free (t->plane);
}

/* Padding is zero, the rest noise; the planes hold the rounded values. */
static void
tensor_fill (Tensor *t, float scale)
{
  for (guint i = 0; i < t->images; i++)
    for (guint y = 0; y < (guint) t->view.height; y++)
      for (guint x = 0; x < (guint) t->view.width; x++) {
        gsize at = (gsize) (i * t->view.image)
            + (y * t->view.width + x) * t->view.pixel + AROUND;

        memset (t->memory + at * type_size[t->type], 0,
            t->view.channels * type_size[t->type]);
        for (guint c = 0; c < t->logical; c++) {
          gsize k = tensor_index (t, i, y, x, c);

          set (t->type, t->memory, k, noise () * scale);
          t->plane[plane_index (t, i, y, x, c)] = get (t->type, t->memory, k);
        }
      }
}

/* Compares with the planes, which hold the expected values; @what is for
 * messages. */
static void
tensor_check (const Tensor *t, float eps, const char *what)
{
  gsize n = (gsize) t->images * t->logical * t->view.height * t->view.width;
  guint8 *seen = g_new0 (guint8, t->bytes);
  guint size = type_size[t->type];
  float largest = 0;

  for (gsize i = 0; i < n; i++)
    if (isfinite (t->plane[i]))
      largest = MAX (largest, fabsf (t->plane[i]));
  for (guint i = 0; i < t->images; i++)
    for (guint y = 0; y < (guint) t->view.height; y++)
      for (guint x = 0; x < (guint) t->view.width; x++) {
        gsize at = (gsize) (i * t->view.image)
            + (y * t->view.width + x) * t->view.pixel + AROUND;

        for (guint c = 0; c < t->logical; c++) {
          gsize k = tensor_index (t, i, y, x, c);
          float got = get (t->type, t->memory, k);
          float want = t->plane[plane_index (t, i, y, x, c)];

          memset (seen + k * size, 1, size);
          if (isnan (want) ? isnan (got)
                           : fabsf (got - want)
                      <= (eps + rounding[t->type]) * fabsf (want)
                          + eps * largest)
            continue;
          g_error ("%s: image %u, row %u, column %u, channel %u: %.9g is wrong,"
                   " %.9g is right",
              what, i, y, x, c, got, want);
        }
        for (guint c = 0; c < (guint) t->view.channels; c++) {
          if (seen[(at + c) * size])
            continue;
          if (get (t->type, t->memory, at + c) != 0)
            g_error ("%s: image %u, row %u, column %u: padded channel %u is %g",
                what, i, y, x, c, get (t->type, t->memory, at + c));
          memset (seen + (at + c) * size, 1, size);
        }
      }
  for (gsize i = 0; i < t->bytes; i++)
    if (!seen[i] && t->memory[i] != 0xff)
      g_error ("%s: wrote element %" G_GSIZE_FORMAT " of the tensor, which is"
               " outside its view",
          what, i / size);
  g_free (seen);
}

static void
run (const char *op, Type type, Y10KLaunch launch, const void *params)
{
  char *name = g_strdup_printf ("y10_%s_%s", op, suffix[type]);
  const Y10SimKernel *kernel = y10_sim_kernel (name);

  g_assert_nonnull (kernel);
  g_assert_cmpuint (launch.shared_bytes, <=, 49152);
  g_assert_true (y10_sim_run (kernel, launch, 49152, params));
  g_free (name);
}

/* @n weights of the type with their values; biases are floats. */
static void
random_weights (Type type, void *to, gsize i, float *value, float scale)
{
  set (type, to, i, noise () * scale);
  *value = get (type, to, i);
}

typedef enum
{
  NO_ADD,
  ADD,
  IN_PLACE
} Add;

typedef struct
{
  guint in, out, kernel, stride, height, width, images;
  gboolean silu;
  Add add;
  gboolean out_float;
} ConvCase;

/* Dense with @groups 1, else depthwise. */
static void
check_conv (const ConvCase *c, gboolean depthwise, Type type)
{
  guint pad = c->kernel / 2, taps = c->kernel * c->kernel;
  guint height = (c->height + 2 * pad - c->kernel) / c->stride + 1;
  guint width = (c->width + 2 * pad - c->kernel) / c->stride + 1;
  guint in8 = (c->in + 7) / 8 * 8, out8 = (c->out + 7) / 8 * 8;
  guint group_in = depthwise ? 1 : c->in;
  gsize n_weights = (gsize) taps * (depthwise ? out8 : in8 * out8);
  void *weight = poisoned (n_weights * type_size[type]);
  float *bias = (float *) poisoned (out8 * sizeof *bias);
  float *plain = g_new (float, (gsize) c->out *group_in *taps);
  float *row = g_new (float, width);
  char *what = g_strdup_printf ("%s %s %u to %u, %ux%u stride %u on %ux%u",
      depthwise ? "depthwise" : "conv", suffix[type], c->in, c->out, c->kernel,
      c->kernel, c->stride, c->width, c->height);
  Y10Op op = {};
  Tensor in, add, out;
  Y10KView added = {};

  memset (weight, 0, n_weights * type_size[type]);
  memset (bias, 0, out8 * sizeof *bias);
  for (guint o = 0; o < c->out; o++) {
    bias[o] = noise ();
    for (guint i = 0; i < group_in; i++)
      for (guint k = 0; k < taps; k++)
        random_weights (type, weight,
            depthwise ? (gsize) k * out8 + o : ((gsize) o * taps + k) * in8 + i,
            &plain[((gsize) o * group_in + i) * taps + k],
            2.0f / sqrtf ((float) (group_in * taps)));
  }
  tensor_init (&in, type, c->images, c->height, c->width, &c->in, 1);
  tensor_init (&add, type, c->images, height, width, &c->out, 1);
  tensor_init (&out, c->out_float ? F32 : type, c->images, height, width,
      &c->out, 1);
  tensor_fill (&in, 1);
  tensor_fill (&add, 1);
  if (c->add == IN_PLACE)
    memcpy (out.memory, add.memory, add.bytes);

  op.kind = Y10_OP_CONV;
  op.kernel = c->kernel;
  op.stride = c->stride;
  op.pad = pad;
  op.groups = depthwise ? c->in : 1;
  op.act = c->silu ? Y10_ACT_SILU : Y10_ACT_NONE;
  for (guint i = 0; i < c->images; i++)
    y10_ref_conv (&op, in.plane + plane_index (&in, i, 0, 0, 0), c->in,
        c->height, c->width, plain, bias,
        c->add ? add.plane + plane_index (&add, i, 0, 0, 0) : NULL,
        out.plane + plane_index (&out, i, 0, 0, 0), c->out, height, width, row);

  if (c->add)
    added = c->add == ADD ? add.view : out.view;
  if (depthwise) {
    Y10KDepthwise p = { in.view, out.view, added, c->out_float, weight, bias,
      (int) c->images, (int) c->kernel, (int) c->stride, (int) pad, c->silu };
    run ("depthwise", type, y10_depthwise_launch (&p), &p);
  } else {
    Y10KConv p = { in.view, out.view, added, c->out_float, weight, bias,
      (int) c->images, (int) c->kernel, (int) c->stride, (int) pad, c->silu };
    run ("conv", type, y10_conv_launch (&p), &p);
  }
  tensor_check (&out, 2e-6f, what);

  tensor_clear (&in);
  tensor_clear (&add);
  tensor_clear (&out);
  free (weight);
  free (bias);
  g_free (plain);
  g_free (row);
  g_free (what);
}

static void
test_conv (void)
{
  static const ConvCase cases[] = {
    { 3, 16, 3, 2, 18, 22, 2, TRUE, NO_ADD, FALSE },
    { 16, 24, 1, 1, 7, 9, 1, TRUE, NO_ADD, FALSE },
    { 24, 20, 3, 1, 9, 7, 3, TRUE, ADD, FALSE },
    { 36, 36, 1, 1, 5, 5, 2, FALSE, IN_PLACE, FALSE },
    { 16, 3, 1, 1, 8, 6, 2, FALSE, NO_ADD, TRUE },
    { 80, 81, 1, 1, 3, 3, 1, FALSE, NO_ADD, TRUE },
    { 8, 8, 3, 1, 1, 1, 1, TRUE, ADD, FALSE },
    { 320, 16, 3, 2, 11, 5, 1, TRUE, NO_ADD, FALSE },
  };

  for (guint t = 0; t < N_TYPES; t++)
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      check_conv (&cases[i], FALSE, (Type) t);
}

static void
test_depthwise (void)
{
  /* The wide ones give a thread several outputs. */
  static const ConvCase cases[] = {
    { 16, 16, 3, 1, 9, 7, 2, TRUE, NO_ADD, FALSE },
    { 36, 36, 3, 2, 9, 8, 2, FALSE, NO_ADD, FALSE },
    { 12, 12, 7, 1, 5, 11, 2, TRUE, ADD, FALSE },
    { 8, 8, 7, 1, 1, 1, 1, TRUE, IN_PLACE, FALSE },
    { 9, 9, 5, 1, 6, 6, 1, TRUE, NO_ADD, FALSE },
    { 9, 9, 3, 1, 6, 6, 1, FALSE, ADD, TRUE },
    { 64, 64, 3, 1, 160, 163, 1, TRUE, ADD, FALSE },
    { 60, 60, 3, 2, 160, 321, 2, FALSE, NO_ADD, FALSE },
    { 64, 64, 7, 1, 160, 161, 1, TRUE, IN_PLACE, FALSE },
  };

  for (guint t = 0; t < N_TYPES; t++)
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      check_conv (&cases[i], TRUE, (Type) t);
}

/* Nothing, SiLU, an addition; in place; into floats. */
static void
test_epilogue (void)
{
  guint channels = 20;

  for (guint t = 0; t < N_TYPES; t++)
    for (guint mode = 0; mode < 8; mode++) {
      gboolean silu = mode & 1, with_add = (mode & 2) != 0;
      gboolean to_float = (mode & 4) != 0;
      Tensor in, add, out;
      Y10KEpilogue p = {};

      tensor_init (&in, (Type) t, 2, 7, 9, &channels, 1);
      tensor_init (&add, (Type) t, 2, 7, 9, &channels, 1);
      tensor_init (&out, to_float ? F32 : (Type) t, 2, 7, 9, &channels, 1);
      tensor_fill (&in, 8);
      tensor_fill (&add, 1);
      for (guint i = 0; i < 2 * channels * 7 * 9; i++) {
        float x = in.plane[i];

        out.plane[i] = (silu ? x / (1 + expf (-x)) : x)
            + (with_add ? add.plane[i] : 0);
      }
      if (!to_float)
        memcpy (out.memory, in.memory, in.bytes);
      p.in = to_float ? in.view : out.view;
      p.out = out.view;
      if (with_add)
        p.add = add.view;
      p.out_float = to_float;
      p.silu = silu;
      p.images = 2;
      run ("epilogue", (Type) t, y10_epilogue_launch (&p), &p);
      tensor_check (&out, 1e-6f, "epilogue");
      tensor_clear (&in);
      tensor_clear (&add);
      tensor_clear (&out);
    }
}

static void
test_upsample2x (void)
{
  guint segs[] = { 12, 8 };

  for (guint t = 0; t < N_TYPES; t++) {
    Tensor in, out;
    Y10KUpsample2x p = {};

    tensor_init (&in, (Type) t, 2, 5, 7, segs, 2);
    tensor_init (&out, (Type) t, 2, 10, 14, segs, 2);
    tensor_fill (&in, 1);
    for (guint i = 0; i < 2; i++)
      y10_ref_upsample2x (in.plane + plane_index (&in, i, 0, 0, 0),
          out.plane + plane_index (&out, i, 0, 0, 0), 20, 5, 7);
    p.in = in.view;
    p.out = out.view;
    p.images = 2;
    run ("upsample2x", (Type) t, y10_upsample2x_launch (&p), &p);
    tensor_check (&out, 0, "upsample2x");
    tensor_clear (&in);
    tensor_clear (&out);
  }
}

/* Two images of random numbers with a NaN in a corner: it spreads to all pixels
 * within two pixels, in its channel, and two pixels further with each pool. */
static void
check_maxpool5 (guint channels, guint height, guint width, int n, Type type)
{
  Tensor in, out[Y10_MAXPOOL5_MAX];
  Y10KMaxPool5 p = {};

  tensor_init (&in, type, 2, height, width, &channels, 1);
  tensor_fill (&in, 1);
  p.in = in.view;
  p.n = n;
  p.images = 2;
  for (int k = 0; k < n; k++) {
    const Tensor *from = k ? &out[k - 1] : &in;

    tensor_init (&out[k], type, 2, height, width, &channels, 1);
    for (guint i = 0; i < 2; i++)
      y10_ref_maxpool5 (from->plane + plane_index (from, i, 0, 0, 0),
          out[k].plane + plane_index (&out[k], i, 0, 0, 0), channels, height,
          width);
    p.out[k] = out[k].view;
  }
  for (int k = 0; k < n; k++) {
    guint reach = 2 * k + 3;

    for (guint y = 0; y < MIN (reach, height); y++)
      for (guint x = 0; x < MIN (reach, width); x++)
        out[k].plane[plane_index (&out[k], 1, y, x, 3)] = NAN;
  }
  set (type, in.memory, tensor_index (&in, 1, 0, 0, 3), NAN);
  run ("maxpool5", type, y10_maxpool5_launch (&p), &p);
  for (int k = 0; k < n; k++) {
    tensor_check (&out[k], 0, "maxpool5");
    tensor_clear (&out[k]);
  }
  tensor_clear (&in);
}

static void
test_maxpool5 (void)
{
  static const struct
  {
    guint channels, height, width;
  } cases[] = { { 20, 7, 9 }, { 8, 1, 1 }, { 16, 2, 3 }, { 36, 20, 20 },
    { 8, 21, 11 } };

  for (guint t = 0; t < N_TYPES; t++)
    for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
      for (int n = 1; n <= Y10_MAXPOOL5_MAX; n++)
        check_maxpool5 (cases[k].channels, cases[k].height, cases[k].width, n,
            (Type) t);
}

/* Tensor cores multiply weights that are rounded to the type of activations. The PTX
 * for sm_75 and the simulator's kernels have none. */
static float
weight_rounding (Type type, guint key_dim)
{
  const char *ptx = g_getenv ("Y10_SIM_PTX");

  return ptx && atoi (ptx) >= 80 && key_dim <= 64 ? rounding[type] : 0;
}

/* @scale: of q and k; large ones make the softmax choose one position. */
static void
check_attention (guint heads, guint key_dim, guint head_dim, guint height,
    guint width, float scale, Type type)
{
  const guint images = 2, head8 = (head_dim + 7) / 8 * 8;
  gsize n = (gsize) height * width;
  guint in_segs[32], out_segs[32], n_segs = 0;
  void *weight = poisoned ((gsize) 9 * heads * head8 * type_size[type]);
  float *bias = (float *) poisoned (heads * head8 * sizeof *bias);
  float *plain = g_new (float, heads *head_dim * 9);
  float *plain_bias = g_new (float, heads *head_dim);
  float *scores = g_new (float, n);
  char *what = g_strdup_printf ("attention %s %u heads of %u and %u on %ux%u",
      suffix[type], heads, key_dim, head_dim, width, height);
  Tensor in, out;
  Y10Op op = {};
  Y10KAttention p = {};

  for (guint h = 0; h < heads; h++) {
    in_segs[n_segs++] = key_dim;
    in_segs[n_segs++] = key_dim;
    in_segs[n_segs++] = head_dim;
    out_segs[h] = head_dim;
  }
  tensor_init (&in, type, images, height, width, in_segs, n_segs);
  tensor_init (&out, type, images, height, width, out_segs, heads);
  tensor_fill (&in, scale);
  memset (weight, 0, (gsize) 9 * heads * head8 * type_size[type]);
  memset (bias, 0, heads * head8 * sizeof *bias);
  for (guint h = 0; h < heads; h++)
    for (guint d = 0; d < head_dim; d++) {
      bias[h * head8 + d] = plain_bias[h * head_dim + d] = noise ();
      for (guint k = 0; k < 9; k++)
        random_weights (type, weight, (k * heads + h) * head8 + d,
            &plain[(h * head_dim + d) * 9 + k], 0.5f);
    }
  op.kind = Y10_OP_ATTENTION;
  op.heads = heads;
  op.key_dim = key_dim;
  op.head_dim = head_dim;
  for (guint i = 0; i < images; i++)
    y10_ref_attention (&op, in.plane + plane_index (&in, i, 0, 0, 0),
        out.plane + plane_index (&out, i, 0, 0, 0), height, width, plain,
        plain_bias, scores);
  p.in = in.view;
  p.out = out.view;
  p.weight = weight;
  p.bias = bias;
  p.heads = (int) heads;
  p.key_dim = (int) key_dim;
  p.head_dim = (int) head_dim;
  p.images = (int) images;
  run ("attention", type, y10_attention_launch (&p), &p);
  /* An error of a score becomes an error of the weight: larger for large
   * scores. */
  tensor_check (&out,
      5e-6f * MAX (scale * scale, 1) + weight_rounding (type, key_dim), what);

  tensor_clear (&in);
  tensor_clear (&out);
  free (weight);
  free (bias);
  g_free (plain);
  g_free (plain_bias);
  g_free (scores);
  g_free (what);
}

static void
test_attention (void)
{
  for (guint t = 0; t < N_TYPES; t++) {
    Type type = (Type) t;

    check_attention (2, 32, 64, 20, 20, 1, type);
    check_attention (2, 32, 64, 10, 12, 6, type);
    check_attention (4, 36, 72, 7, 9, 2, type);
    check_attention (1, 4, 8, 1, 1, 1, type);
    check_attention (1, 3, 5, 3, 1, 1, type);
    check_attention (1, 63, 127, 3, 5, 1, type);
    check_attention (2, 100, 200, 6, 6, 1, type);
    check_attention (1, 128, 64, 5, 13, 1, type);
  }
  /* As at 1280 × 1280. */
  check_attention (1, 32, 64, 40, 40, 1, F16);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/conv", test_conv);
  g_test_add_func ("/ops/depthwise", test_depthwise);
  g_test_add_func ("/ops/epilogue", test_epilogue);
  g_test_add_func ("/ops/upsample2x", test_upsample2x);
  g_test_add_func ("/ops/maxpool5", test_maxpool5);
  g_test_add_func ("/ops/attention", test_attention);
  return g_test_run ();
}
