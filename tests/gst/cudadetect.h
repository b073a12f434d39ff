/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#pragma once

/* yolov10detect on frames in CUDA memory (cudacommon.h), and what it should find there. */

#include "cudacommon.h"
#include "gstcommon.h"

G_BEGIN_DECLS

#define CUDA_DETECT_PROPERTIES "confidence=0.05 max-detections=1000"

/* The same. */
extern const Y10HeadParams cuda_detect_params;

GstElement *cuda_detect_element (const char *properties);
GstHarness *cuda_detect_harness (const char *properties,
    GstCudaContext *context, const GstCaps *caps);
void cuda_detect_assert_found (GstBuffer *buffer, GArray *expected, guint width,
    guint height);

G_END_DECLS
