/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A depthwise convolution and the 1×1 that reads it, as one kernel and as the two that
 * there are for each, as nvcc compiled them: the same bits, each tile and type, of views
 * of wider tensors, whatever the columns are shared out to; and the same of logits that
 * are made of that. Nothing outside of the view may change. What the two compute is
 * compared with sums in doubles by the tests of ops and of igemm; here by a few sums
 * only. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kernels/depthwise.h"
#include "kernels/separable.h"
#include "ptx.h"
#include "small_float.h"

typedef struct
{
  int height, width, in, out, kernel, stride, images;
  bool depthwise_silu, silu;
  int logits; /* channels; 0: none are made */
} Case;

/* Widths of whole runs and others, depths that fill no step, tiles that are mostly
 * outside. */
static const Case cases[] = {
  { 6, 8, 64, 80, 3, 1, 1, true, true, 80 },
  { 9, 7, 80, 80, 3, 1, 2, true, true, 8 },
  { 5, 4, 24, 8, 3, 1, 3, true, false, 136 },
  { 9, 12, 136, 72, 3, 1, 1, false, true, 72 },
  { 8, 16, 128, 128, 3, 1, 1, true, true, 24 },
  { 9, 11, 128, 128, 3, 2, 1, false, true },
  { 8, 8, 40, 136, 3, 2, 2, true, true },
  { 7, 9, 64, 24, 7, 1, 1, true, true },
};

#define AROUND 8 /* channels of the tensor beside the view */
#define N_SUMS 16

static bool is_bf16;

static uint16_t
narrow (double value)
{
  return is_bf16 ? y10_sim::float_to_bf16 ((float) value)
                 : y10_sim::float_to_half ((float) value);
}

static double
wide (const void *from, long long i)
{
  const uint16_t half = ((const uint16_t *) from)[i];

  return is_bf16 ? y10_sim::bf16_to_float (half)
                 : y10_sim::half_to_float (half);
}

static double
noise ()
{
  static uint32_t state = 1;

  state = state * 1664525 + 1013904223;
  return (double) (int32_t) state / 2147483648.0;
}

static uint16_t *
numbers (size_t n, double scale)
{
  uint16_t *all = g_new (uint16_t, n);

  for (size_t i = 0; i < n; i++)
    all[i] = narrow (noise () * scale);
  return all;
}

static float *
floats (size_t n)
{
  float *all = g_new (float, n);

  for (size_t i = 0; i < n; i++)
    all[i] = (float) noise ();
  return all;
}

static void
run (const char *name, Y10KLaunch launch, const void *params)
{
  const Y10SimKernel *kernel = y10_sim_kernel (name);

  g_assert_nonnull (kernel);
  g_assert_true (y10_sim_run (kernel, launch, 163840, params));
}

static double
silu (double x, bool wanted)
{
  return wanted ? x / (1 + exp (-x)) : x;
}

/* A depthwise output, rounded as it is stored. */
static double
between (const Case *c, const Y10KSeparable *p, int image, int y, int x, int i)
{
  double sum = p->depthwise_bias[i];

  for (int ky = 0; ky < c->kernel; ky++)
    for (int kx = 0; kx < c->kernel; kx++) {
      const int v = y * c->stride - p->pad + ky,
                u = x * c->stride - p->pad + kx;

      if (v >= 0 && u >= 0 && v < c->height && u < c->width)
        sum += wide (p->in.data,
                   image * p->in.image + (v * c->width + u) * p->in.pixel + i)
            * wide (p->depthwise, (ky * c->kernel + kx) * c->in + i);
    }
  return silu (sum, c->depthwise_silu);
}

/* Few of the outputs against doubles. */
static void
check_sums (const Case *c, const Y10KSeparable *p, const char *name)
{
  double worst = 0;

  for (int k = 0; k < N_SUMS; k++) {
    const int image = k % c->images, y = k * 7 % p->out.height,
              x = k * 5 % p->out.width, n = k * 11 % c->out;
    double sum = p->bias[n];

    for (int i = 0; i < c->in; i++)
      sum += between (c, p, image, y, x, i)
          * wide (p->weight, (long long) n * c->in + i);
    sum = silu (sum, c->silu);
    worst = fmax (worst,
        fabs (wide (p->out.data,
                  image * p->out.image + (y * p->out.width + x) * p->out.pixel
                      + n)
            - sum)
            / (0.5 + fabs (sum)));
  }
  g_test_message ("%s: %g", name, worst);
  g_assert_cmpfloat (worst, <, is_bf16 ? 1e-2 : 2e-3);
}

/* Logits in the kernel of the pair @p, and in one that reads its outputs, @pair. */
static void
check_logits (const Case *c, Y10KSeparable p, const Y10KView &pair)
{
  const bool is_75 = g_str_has_prefix (getenv ("Y10_SIM_PTX"), "75");
  const char *const type = is_bf16 ? "bf16" : "f16";
  const int stages = is_75 ? 2 : 100, pixel = c->logits + 2 * AROUND;
  const size_t n = (size_t) pair.height * pair.width * pixel,
               bytes = (n * c->images + AROUND) * sizeof (float);
  g_autofree uint16_t *weight = numbers ((size_t) c->logits * c->out,
      2 / sqrt (c->out));
  g_autofree float *bias = floats ((size_t) c->logits),
                   *expected = (float *) g_malloc (bytes),
                   *out = (float *) g_malloc (bytes);
  g_autofree char *third = g_strdup_printf ("y10_igemm_%s_64x64_k1", type);
  double sum = bias[c->logits - 1];
  Y10KIgemm g;

  memset (&g, 0, sizeof g);
  memset (expected, 0x5a, bytes);
  g.in = pair;
  g.out = { expected + AROUND, pair.height, pair.width, c->logits, pixel,
    (long long) n };
  g.weight = p.last_weight = weight;
  g.bias = p.last_bias = bias;
  g.stride = g.out_float = 1;
  p.out = g.out;
  p.out.data = out + AROUND;
  p.middle = c->out;
  y10_igemm_prepare (&g, c->images, 1, 2);
  run (third, y10_igemm_launch (&g, Y10_IGEMM_64x64, stages), &g);
  for (int tile = 0; tile < Y10_N_SEPARABLE_TILES; tile++)
    for (int max_shared : { 163840, 0 }) { /* staged and not */
      const Y10KIgemmTile t = y10_separable_tile (tile);
      g_autofree char *name = g_strdup_printf ("y10_separable_logits_%s_%dx%d",
          type, t.rows, t.columns);

      memset (out, 0x5a, bytes);
      y10_separable_prepare (&p, c->images, tile, 1, stages, max_shared);
      run (name, y10_separable_launch (&p, tile, stages), &p);
      g_assert_cmpmem (out, bytes, expected, bytes);
    }
  /* The last one of the first pixel against doubles. */
  for (int i = 0; i < c->out; i++)
    sum += wide (pair.data, i)
        * wide (weight, (long long) (c->logits - 1) * c->out + i);
  g_assert_cmpfloat (fabs (((const float *) p.out.data)[c->logits - 1] - sum),
      <, 1e-3);
}

static void
check (const Case *c)
{
  const bool is_75 = g_str_has_prefix (getenv ("Y10_SIM_PTX"), "75");
  const char *const type = is_bf16 ? "bf16" : "f16";
  const int height = (c->height - 1) / c->stride + 1,
            width = (c->width - 1) / c->stride + 1;
  const int in_pixel = c->in + AROUND, out_pixel = c->out + 2 * AROUND;
  const size_t n_in = (size_t) c->height * c->width * in_pixel,
               n_between = (size_t) height * width * c->in,
               n_out = (size_t) height * width * out_pixel;
  const size_t bytes = (n_out * c->images + AROUND) * sizeof (uint16_t);
  g_autofree uint16_t *in = numbers (n_in * c->images, 1);
  g_autofree uint16_t *depthwise = numbers ((size_t) c->kernel * c->kernel
          * c->in,
      2. / c->kernel);
  g_autofree uint16_t *weight = numbers ((size_t) c->out * c->in,
      2 / sqrt (c->in));
  g_autofree float *depthwise_bias = floats ((size_t) c->in),
                   *bias = floats ((size_t) c->out);
  g_autofree uint16_t *middle = g_new (uint16_t, n_between * c->images);
  g_autofree uint16_t *expected = (uint16_t *) g_malloc (bytes);
  g_autofree uint16_t *out = (uint16_t *) g_malloc (bytes);
  Y10KDepthwise d;
  Y10KIgemm g;
  Y10KSeparable p;

  memset (&d, 0, sizeof d);
  memset (&g, 0, sizeof g);
  memset (&p, 0, sizeof p);
  d.in = p.in = { in, c->height, c->width, c->in, in_pixel, (long long) n_in };
  d.out = g.in = { middle, height, width, c->in, c->in, (long long) n_between };
  d.weight = p.depthwise = depthwise;
  d.bias = p.depthwise_bias = depthwise_bias;
  d.images = c->images;
  d.kernel = p.kernel = c->kernel;
  d.stride = p.stride = c->stride;
  d.pad = p.pad = c->kernel / 2;
  d.silu = p.depthwise_silu = c->depthwise_silu;
  memset (expected, 0x5a, bytes);
  g.out = { expected + AROUND, height, width, c->out, out_pixel,
    (long long) n_out };
  p.out = g.out;
  p.out.data = out + AROUND;
  g.weight = p.weight = weight;
  g.bias = p.bias = bias;
  g.stride = 1;
  g.silu = p.silu = c->silu;
  y10_igemm_prepare (&g, c->images, 1, 2);

  g_autofree char *first = g_strdup_printf ("y10_depthwise_%s", type);
  g_autofree char *second = g_strdup_printf ("y10_igemm_%s_64x64_k1", type);

  run (first, y10_depthwise_launch (&d), &d);
  run (second, y10_igemm_launch (&g, Y10_IGEMM_64x64, is_75 ? 2 : 100), &g);
  for (int tile = 0; tile < Y10_N_SEPARABLE_TILES; tile++)
    for (int parts = 1; parts <= 3; parts += 2) {
      const int max_shared = parts == 1 ? 163840 : 0; /* not staged */
      const Y10KIgemmTile t = y10_separable_tile (tile);
      g_autofree char *name = g_strdup_printf ("y10_separable_%s_%dx%d", type,
          t.rows, t.columns);

      memset (out, 0x5a, bytes);
      y10_separable_prepare (&p, c->images, tile, parts, is_75 ? 2 : 100,
          max_shared);
      run (name, y10_separable_launch (&p, tile, is_75 ? 2 : 100), &p);
      g_assert_cmpmem (out, bytes, expected, bytes);
      if (parts == 1)
        check_sums (c, &p, name);
    }
  if (c->logits)
    check_logits (c, p, g.out);
}

static void
test_case (gconstpointer data)
{
  const bool is_75 = g_str_has_prefix (getenv ("Y10_SIM_PTX"), "75");

  for (int type = 0; type < (is_75 ? 1 : 2); type++) {
    is_bf16 = type == 1;
    check ((const Case *) data);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  y10_sim_set_sm (80);
  for (const Case &c : cases) {
    g_autofree char *path =
        g_strdup_printf ("/separable/%dx%d-%d-to-%d-kernel-%d-stride-%d-%d",
            c.height, c.width, c.in, c.out, c.kernel, c.stride, c.logits);

    g_test_add_data_func (path, &c, test_case);
  }
  return g_test_run ();
}
