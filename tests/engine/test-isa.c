/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A build with kernels for few CPUs uses the best that it has, and says what it lacks. */
#define Y10_CPU_ISAS Y10_ISA_C, Y10_ISA_SSE41
#include "cpu/kernels/isa.c"

static void
test_fewer (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (detect (Y10_ISA_AVX2) < Y10_ISA_AVX2) {
    g_test_skip ("this CPU has no AVX2");
    return;
  }
  g_setenv ("Y10_MAX_CPU_ISA", "avx2", TRUE);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING,
      "*no kernels for avx2 and uses those for sse41*tools/setup.sh*");
  g_assert_cmpint (y10_cpu_isa (), ==, Y10_ISA_SSE41);
  g_test_assert_expected_messages ();
  g_assert_false (y10_cpu_is_int8_faster ());
  y10_cpu_isa_describe_build (text);
  g_assert_cmpstr (text->str, ==,
      "sse41; this build has kernels only for c, sse41 (-Dcpu-kernels=all: for "
      "all CPUs)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/isa/fewer", test_fewer);
  return g_test_run ();
}
