/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See cudacommon.h. */
#define GST_USE_UNSTABLE_API
#include "cudacommon.h"

#include <dlfcn.h>
#include <gst/check/gstcheck.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

GstCudaContext *
test_cuda_context (guint device)
{
  GstCudaContext *context;

  fail_unless (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  context = gst_cuda_context_new (device);
  fail_unless (context != NULL);
  return context;
}

void
test_cuda_give_context (GstElement *e, GstCudaContext *cuda)
{
  GstContext *context = gst_context_new_cuda_context (cuda);

  gst_element_set_context (e, context);
  gst_context_unref (context);
}

GstCudaContext *
test_cuda_ask_context (GstElement *e)
{
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (e, "sink");
  GstCudaContext *cuda = NULL;

  if (gst_pad_query (pad, query)) {
    GstContext *context;

    gst_query_parse_context (query, &context);
    fail_unless (gst_structure_get (gst_context_get_structure (context),
        GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &cuda, NULL));
  }
  return cuda;
}

GstCaps *
test_cuda_caps (const GstCaps *caps)
{
  GstCaps *cuda = gst_caps_copy (caps);

  gst_caps_set_features (cuda, 0,
      gst_caps_features_new (GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, NULL));
  return cuda;
}

/* GStreamer 1.24; with 1.22 there are no streams. */
static void
set_stream (GstStructure *config, gpointer stream)
{
  void (*set) (GstStructure *, gpointer) = dlsym (RTLD_DEFAULT,
      "gst_buffer_pool_config_set_cuda_stream");

  fail_unless (set != NULL);
  set (config, stream);
}

GstBuffer *
test_cuda_upload_by (GstCudaContext *context, const GstCaps *caps,
    GstBuffer *picture, gpointer stream)
{
  g_autoptr (GstBufferPool) pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  g_autoptr (GstCaps) cuda = test_cuda_caps (caps);
  GstBuffer *buffer = NULL;
  GstVideoFrame from, to;
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_buffer_pool_config_set_params (config, cuda, info.size, 0, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (stream)
    set_stream (config, stream);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
      GST_FLOW_OK);
  fail_unless (gst_video_frame_map (&from, &info, picture, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info, buffer, GST_MAP_WRITE));
  fail_unless (gst_video_frame_copy (&to, &from));
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  gst_buffer_pool_set_active (pool, FALSE);
  return buffer;
}

GstBuffer *
test_cuda_upload (GstCudaContext *context, const GstCaps *caps,
    GstBuffer *picture)
{
  return test_cuda_upload_by (context, caps, picture, NULL);
}
