/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the tests of yolov10detect on frames in CUDA memory have in common. */

#include "cudadetect.h"

const Y10HeadParams cuda_detect_params = {
  .size = sizeof (Y10HeadParams),
  .confidence = 0.05f,
  .iou = 0.7f,
  .max_detections = 1000,
};

GstElement *
cuda_detect_element (const char *properties)
{
  gchar *line = g_strdup_printf ("yolov10detect name=d model-file=%s %s %s",
      test_gst_model (), CUDA_DETECT_PROPERTIES, properties);
  GError *error = NULL;
  GstElement *e = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  g_free (line);
  return e;
}

GstHarness *
cuda_detect_harness (const char *properties, GstCudaContext *context,
    const GstCaps *caps)
{
  GstElement *e = cuda_detect_element (properties);
  GstCaps *cuda = test_cuda_caps (caps);
  GstHarness *h;

  test_cuda_give_context (e, context);
  h = gst_harness_new_with_element (e, "sink", "src");
  gst_object_unref (e);
  gst_harness_set_caps (h, gst_caps_ref (cuda), cuda);
  return h;
}

void
cuda_detect_assert_found (GstBuffer *buffer, GArray *expected, guint width,
    guint height)
{
  g_autoptr (GArray) rois = test_gst_rois (buffer);

  fail_unless (expected->len >= 10);
  test_gst_assert_same (rois, expected, width, height);
}
