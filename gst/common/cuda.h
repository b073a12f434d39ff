/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Frames in CUDA memory, and the context they are in. GStreamer's CUDA library
 * and the toolkit's headers, which its own include, are known to common/cuda.c
 * alone; a build without them has common/cuda-none.c instead, which takes no
 * such frame and says so. Nobody else can tell the two apart. */

#include <gst/video/video.h>

G_BEGIN_DECLS

#define GST_Y10_FEATURE_CUDA "memory:CUDAMemory"

/* An element's GstCudaContext: given, found, or made. */
typedef struct _GstY10Cuda GstY10Cuda;

GstCaps *gst_y10_cuda_get_caps (void);

GstY10Cuda *gst_y10_cuda_new (GstElement * element);
void gst_y10_cuda_free (GstY10Cuda * cuda);
void gst_y10_cuda_set_context (GstY10Cuda * cuda, GstContext * context,
    gint device_id);
gboolean gst_y10_cuda_answer (GstY10Cuda * cuda, GstQuery * query);
gboolean gst_y10_cuda_open (GstY10Cuda * cuda, gint device_id,
    GError ** error);
void gst_y10_cuda_close (GstY10Cuda * cuda);
void gst_y10_cuda_lose (GstY10Cuda * cuda);
gpointer gst_y10_cuda_get_handle (GstY10Cuda * cuda);
gboolean gst_y10_cuda_load (GError ** error);

gboolean gst_y10_cuda_is_lost (GstY10Cuda * cuda, GstBuffer * buffer);
gboolean gst_y10_cuda_is_ours (GstY10Cuda * cuda, GstBuffer * buffer);
gboolean gst_y10_cuda_adopt (GstY10Cuda * cuda, GstBuffer * buffer,
    gint device_id, GError ** error);
gboolean gst_y10_cuda_map (GstVideoFrame * frame, const GstVideoInfo * info,
    GstBuffer * buffer, GstMapFlags access, gpointer * stream,
    GError ** error);
void gst_y10_cuda_set_written (GstBuffer * buffer);

G_END_DECLS
