/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which weights Winograd's F(4 × 4, 3×3) accepts: those of trained networks, of any
 * size, but none whose sums leave the range of fp32. That the results are right
 * is tested by checkop and golden. */

#include <math.h>

#include "cpu/conv.h"

#define N_OUT 24
#define N_IN 40

/* Normally distributed, as after training with weight decay, times @scale. */
static gfloat *
make_weights (gdouble scale)
{
  gfloat *w = g_new (gfloat, N_OUT * N_IN * 9);
  GRand *random = g_rand_new_with_seed (1);

  for (guint i = 0; i < N_OUT * N_IN * 9; i++) {
    const gdouble u = 1 - g_rand_double (random);

    w[i] = scale * sqrt (-2 * log (u))
        * cos (2 * G_PI * g_rand_double (random));
  }
  g_rand_free (random);
  return w;
}

static gboolean
accepts (const gfloat *w)
{
  return y10_cpu_conv_winograd4x4.is_accurate (N_OUT, N_IN, w);
}

static void
test_scales (void)
{
  static const struct
  {
    gdouble scale;
    gboolean accepted;
  } cases[] = {
    {1e-15, TRUE}, {0.02, TRUE}, {1, TRUE}, {1e15, TRUE}, {3e37, FALSE}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gfloat *w = make_weights (cases[i].scale);

    g_test_message ("scale %g", cases[i].scale);
    g_assert_cmpint (accepts (w), ==, cases[i].accepted);
    g_free (w);
  }
}

/* Such a layer gives NaN in any way; it must not be taken for an accurate one. */
static void
test_bad_values (void)
{
  static const gfloat values[] = { NAN, INFINITY, -INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    gfloat *w = make_weights (0.02);

    w[0] = values[i];
    g_assert_false (accepts (w));
    g_free (w);
  }
}

/* A layer of zeros is exact. */
static void
test_zeros (void)
{
  gfloat *w = g_new0 (gfloat, N_OUT * N_IN * 9);

  g_assert_true (accepts (w));
  g_free (w);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/winograd/scales", test_scales);
  g_test_add_func ("/winograd/bad-values", test_bad_values);
  g_test_add_func ("/winograd/zeros", test_zeros);
  return g_test_run ();
}
