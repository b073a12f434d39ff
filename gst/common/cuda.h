/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* CUDA contexts and frames in CUDA memory. Only common/cuda.c includes
 * GStreamer's CUDA headers, and with them those of the toolkit. Builds without
 * them use common/cuda-none.c, which accepts no CUDA frames. */

#include <gst/video/video.h>

G_BEGIN_DECLS

#define GST_Y10_FEATURE_CUDA "memory:CUDAMemory"

/* An element's GstCudaContext: set, found or created. */
typedef struct _GstY10Cuda GstY10Cuda;

GstCaps *gst_y10_cuda_get_caps (void);

GstY10Cuda *gst_y10_cuda_new (GstElement *element);
void gst_y10_cuda_free (GstY10Cuda *cuda);
void gst_y10_cuda_set_context (GstY10Cuda *cuda, GstContext *context,
    gint device_id);
gboolean gst_y10_cuda_answer (GstY10Cuda *cuda, GstQuery *query);
gboolean gst_y10_cuda_open (GstY10Cuda *cuda, gint device_id, GError **error);
void gst_y10_cuda_close (GstY10Cuda *cuda);
void gst_y10_cuda_lose (GstY10Cuda *cuda);
gpointer gst_y10_cuda_get_handle (GstY10Cuda *cuda);
gboolean gst_y10_cuda_load (GError **error);

gboolean gst_y10_cuda_is_lost (GstY10Cuda *cuda, GstBuffer *buffer);
gboolean gst_y10_cuda_is_ours (GstY10Cuda *cuda, GstBuffer *buffer);
gboolean gst_y10_cuda_adopt (GstY10Cuda *cuda, GstBuffer *buffer,
    gint device_id, GError **error);
gboolean gst_y10_cuda_map (GstVideoFrame *frame, const GstVideoInfo *info,
    GstBuffer *buffer, GstMapFlags access, gpointer *stream, GError **error);
void gst_y10_cuda_set_written (GstBuffer *buffer);

G_END_DECLS
