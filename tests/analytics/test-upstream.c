/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10overlay draws the detections of another detector. Upstream's own
 * decoder of SSD networks makes GstAnalyticsODMtd from tensors, which this test
 * attaches in place of a network. Tensors, boxes and labels have upstream's
 * form, and the test knows where the boxes must be. Writes upstream.png. */

#include <gst/analytics/analytics.h>

#include <glib/gstdio.h>
#include <unistd.h>

#include "overlaycommon.h"

#define W 320
#define H 240
#define N_BOXES 2

/* Upper, left, lower, right edge, fractions of the frame. The second is under
 * the threshold. */
static const gfloat boxes[N_BOXES][4] = {
  { 0.25f, 0.25f, 0.75f, 0.5f },
  { 0.2f, 0.7f, 0.6f, 0.9f },
};
static const gfloat scores[N_BOXES] = { 0.9f, 0.1f };
static const gfloat classes[N_BOXES] = { 1, 1 };
static const gfloat count[1] = { N_BOXES };

/* GStreamer 1.28 renamed the decoder and its tensors. */
static gboolean
is_new (void)
{
  GstElementFactory *factory = gst_element_factory_find ("ssdtensordec");
  gboolean found = factory != NULL;

  g_clear_object (&factory);
  return found;
}

static GstTensor *
tensor (const gchar *id, gconstpointer data, gsize n_bytes, gsize n_dims,
    gsize second, gsize third)
{
  gsize dims[] = { 1, second, third };
  GstBuffer *buffer = gst_buffer_new_memdup (data, n_bytes);

  return gst_tensor_new_simple (g_quark_from_string (id),
      GST_TENSOR_DATA_TYPE_FLOAT32, buffer, GST_TENSOR_DIM_ORDER_ROW_MAJOR,
      n_dims, dims);
}

static void
add_tensors (GstBuffer *buffer)
{
  static const gchar *const names[2][4] = {
    { "Gst.Model.ObjectDetector.NumDetections",
        "Gst.Model.ObjectDetector.Scores", "Gst.Model.ObjectDetector.Boxes",
        "Gst.Model.ObjectDetector.Classes" },
    { "generic-variant-1-out-count", "ssd-mobilenet-v1-variant-1-out-scores",
        "ssd-mobilenet-v1-variant-1-out-boxes",
        "ssd-mobilenet-v1-variant-1-out-classes" },
  };
  const gchar *const *id = names[is_new ()];
  GstTensor **tensors = g_new (GstTensor *, 4);

  tensors[0] = tensor (id[0], count, sizeof count, 1, 0, 0);
  tensors[1] = tensor (id[1], scores, sizeof scores, 2, N_BOXES, 0);
  tensors[2] = tensor (id[2], boxes, sizeof boxes, 3, N_BOXES, 4);
  tensors[3] = tensor (id[3], classes, sizeof classes, 2, N_BOXES, 0);
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (buffer), 4, tensors);
}

/* Since 1.28 the caps list the tensors. */
static GstCaps *
with_tensors (GstHarness *harness, GstCaps *caps)
{
  GstElement *decoder = gst_harness_find_element (harness, "ssdtensordec");
  GstPad *pad = gst_element_get_static_pad (decoder, "sink");
  GstCaps *template = gst_pad_get_pad_template_caps (pad);
  GstCaps *both = gst_caps_intersect (template, caps);

  gst_caps_unref (template);
  gst_object_unref (pad);
  gst_object_unref (decoder);
  return gst_caps_fixate (both);
}

static void
save (GstBuffer *buffer, GstCaps *caps)
{
  GstHarness *h = gst_harness_new_parse ("videoconvert ! pngenc");
  GstBuffer *png;
  GstMapInfo map;

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  png = gst_harness_push_and_pull (h, gst_buffer_ref (buffer));
  fail_unless (gst_buffer_map (png, &map, GST_MAP_READ));
  fail_unless (g_file_set_contents ("upstream.png", (gchar *) map.data,
      (gssize) map.size, NULL));
  gst_buffer_unmap (png, &map);
  gst_buffer_unref (png);
  gst_harness_teardown (h);
}

static guint
changed (GstBuffer *a, GstBuffer *b, GstCaps *caps, gint x, gint y, gint w,
    gint h)
{
  return overlay_n_changed (a, b, caps, x, y, x + w, y + h);
}

GST_START_TEST (test_boxes_of_upstream)
{
  const gchar *decoder = is_new () ? "ssdtensordec" : "ssdobjectdetector";
  gchar *labels = g_build_filename (g_get_tmp_dir (), "y10-labels-XXXXXX",
      NULL);
  GstCaps *caps = overlay_caps ("RGB", W, H, NULL), *input;
  const gint x0 = W / 4, x1 = W / 2, y0 = H / 4, y1 = H * 3 / 4;
  GstBuffer *before, *after;
  gint fd = g_mkstemp (labels), i;
  gchar *pipeline;
  GstHarness *h;

  fail_unless (fd >= 0);
  close (fd);
  fail_unless (g_file_set_contents (labels, "person\nperson\n", -1, NULL));
  pipeline = g_strdup_printf ("%s label-file=%s score-threshold=0.3 ! "
                              "yolov10overlay",
      decoder, labels);
  h = gst_harness_new_parse (pipeline);
  g_free (pipeline);
  input = is_new () ? with_tensors (h, caps) : gst_caps_ref (caps);
  gst_harness_set_src_caps (h, input);

  before = overlay_picture (caps, FALSE);
  after = gst_buffer_copy_deep (before);
  add_tensors (after);
  after = gst_harness_push_and_pull (h, after);
  fail_unless (after != NULL);
  save (after, caps);

  /* The outline, on all four sides. */
  for (i = 1; i < 4; i++) {
    gint x = x0 + (x1 - x0) * i / 4, y = y0 + (y1 - y0) * i / 4;

    fail_unless (changed (before, after, caps, x0 - 4, y, 8, 1) > 0);
    fail_unless (changed (before, after, caps, x1 - 4, y, 8, 1) > 0);
    fail_unless (changed (before, after, caps, x, y0 - 4, 1, 8) > 0);
    fail_unless (changed (before, after, caps, x, y1 - 4, 1, 8) > 0);
  }
  /* Nothing is drawn inside, nor for detections that the decoder left out. */
  fail_unless_equals_int (changed (before, after, caps, x0 + 20, y0 + 40, 30,
                              60),
      0);
  fail_unless_equals_int (changed (before, after, caps, W * 6 / 10, 0,
                              W - W * 6 / 10, H),
      0);
  fail_unless_equals_int (changed (before, after, caps, 0, y1 + 8, W,
                              H - y1 - 8),
      0);

  gst_buffer_unref (before);
  gst_buffer_unref (after);
  gst_caps_unref (caps);
  gst_harness_teardown (h);
  g_unlink (labels);
  g_free (labels);
}

GST_END_TEST;

TEST_CHECK_MAIN (upstream)
{
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_boxes_of_upstream);
}
