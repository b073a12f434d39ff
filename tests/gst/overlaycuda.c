/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See overlaycuda.h. */
#include "overlaycuda.h"

#include <gst/cuda/gstcudamemory.h>

#include "simlaunch.h"

void
overlay_cuda_setup (void)
{
  fake_cuda.launch = test_sim_launch;
}

void
overlay_cuda_teardown (void)
{
  fail_unless_equals_int (fake_cuda.misuses, 0);
  fail_unless_equals_int (test_sim_n_reports (), 0);
  fail_unless_equals_int (fake_cuda.allocations, 0);
}

void
overlay_add_boxes (GstBuffer *buffer, const OverlayBox *all, guint n)
{
  for (guint i = 0; i < n; i++)
    overlay_add_roi (buffer, &all[i]);
}

GstBuffer *
overlay_upload (GstCudaContext *context, GstCaps *caps, GstBuffer *picture)
{
  GstBuffer *buffer = test_cuda_upload (context, caps, picture);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA));
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

GstBuffer *
overlay_download (GstCaps *caps, GstBuffer *buffer)
{
  GstVideoFrame from, to;
  GstVideoInfo info;
  GstBuffer *out;

  fail_unless (gst_video_info_from_caps (&info, caps));
  out = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (out, 0, 0, info.size);
  fail_unless (gst_video_frame_map (&from, &info, buffer, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info, out, GST_MAP_WRITE));
  fail_unless (gst_video_frame_copy (&to, &from));
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  return out;
}

GstBuffer *
overlay_push_and_pull (GstHarness *h, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  return gst_harness_pull (h);
}

GstHarness *
overlay_cuda_harness (const gchar *properties, GstCaps *caps)
{
  GstCaps *cuda = test_cuda_caps (caps);
  GstHarness *h = overlay_harness (properties, cuda, FALSE);

  gst_caps_unref (cuda);
  return h;
}
