/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#pragma once

/* Frames in CUDA memory for tests of elements, with GStreamer's own CUDA
 * library on a driver whose memory the host can read (fakecuda.c). */

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/cuda/gstcudacontext.h>
#include <gst/video/video.h>

#include "fakecuda.h"

G_BEGIN_DECLS

GstCudaContext *test_cuda_context (guint device);
void test_cuda_give_context (GstElement *e, GstCudaContext *cuda);
/* Returns (transfer full) the context that @e gives to a neighbour. */
GstCudaContext *test_cuda_ask_context (GstElement *e);

/* Returns (transfer full) the same caps in CUDA memory. */
GstCaps *test_cuda_caps (const GstCaps *caps);

/* Copies @picture to CUDA memory, on @stream, a GstCudaStream of GStreamer 1.24
 * or NULL. */
GstBuffer *test_cuda_upload_by (GstCudaContext *context, const GstCaps *caps,
    GstBuffer *picture, gpointer stream);
GstBuffer *test_cuda_upload (GstCudaContext *context, const GstCaps *caps,
    GstBuffer *picture);

G_END_DECLS
