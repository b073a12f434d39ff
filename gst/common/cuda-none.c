/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Stub of common/cuda.c for builds without GStreamer's CUDA library. It accepts
 * no CUDA frames, so the functions that take one are never called. */
#include "common/cuda.h"

static gboolean
refuse (GError **error)
{
  g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
      "this build was made without GStreamer's CUDA library");
  return FALSE;
}

GstCaps *
gst_y10_cuda_get_caps (void)
{
  return gst_caps_new_empty ();
}

GstY10Cuda *
gst_y10_cuda_new (GstElement *element)
{
  return NULL;
}

void
gst_y10_cuda_free (GstY10Cuda *cuda)
{
}

void
gst_y10_cuda_set_context (GstY10Cuda *cuda, GstContext *context, gint device_id)
{
}

gboolean
gst_y10_cuda_answer (GstY10Cuda *cuda, GstQuery *query)
{
  return FALSE;
}

gboolean
gst_y10_cuda_open (GstY10Cuda *cuda, gint device_id, GError **error)
{
  return refuse (error);
}

void
gst_y10_cuda_close (GstY10Cuda *cuda)
{
}

void
gst_y10_cuda_lose (GstY10Cuda *cuda)
{
}

gpointer
gst_y10_cuda_get_handle (GstY10Cuda *cuda)
{
  return NULL;
}

gboolean
gst_y10_cuda_is_lost (GstY10Cuda *cuda, GstBuffer *buffer)
{
  return FALSE;
}

gboolean
gst_y10_cuda_is_ours (GstY10Cuda *cuda, GstBuffer *buffer)
{
  return TRUE;
}

gboolean
gst_y10_cuda_adopt (GstY10Cuda *cuda, GstBuffer *buffer, gint device_id,
    GError **error)
{
  return refuse (error);
}

gboolean
gst_y10_cuda_load (GError **error)
{
  return refuse (error);
}

gboolean
gst_y10_cuda_map (GstVideoFrame *frame, const GstVideoInfo *info,
    GstBuffer *buffer, GstMapFlags access, gpointer *stream, GError **error)
{
  return refuse (error);
}

void
gst_y10_cuda_set_written (GstBuffer *buffer)
{
}
