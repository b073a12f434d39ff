/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The simulator itself: correct kernels give the right results in any order,
 * and each kind of fault that it is meant to detect is reported. */

#include <math.h>
#include <string.h>

#include "context_switch.h"
#include "selftest.h"
#include "sim.h"

#define DECLARE(name) extern "C" void name (SelfTest p);
SELF_KERNELS (DECLARE)

#define ENTRY(name) \
  { #name, sizeof (SelfTest), \
    [] (const void *p) { name (*(const SelfTest *) p); } },
static const Y10SimKernel kernels[] = { SELF_KERNELS (ENTRY) };

static gboolean
run (const char *name, guint grid, guint block, guint shared, const SelfTest *p)
{
  Y10KLaunch launch = { { grid, 1, 1 }, { block, 1, 1 }, shared };
  const Y10SimKernel *kernel = y10_sim_kernel (name);

  g_assert_nonnull (kernel);
  return y10_sim_run (kernel, launch, 0, p);
}

/* Runs a kernel that must fail with a report that contains @what. */
static void
assert_found (const char *name, guint grid, guint block, guint shared,
    const SelfTest *p, const char *what)
{
  guint before = y10_sim_n_reports ();

  y10_sim_set_quiet (TRUE);
  g_assert_false (run (name, grid, block, shared, p));
  y10_sim_set_quiet (FALSE);
  g_assert_cmpuint (y10_sim_n_reports (), ==, before + 1);
  if (!strstr (y10_sim_last_report (), what)
      || !strstr (y10_sim_last_report (), name))
    g_error ("\"%s\" says nothing of \"%s\"", y10_sim_last_report (), what);
  y10_sim_reset_reports ();
}

static float in[1 << 16], out[1 << 18];

static SelfTest
fill (int n, guint blocks)
{
  for (guint i = 0; i < n * blocks; i++)
    in[i] = (float) (y10_sim_random () % 1000);
  for (guint i = 0; i < G_N_ELEMENTS (out); i++)
    out[i] = -1;
  return { in, out, n };
}

static void
test_sum (void)
{
  SelfTest p = fill (500, 100);

  g_assert_true (run ("self_sum", 100, 256, 0, &p));
  for (int b = 0; b < 100; b++) {
    float sum = 0;

    for (int i = 0; i < 500; i++)
      sum += in[b * 500 + i];
    g_assert_cmpfloat (out[b], ==, sum);
  }
}

/* A removed barrier: some block's sum is NaN. */
static void
test_no_barrier (void)
{
  SelfTest p = fill (500, 100);
  guint wrong = 0;

  g_assert_true (run ("self_sum_no_barrier", 100, 256, 0, &p));
  for (int b = 0; b < 100; b++) {
    float sum = 0;

    for (int i = 0; i < 500; i++)
      sum += in[b * 500 + i];
    wrong += out[b] != sum;
  }
  g_assert_cmpuint (wrong, >, 50);
}

static int
compare (const void *a, const void *b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return x < y ? -1 : x > y;
}

static void
test_sort (void)
{
  SelfTest p = fill (1024, 20);

  g_assert_true (run ("self_sort", 20, 128, 4096, &p));
  for (int b = 0; b < 20; b++)
    qsort (in + b * 1024, 1024, sizeof (float), compare);
  g_assert_cmpmem (in, 20 * 4096, out, 20 * 4096);
}

static void
test_warp (void)
{
  SelfTest p = fill (1, 1);

  g_assert_true (run ("self_warp", 50, 96, 0, &p));
  for (int i = 0; i < 50 * 96; i++)
    g_assert_cmpfloat (out[i], ==, 0);
}

static void
test_atomics (void)
{
  SelfTest p = fill (1, 1);
  const guint *count = (const guint *) out;

  memset (out, 0, 24);
  g_assert_true (run ("self_atomics", 10, 100, 0, &p));
  g_assert_cmpuint (count[0], ==, 1000);
  g_assert_cmpuint (count[1], ==, 999);
  g_assert_cmpuint (count[2], ==, 0xffffffff);
  g_assert_cmpuint (count[4], ==, 1);
  g_assert_cmpfloat (out[5], ==, 500);
}

static void
test_fresh (void)
{
  SelfTest p = fill (1, 1);

  g_assert_true (run ("self_fresh", 1000, 2, 0, &p));
  for (int i = 0; i < 1000; i++)
    g_assert_cmpfloat (out[i], ==, 1);
}

static void
test_wrong (void)
{
  SelfTest p = fill (1, 1);

  p.n = 0;
  for (int i = 0; i < 20; i++) {
    assert_found ("self_left", 3, 32, 0, &p, "barrier");
    assert_found ("self_divergent", 3, 32, 0, &p, "divergent");
    assert_found ("self_deadlock", 3, 32, 0, &p, "deadlock");
  }
#ifndef Y10_SIM_ASAN
  assert_found ("self_overrun", 1, 32, 0, &p, "outside an array");
#endif
  assert_found ("self_too_large", 1, 32, 0, &p, "49152");
  assert_found ("self_sum", 1, 1025, 0, &p, "block larger");
  assert_found ("self_sum", 0, 32, 0, &p, "empty");
  assert_found ("self_sort", 1, 32, 49153, &p, "dynamic");
  assert_found ("self_sort", 1, 32, 0, &p, "no dynamic");
  /* Afterwards the simulator still works. */
  test_sum ();
}

/* Half and bfloat16, from their definitions. */
static double
half_value (guint h)
{
  double v = h >> 10 & 31 ? ldexp (1024 + (h & 1023), (int) (h >> 10 & 31) - 25)
                          : ldexp (h & 1023, -24);

  if ((h & 0x7c00) == 0x7c00)
    v = h & 1023 ? NAN : INFINITY;
  return h & 0x8000 ? -v : v;
}

/* The nearest of all values of a type with @bits of mantissa and exponents
 * from @lowest; ties to even. */
static double
nearest (double x, int bits, int lowest, double largest)
{
  int e;
  double step, y;

  if (x - x != 0)
    return x;
  frexp (x, &e);
  step = ldexp (1, MAX (e - 1, lowest) - bits);
  y = nearbyint (x / step) * step;
  return fabs (y) > largest ? copysign (INFINITY, x) : y;
}

static void
assert_same (double found, double expected, double from)
{
  if (found != expected && (found == found || expected == expected))
    g_error ("%a, not %a, from %a", found, expected, from);
}

static void
test_half (void)
{
  static float pairs[2 * 65536];
  SelfTest p = { pairs, out, 0 };

  for (guint i = 0; i < 2 * 65536; i++) {
    guint32 u = (guint32) y10_sim_random ();

    memcpy (&pairs[i], &u, 4);
    /* Every other value in the range of half, including exact midpoints. */
    if (i % 4 < 2)
      pairs[i] = (float) (half_value (u & 0xffff)
          + (u >> 16 & 1)
              * (half_value ((u + 1) & 0xffff) - half_value (u & 0xffff)) / 2);
  }
  g_assert_true (run ("self_half", 65536 / 128, 128, 0, &p));
  for (guint i = 0; i < 65536; i++) {
    double h = half_value (i), x = nearest (pairs[2 * i], 10, -14, 65504);
    double y = nearest (pairs[2 * i + 1], 10, -14, 65504);
    long double exact = (long double) x * y + h;

    assert_same (out[4 * i], h, i);
    assert_same (out[4 * i + 1], y, pairs[2 * i + 1]);
    /* Few sums do not fit a double; a long double holds them all except for
     * bits far below half a unit in the last place. */
    if (exact - exact == 0) {
      int e;
      long double step;

      frexpl (exact, &e);
      step = ldexpl (1, MAX (e - 1, -14) - 10);
      exact = nearbyintl (exact / step) * step;
      if (fabsl (exact) > 65504)
        exact = copysignl (INFINITY, exact);
    }
    assert_same (out[4 * i + 2], (double) exact, h);
    assert_same (out[4 * i + 3],
        nearest (pairs[2 * i], 7, -126, 3.3895313892515355e38), pairs[2 * i]);
  }
}

int
main (int argc, char **argv)
{
  for (const Y10SimKernel &k : kernels)
    y10_sim_register (&k);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda-sim/sum", test_sum);
  g_test_add_func ("/cuda-sim/no-barrier", test_no_barrier);
  g_test_add_func ("/cuda-sim/sort", test_sort);
  g_test_add_func ("/cuda-sim/warp", test_warp);
  g_test_add_func ("/cuda-sim/atomics", test_atomics);
  g_test_add_func ("/cuda-sim/fresh", test_fresh);
  g_test_add_func ("/cuda-sim/wrong", test_wrong);
  g_test_add_func ("/cuda-sim/half", test_half);
  return g_test_run ();
}
