/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#pragma once

/* Frames in CUDA memory for tests of yolov10overlay: our kernels draw on the
 * memory of fakecuda.c, run by the simulator. */

#include "cudacommon.h"
#include "overlaycommon.h"

G_BEGIN_DECLS

/* A fixture around each test; afterwards nobody has misused the driver, the
 * simulator found nothing wrong and no memory is left. */
void overlay_cuda_setup (void);
void overlay_cuda_teardown (void);

void overlay_add_boxes (GstBuffer * buffer, const OverlayBox * all, guint n);

/* A copy of @picture on the GPU: there, not on its way. */
GstBuffer *overlay_upload (GstCudaContext * context, GstCaps * caps,
    GstBuffer * picture);
/* The same in system memory. */
GstBuffer *overlay_download (GstCaps * caps, GstBuffer * buffer);

/* For frames of @caps in CUDA memory. */
GstHarness *overlay_cuda_harness (const gchar * properties, GstCaps * caps);
/* Waits for no frame that will not come. */
GstBuffer *overlay_push_and_pull (GstHarness * h, GstBuffer * buffer);

G_END_DECLS
