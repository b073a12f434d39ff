/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Kernels on the memory of fakecuda.c: the simulator (tests/cuda-sim) runs them
 * synchronously, with addresses that it can read. This file does not include
 * GStreamer, whose CUDA headers need another cuda.h than ours. */

#include <glib.h>

G_BEGIN_DECLS

gboolean test_sim_launch (const char *kernel, const guint grid[3],
    const guint block[3], guint shared_bytes, const void *params);
/* Returns the number of the simulator's reports so far. */
guint test_sim_n_reports (void);

G_END_DECLS
