/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The race detector: it reports each racy kernel in every order of threads, with
 * both threads and both lines, and none of the others. */

#include <string.h>

#include "races.h"
#include "sim.h"

#define DECLARE(name) extern "C" void name (RaceTest p);
/* clang-format off */
RACY_KERNELS (DECLARE)
RACE_FREE_KERNELS (DECLARE)
/* clang-format on */

#define ENTRY(name) \
  { #name, sizeof (RaceTest), \
    [] (const void *p) { name (*(const RaceTest *) p); } },
static const Y10SimKernel racy[] = { RACY_KERNELS (ENTRY) };
static const Y10SimKernel race_free[] = { RACE_FREE_KERNELS (ENTRY) };

enum
{
  THREADS = 64,
  BLOCKS = 3,
  ORDERS = 10,
};

static int in[THREADS], out[BLOCKS * THREADS];

static gboolean
run (const Y10SimKernel *kernel)
{
  Y10KLaunch launch = { { BLOCKS, 1, 1 }, { THREADS, 1, 1 }, 0 };
  RaceTest p = { in, out };

  for (int i = 0; i < THREADS; i++)
    in[i] = 3 * i + 1;
  return y10_sim_run (kernel, launch, 0, &p);
}

/* FALSE: the reader came first and read unwritten memory. */
static gboolean
is_race (const char *text, const char *kernel)
{
  const char *line = strstr (text, "racy.cu:");

  g_assert_nonnull (strstr (text, kernel));
  if (strstr (text, "before any thread has written it"))
    return FALSE;
  if (!strstr (text, "race on shared memory, byte ") || !line
      || !strstr (line + 1, "racy.cu:"))
    g_error ("%s: unexpected report: %s", kernel, text);
  return TRUE;
}

static void
test_racy (void)
{
  y10_sim_set_quiet (TRUE);
  for (const Y10SimKernel &k : racy) {
    guint n_races = 0;

    for (guint i = 0; i < ORDERS; i++) {
      y10_sim_reset_reports ();
      y10_sim_set_seed (i);
      if (run (&k))
        g_error ("%s: no race found in order %u", k.name, i);
      g_assert_cmpuint (y10_sim_n_reports (), ==, 1);
      if (is_race (y10_sim_last_report (), k.name) && n_races++ == 0)
        g_test_message ("%s", y10_sim_last_report ());
    }
    g_assert_cmpuint (n_races, >, 0);
  }
  y10_sim_reset_reports ();
  y10_sim_set_quiet (FALSE);
}

/* The report names the array, the two threads and the two lines. */
static void
test_report (void)
{
  y10_sim_set_quiet (TRUE);
  for (guint i = 0; i < ORDERS; i++) {
    y10_sim_reset_reports ();
    y10_sim_set_seed (i);
    g_assert_false (run (&racy[0]));
    const char *text = y10_sim_last_report ();
    if (!is_race (text, racy[0].name))
      g_assert_true (g_pattern_match_simple (
          "*thread (40, 0, 0): shared memory, byte 0 of a: read "
          "at racy.cu:19 before any thread has written it",
          text));
    else
      g_assert_true (
          g_pattern_match_simple (
              "*thread (40, 0, 0): race on shared memory, byte 0 "
              "of a: read at racy.cu:19, written by thread (0, 0, 0) at racy.cu:18, not "
              "synchronized",
              text)
          || g_pattern_match_simple (
              "*thread (0, 0, 0): race on shared memory, byte 0 of a: "
              "written at racy.cu:18, read by thread (40, 0, 0) at racy.cu:19, not synchronized",
              text));
  }
  y10_sim_reset_reports ();
  y10_sim_set_quiet (FALSE);
}

static int
expected (const char *name, int i)
{
  int sum = 0;

  if (strcmp (name, "free_barrier") == 0)
    return in[0];
  if (strcmp (name, "free_barrier_vote") == 0)
    return in[i ^ 32];
  if (strcmp (name, "free_loop") == 0)
    return 3 * in[63 - i] + 3;
  if (strcmp (name, "free_bytes") == 0) {
    for (int j = 3; j >= 0; j--)
      sum = sum << 8 | ((i & ~3) + j + 2);
    return sum + i + 1;
  }
  if (strcmp (name, "free_own_value") == 0)
    return 4 * in[i];
  if (strcmp (name, "free_syncwarp") == 0) {
    for (int j = 0; j < 32; j++)
      sum += in[(i & ~31) + j];
    return sum;
  }
  if (strcmp (name, "free_masks") == 0)
    return in[i ^ 8];
  if (strcmp (name, "free_chain") == 0)
    return i == 2 ? in[0] : 0;
  if (strcmp (name, "free_atomics") == 0)
    return THREADS + THREADS - 1;
  g_assert_cmpstr (name, ==, "free_vectors");
  return in[i] + 3 + 2 * in[63 - i] + 1;
}

static void
test_free (void)
{
  for (const Y10SimKernel &k : race_free) {
    for (guint i = 0; i < ORDERS; i++) {
      y10_sim_set_seed (i);
      g_assert_true (run (&k));
      for (int j = 0; j < BLOCKS * THREADS; j++)
        g_assert_cmpint (out[j], ==, expected (k.name, j % THREADS));
    }
  }
  g_assert_cmpuint (y10_sim_n_reports (), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/races/free", test_free);
  g_test_add_func ("/races/racy", test_racy);
  g_test_add_func ("/races/report", test_report);
  return g_test_run ();
}
