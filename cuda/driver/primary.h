/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The GPU's primary context, which everybody in the process shares. */

#include "driver/driver.h"

G_BEGIN_DECLS

/* Where @lost it is given back in a way that lets it be made anew. */
gboolean y10_cuda_primary_retain (const Y10CudaDriver * driver, CUdevice id,
    CUcontext * context, GError ** error);
void y10_cuda_primary_release (const Y10CudaDriver * driver, CUdevice id,
    gboolean lost);

G_END_DECLS
