/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See simlaunch.h. */
#include "simlaunch.h"

#include <string.h>

#include "fakecuda.h"
#include "sim.h"

gboolean
test_sim_launch (const char *name, const guint grid[3], const guint block[3],
    guint shared_bytes, const void *params)
{
  const Y10SimKernel *kernel = y10_sim_kernel (name);
  Y10KLaunch l = { .shared_bytes = shared_bytes };
  guint64 words[512];

  if (!kernel || kernel->params_size > sizeof words)
    return FALSE;
  memcpy (l.grid, grid, sizeof l.grid);
  memcpy (l.block, block, sizeof l.block);
  memset (words, 0, sizeof words);
  memcpy (words, params, kernel->params_size);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (words[i] >> 47 == FAKE_CUDA_TAG >> 47)
      words[i] &= ~FAKE_CUDA_TAG;
  return y10_sim_run (kernel, l, 49152, words);
}

guint
test_sim_n_reports (void)
{
  return y10_sim_n_reports ();
}
