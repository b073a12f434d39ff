/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The executor of PTX: what the kernels of test.ptx compute, and each fault that it
 * has to report. */

#include <string.h>

#include "ptx.h"

#define N 64

static guint32 numbers[N];

static gboolean
run (const char *name)
{
  const Y10SimKernel kernel = { name, sizeof (gpointer), nullptr };
  const Y10KLaunch launch = { { 1, 1, 1 }, { N, 1, 1 }, 0 };
  guint32 *param = numbers;

  g_assert_true (y10_ptx_has (name));
  memset (numbers, 0xff, sizeof numbers);
  return y10_ptx_run (&kernel, launch, &param);
}

static void
test_exchange (gconstpointer name)
{
  guint by = strstr ((const char *) name, "warp") ? 1 : 32;

  g_assert_true (run ((const char *) name));
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (numbers[i], ==, i ^ by);
}

static void
test_divergent (void)
{
  g_assert_true (run ("divergent"));
  for (guint i = 0; i < N - 1; i++)
    g_assert_cmpint ((gint) numbers[i], ==,
        i % 2 ? -3 * ((gint) i - 1) : 5 * ((gint) i + 1) + 7);
  g_assert_cmphex (numbers[N - 1], ==, 0xaaaaaaaa);
}

static void
test_floats (void)
{
  g_assert_true (run ("floats"));
  for (guint i = 0; i < N; i++) {
    gfloat f;

    memcpy (&f, &numbers[i], sizeof f);
    g_assert_cmpfloat (f, ==, (gfloat) i / 2 - 1);
  }
}

typedef struct
{
  const char *name, *said;
} Fault;

static const Fault faults[] = {
  { "race", "race: it writes byte 128 of shared memory, which thread 0 read" },
  { "race_in_warp",
      "race: it reads byte 4 of shared memory, which thread 1 wrote" },
  { "beyond",
      "thread 63, line 133 of its PTX: byte 256 of 256 bytes of shared memory" },
  { "unaligned", "is not aligned to 4 bytes" },
  { "two_barriers", "deadlock: threads wait at different barriers" },
  { "early",
      "it reads byte 0 of shared memory, which an unfinished copy writes" },
  { "unfinished", "it ends before its copies do" },
  { "copy_without_barrier",
      "race: it writes byte 512 of shared memory, which thread 0 read" },
  { "parted", "only the lanes fffffeff of the warp are here" },
  { "lonely", "the mask ffffffff has a lane that has ended" },
};

static void
test_fault (gconstpointer data)
{
  const Fault *fault = (const Fault *) data;
  guint before = y10_sim_n_reports ();

  g_assert_false (run (fault->name));
  g_test_message ("%s", y10_sim_last_report ());
  g_assert_cmpuint (y10_sim_n_reports (), ==, before + 1);
  g_assert_nonnull (strstr (y10_sim_last_report (), fault->said));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  y10_sim_set_quiet (TRUE);
  g_test_add_data_func ("/ptx/exchange", "exchange", test_exchange);
  g_test_add_data_func ("/ptx/exchange-in-warp", "exchange_in_warp",
      test_exchange);
  g_test_add_data_func ("/ptx/copies", "copies_in_warp", test_exchange);
  g_test_add_func ("/ptx/divergent", test_divergent);
  g_test_add_func ("/ptx/floats", test_floats);
  for (const Fault &fault : faults) {
    g_autofree char *path = g_strconcat ("/ptx/", fault.name, NULL);

    g_test_add_data_func (path, &fault, test_fault);
  }
  status = g_test_run ();
  y10_sim_reset_reports (); /* they were asked for */
  return status;
}
