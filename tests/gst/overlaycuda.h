/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#pragma once

/* Frames in CUDA memory for tests of yolov10overlay: the simulator runs our
 * kernels, which draw on the memory of fakecuda.c. */

#include "cudacommon.h"
#include "overlaycommon.h"

G_BEGIN_DECLS

/* A fixture around each test; at its end the driver must not have been misused,
 * the simulator must have no reports, and no memory may be left. */
void overlay_cuda_setup (void);
void overlay_cuda_teardown (void);

void overlay_add_boxes (GstBuffer *buffer, const OverlayBox *all, guint n);

/* Copies @picture to the GPU and waits for the copy. */
GstBuffer *overlay_upload (GstCudaContext *context, GstCaps *caps,
    GstBuffer *picture);
/* Copies the frame to system memory. */
GstBuffer *overlay_download (GstCaps *caps, GstBuffer *buffer);

/* Returns a harness for frames of @caps in CUDA memory. */
GstHarness *overlay_cuda_harness (const gchar *properties, GstCaps *caps);
/* Pushes a frame and pulls the result; returns NULL, without waiting, if there
 * is none. */
GstBuffer *overlay_push_and_pull (GstHarness *h, GstBuffer *buffer);

G_END_DECLS
