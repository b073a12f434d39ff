/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Runs kernels that nvcc compiled, as PTX, in place of the simulator's fibers. What
 * it finds wrong is reported like the simulator's other faults. */

#include "sim.h"

G_BEGIN_DECLS

/* Whether Y10_SIM_PTX names an architecture, or a file, and that PTX has the kernel.
 * Reads the file at the first call; one that cannot be read ends the process. */
gboolean y10_ptx_has (const char *name);
/* Runs a kernel synchronously. FALSE after a report. */
gboolean y10_ptx_run (const Y10SimKernel *kernel, Y10KLaunch launch,
    const void *params);

G_END_DECLS
