/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Kernels on the memory of fakecuda.c: run at once by the simulator
 * (tests/cuda-sim), with addresses that it can read. In a file without
 * GStreamer, whose CUDA headers want a cuda.h that is not ours. */

#include <glib.h>

G_BEGIN_DECLS

gboolean test_sim_launch (const char * kernel, const guint grid[3],
    const guint block[3], guint shared_bytes, const void * params);
/* What the simulator found wrong so far. */
guint test_sim_n_reports (void);

G_END_DECLS
