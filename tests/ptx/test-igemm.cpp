/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The convolutions on tensor cores as nvcc compiled them, each tile, against sums in
 * doubles: views of wider tensors, channels that fill no step, several images, strides,
 * additions in place, floats. Nothing outside of the view may change. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kernels/igemm.h"
#include "ptx.h"
#include "small_float.h"

enum Add { NO_ADD, ADD, IN_PLACE };

typedef struct
{
  int height, width, in, out, kernel, stride, images;
  Add add;
  bool silu, out_float;
} Case;

static const Case cases[] = {
  {6, 7, 64, 64, 1, 1, 1, NO_ADD, true, false},
  {9, 7, 128, 80, 1, 1, 1, ADD, true, false},
  {5, 5, 24, 8, 1, 1, 3, NO_ADD, false, true},
  {9, 5, 8, 16, 3, 2, 1, NO_ADD, true, false},
  {7, 6, 16, 24, 3, 1, 2, IN_PLACE, true, false},
  {5, 6, 40, 72, 3, 1, 1, NO_ADD, false, true},
  {9, 9, 136, 40, 3, 2, 1, ADD, false, false},
};

#define AROUND 8                /* channels of the tensor beside the view */

static bool is_bf16;            /* the numbers */

static uint16_t
small (double value)
{
  return is_bf16 ? y10_sim::float_to_bf16 ((float) value)
      : y10_sim::float_to_half ((float) value);
}

static double
number (uint16_t bits)
{
  return is_bf16 ? y10_sim::bf16_to_float (bits) : y10_sim::half_to_float (bits);
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
    all[i] = small (noise () * scale);
  return all;
}

static double
expected (const Case *c, const Y10KIgemm *p, int image, int y, int x, int n)
{
  const uint16_t *in = (const uint16_t *) p->in.data, *weight = (const uint16_t *) p->weight;
  double sum = p->bias[n];

  for (int ky = 0; ky < c->kernel; ky++)
    for (int kx = 0; kx < c->kernel; kx++) {
      const int v = y * c->stride - p->pad + ky, u = x * c->stride - p->pad + kx;

      for (int i = 0; i < c->in && v >= 0 && u >= 0 && v < c->height && u < c->width; i++)
        sum += number (in[image * p->in.image + (v * c->width + u) * p->in.pixel + i])
            * number (weight[((n * c->kernel + ky) * c->kernel + kx) * c->in + i]);
    }
  return c->silu ? sum / (1 + exp (-sum)) : sum;
}

static void
check (const Case *c, int tile, int stages)
{
  const Y10KIgemmTile t = y10_igemm_tile (tile);
  g_autofree char *name = g_strdup_printf ("y10_igemm_%s_%dx%d_k%d", is_bf16 ? "bf16" : "f16",
      t.rows, t.columns, c->kernel);
  const Y10SimKernel *kernel = y10_sim_kernel (name);
  const int height = (c->height - 1) / c->stride + 1, width = (c->width - 1) / c->stride + 1;
  const int in_pixel = c->in + AROUND, out_pixel = c->out + 2 * AROUND;
  const size_t n_in = (size_t) c->height * c->width * in_pixel;
  const size_t n_out = (size_t) height * width * out_pixel, size = c->out_float ? 4 : 2;
  g_autofree uint16_t *in = numbers (n_in * c->images + AROUND, 1);
  g_autofree uint16_t *add = numbers (n_out * c->images + AROUND, 1);
  g_autofree uint16_t *weight = numbers ((size_t) c->out * c->kernel * c->kernel * c->in,
      2 / sqrt (c->kernel * c->kernel * c->in));
  g_autofree float *bias = g_new (float, c->out);
  g_autofree uint8_t *out = (uint8_t *) g_malloc (n_out * c->images * size + AROUND * size);
  double worst = 0;
  Y10KIgemm p;

  memset (&p, 0, sizeof p);
  memset (out, 0x5a, n_out * c->images * size + AROUND * size);
  for (int i = 0; i < c->out; i++)
    bias[i] = (float) noise ();
  if (c->add == IN_PLACE)
    memcpy (out, add, n_out * c->images * size);
  p.in = { in, c->height, c->width, c->in, in_pixel, (long long) n_in };
  p.out = { out + AROUND * size, height, width, c->out, out_pixel, (long long) n_out };
  if (c->add)
    p.add = p.out, p.add.data = c->add == ADD ? (void *) (add + AROUND) : p.out.data;
  p.weight = weight;
  p.bias = bias;
  p.stride = c->stride;
  p.pad = c->kernel / 2;
  p.silu = c->silu;
  p.out_float = c->out_float;
  y10_igemm_prepare (&p, c->images, c->kernel);
  g_assert_nonnull (kernel);
  g_assert_true (y10_sim_run (kernel, y10_igemm_launch (&p, tile, stages), 163840, &p));

  for (size_t i = 0; i < n_out * (size_t) c->images; i++) {
    const int n = (int) (i % (size_t) out_pixel) - AROUND;
    const int m = (int) (i % n_out) / out_pixel, image = (int) (i / n_out);
    const uint16_t before = c->add == IN_PLACE ? add[i] : 0x5a5a;
    uint16_t half;
    float f;

    memcpy (&f, out + i * size, size == 4 ? 4 : 2);
    memcpy (&half, out + i * size, 2);
    if (n < 0 || n >= c->out) {
      g_assert_cmphex (half, ==, before);
      continue;
    }
    const double e = expected (c, &p, image, m / width, m % width, n)
        + (c->add ? number (add[i]) : 0);
    worst = fmax (worst, fabs ((size == 4 ? f : number (half)) - e) / (0.1 + fabs (e)));
  }
  g_test_message ("%s: %g", name, worst);
  /* Half of the last place; and a GPU's exponential. */
  g_assert_cmpfloat (worst, <, c->out_float ? 1e-5 : is_bf16 ? 5e-3 : 6e-4);
}

static void
test_case (gconstpointer data)
{
  const bool is_75 = g_str_has_prefix (getenv ("Y10_SIM_PTX"), "75");

  for (int tile = 0; tile < Y10_N_IGEMM_TILES; tile++) {
    is_bf16 = false;
    check ((const Case *) data, tile, is_75 ? 2 : 100);
    is_bf16 = true;
    if (!is_75)
      check ((const Case *) data, tile, 100);
  }
}

static void
test_divisor ()
{
  for (unsigned by = 1; by < 3000; by++) {
    const Y10KDivisor d = y10_igemm_divisor (by);

    for (unsigned k = 0; k < 64; k++) {
      const unsigned n = k < 32 ? by * k * 997 % 0x7fffffffu - (k & 1) : 0x7fffffffu - k * 12345;
      const uint64_t high = (uint64_t) n * d.factor >> 32;

      g_assert_cmpuint ((n + high) >> d.shift, ==, n / by);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  y10_sim_set_sm (80);
  g_test_add_func ("/igemm/divisor", test_divisor);
  for (const Case &c : cases) {
    g_autofree char *path = g_strdup_printf ("/igemm/%dx%d-%d-to-%d-kernel-%d", c.height, c.width,
        c.in, c.out, c.kernel);

    g_test_add_data_func (path, &c, test_case);
  }
  return g_test_run ();
}
