/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The convolutions on tensor cores as nvcc compiled them, each tile and type, against
 * sums in doubles: views of wider tensors, channels that fill no step, several images,
 * strides, additions in place, floats. Nothing outside of the view may change. What a 1×1
 * upsamples has the bits of its result, in a view of a wider tensor as well. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kernels/igemm.h"
#include "ptx.h"
#include "small_float.h"

enum Add
{
  NO_ADD,
  ADD,
  IN_PLACE
};

typedef struct
{
  int height, width, in, out, kernel, stride, images;
  Add add;
  bool silu, out_float, upsampled;
} Case;

static const Case cases[] = {
  { 6, 7, 64, 64, 1, 1, 1, NO_ADD, true, false },
  { 5, 7, 72, 80, 1, 1, 3, NO_ADD, true, false, true },
  { 4, 9, 16, 24, 1, 1, 1, NO_ADD, false, false, true },
  { 9, 7, 128, 80, 1, 1, 1, ADD, true, false },
  { 5, 5, 24, 8, 1, 1, 3, NO_ADD, false, true },
  { 9, 5, 8, 16, 3, 2, 1, NO_ADD, true, false },
  { 7, 6, 16, 24, 3, 1, 2, IN_PLACE, true, false },
  { 5, 6, 40, 72, 3, 1, 1, NO_ADD, false, true },
  { 9, 9, 136, 40, 3, 2, 1, ADD, false, false },
  { 3, 3, 640, 16, 3, 1, 1, NO_ADD, false, true },
};

#define AROUND 8 /* channels of the tensor beside the view */

/* A type of numbers. The tolerance: half of the last place of a result; and a GPU's
 * exponential. fp32: what three products leave out, and the sums' rounding. Tensor cores
 * round each product of matrices toward zero, after so much of the depth: but for fp32,
 * which sums these products itself, a unit of the last place of sums below 4 each time. */
static const struct Type
{
  const char *name;
  size_t size;
  double tolerance, of_floats;
  int rounded_after;
} types[] = {
  { "f16", 2, 6e-4, 1e-5, 8 },
  { "bf16", 2, 5e-3, 1e-5, 16 },
  { "tf32", 4, 1e-5, 1e-5, 8 },
  { "f32", 4, 1e-5, 1e-5, 0 },
};

enum
{
  F16,
  BF16,
  TF32,
  F32
};

static const Type *type; /* the numbers' */

static void
put (void *to, size_t i, double value)
{
  const float f = (float) value;
  const uint16_t half = type == &types[BF16] ? y10_sim::float_to_bf16 (f)
                                             : y10_sim::float_to_half (f);

  memcpy ((char *) to + i * type->size,
      type->size == 4 ? (const void *) &f : &half, type->size);
}

static double
get (const void *from, size_t i, size_t size)
{
  float f;
  uint16_t half;

  memcpy (size == 4 ? (void *) &f : &half, (const char *) from + i * size,
      size);
  return size == 4           ? f
      : type == &types[BF16] ? y10_sim::bf16_to_float (half)
                             : y10_sim::half_to_float (half);
}

static double
number (const void *from, long long i)
{
  return get (from, (size_t) i, type->size);
}

/* As tensor cores have it: of tf32 11 bits, halves away from zero. */
static double
factor (const void *from, long long i)
{
  const double all = number (from, i);
  int exponent;

  if (type != &types[TF32])
    return all;
  const double part = frexp (all, &exponent);
  return ldexp (round (ldexp (part, 11)), exponent - 11);
}

static double
noise ()
{
  static uint32_t state = 1;

  state = state * 1664525 + 1013904223;
  return (double) (int32_t) state / 2147483648.0;
}

static char *
numbers (size_t n, double scale)
{
  char *all = (char *) g_malloc (n * type->size);

  for (size_t i = 0; i < n; i++)
    put (all, i, noise () * scale);
  return all;
}

static double
expected (const Case *c, const Y10KIgemm *p, int image, int y, int x, int n)
{
  double sum = p->bias[n];

  for (int ky = 0; ky < c->kernel; ky++)
    for (int kx = 0; kx < c->kernel; kx++) {
      const int v = y * c->stride - p->pad + ky,
                u = x * c->stride - p->pad + kx;

      for (int i = 0;
           i < c->in && v >= 0 && u >= 0 && v < c->height && u < c->width; i++)
        sum += factor (p->in.data,
                   image * p->in.image + (v * c->width + u) * p->in.pixel + i)
            * factor (p->weight,
                ((n * c->kernel + ky) * c->kernel + kx) * c->in + i);
    }
  return c->silu ? sum / (1 + exp (-sum)) : sum;
}

/* A view of channels AROUND to AROUND + channels of memory that begins at @memory. */
static Y10KView
view_of (uint8_t *memory, int height, int width, int channels)
{
  const int pixel = channels + 2 * AROUND;

  return { memory + AROUND * type->size, height, width, channels, pixel,
    (long long) height * width * pixel };
}

static void
check_upsampled (const Y10KView &out, const Y10KView &up, const uint8_t *memory,
    int images)
{
  const size_t size = type->size;
  const char untouched[] = { 0x5a, 0x5a, 0x5a, 0x5a };

  g_assert_cmpint (up.height, ==, 2 * out.height);
  for (size_t i = 0; i < (size_t) up.image * images; i++) {
    const int n = (int) (i % (size_t) up.pixel) - AROUND;
    const int m = (int) (i % (size_t) up.image) / up.pixel;
    const int y = m / up.width / 2, x = m % up.width / 2;
    const long long from = (long long) (i / (size_t) up.image) * out.image
        + (long long) (y * out.width + x) * out.pixel + n;

    if (n < 0 || n >= up.channels)
      g_assert_cmpmem (memory + i * size, size, untouched, size);
    else
      g_assert_cmpmem (memory + i * size, size,
          (const char *) out.data + from * (long long) size, size);
  }
}

static void
check (const Case *c, int tile, int stages)
{
  const Y10KIgemmTile t = y10_igemm_tile (tile);
  g_autofree char *name = g_strdup_printf ("y10_igemm_%s_%dx%d_k%d", type->name,
      t.rows, t.columns, c->kernel);
  const Y10SimKernel *kernel = y10_sim_kernel (name);
  const int height = (c->height - 1) / c->stride + 1,
            width = (c->width - 1) / c->stride + 1;
  const int in_pixel = c->in + AROUND, out_pixel = c->out + 2 * AROUND;
  const size_t n_in = (size_t) c->height * c->width * in_pixel;
  const size_t n_out = (size_t) height * width * out_pixel,
               size = c->out_float ? 4 : type->size;
  g_autofree char *in = numbers (n_in * c->images + AROUND, 1);
  g_autofree char *add = numbers (n_out * c->images + AROUND, 1);
  g_autofree char *weight = numbers ((size_t) c->out * c->kernel * c->kernel
          * c->in,
      2 / sqrt (c->kernel * c->kernel * c->in));
  g_autofree float *bias = g_new (float, c->out);
  g_autofree uint8_t *out = (uint8_t *) g_malloc (
      n_out * c->images * size + AROUND * size);
  const size_t n_up = c->upsampled ? 4 * n_out * c->images * size : 0;
  g_autofree uint8_t *up = (uint8_t *) g_malloc (n_up + 1);
  const char untouched[] = { 0x5a, 0x5a, 0x5a, 0x5a };
  const double rounding = type->rounded_after
      ? 0x1p-22 * c->kernel * c->kernel * c->in / type->rounded_after
      : 0;
  double worst = 0;
  Y10KIgemm p;

  memset (&p, 0, sizeof p);
  memset (out, 0x5a, n_out * c->images * size + AROUND * size);
  memset (up, 0x5a, n_up);
  for (int i = 0; i < c->out; i++)
    bias[i] = (float) noise ();
  if (c->add == IN_PLACE)
    memcpy (out, add, n_out * c->images * size);
  p.in = { in, c->height, c->width, c->in, in_pixel, (long long) n_in };
  p.out = { out + AROUND * size, height, width, c->out, out_pixel,
    (long long) n_out };
  if (c->add)
    p.add = p.out,
    p.add.data = c->add == ADD ? add + AROUND * type->size : p.out.data;
  if (c->upsampled)
    p.up = view_of (up, 2 * height, 2 * width, c->out);
  p.weight = weight;
  p.bias = bias;
  p.stride = c->stride;
  p.pad = c->kernel / 2;
  p.silu = c->silu;
  p.out_float = c->out_float;
  y10_igemm_prepare (&p, c->images, c->kernel, (int) type->size);
  g_assert_nonnull (kernel);
  g_assert_true (
      y10_sim_run (kernel, y10_igemm_launch (&p, tile, stages), 163840, &p));

  for (size_t i = 0; i < n_out * (size_t) c->images; i++) {
    const int n = (int) (i % (size_t) out_pixel) - AROUND;
    const int m = (int) (i % n_out) / out_pixel, image = (int) (i / n_out);
    const char *before = c->add == IN_PLACE ? add + i * size : untouched;

    if (n < 0 || n >= c->out) {
      g_assert_cmpmem (out + i * size, size, before, size);
      continue;
    }
    const double e = expected (c, &p, image, m / width, m % width, n)
        + (c->add ? number (add, (long long) i) : 0);
    worst = fmax (worst,
        (fabs (get (out, i, size) - e) - rounding) / (0.1 + fabs (e)));
  }
  if (c->upsampled)
    check_upsampled (p.out, p.up, up, c->images);
  g_test_message ("%s: %g", name, worst);
  g_assert_cmpfloat (worst, <,
      c->out_float ? type->of_floats : type->tolerance);
}

static void
test_case (gconstpointer data)
{
  const bool is_75 = g_str_has_prefix (getenv ("Y10_SIM_PTX"), "75");

  for (int tile = 0; tile < Y10_N_IGEMM_TILES; tile++)
    for (int t = F16; t <= (is_75                           ? F16
                              : y10_igemm_has_floats (tile) ? F32
                                                            : BF16);
         t++) {
      type = &types[t];
      check ((const Case *) data, tile, is_75 ? 2 : 100);
    }
}

static void
test_divisor ()
{
  for (unsigned by = 1; by < 3000; by++) {
    const Y10KDivisor d = y10_igemm_divisor (by);

    for (unsigned k = 0; k < 64; k++) {
      const unsigned n = k < 32 ? by * k * 997 % 0x7fffffffu - (k & 1)
                                : 0x7fffffffu - k * 12345;
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
    g_autofree char *path = g_strdup_printf ("/igemm/%dx%d-%d-to-%d-kernel-%d",
        c.height, c.width, c.in, c.out, c.kernel);

    g_test_add_data_func (path, &c, test_case);
  }
  return g_test_run ();
}
