/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect on frames in CUDA memory when the GPU is lost: a new context with a new engine
 * takes over (fakebackend.c). */
#include "cudadetect.h"

#include <string.h>

/* Expects the next message about the device. */
static void
expect_message (GstBus *bus, GstMessageType type)
{
  GstMessage *message = NULL;

  do {
    g_clear_pointer (&message, gst_message_unref);
    message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
        GST_MESSAGE_WARNING | GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
  } while (message && gst_message_has_name (message, "yolov10-model"));
  fail_unless (message && GST_MESSAGE_TYPE (message) == type);
  fail_unless (type != GST_MESSAGE_ELEMENT
      || gst_message_has_name (message, "yolov10-recovered"));
  gst_message_unref (message);
}

static gboolean
is_skipped (GstBuffer *buffer)
{
  const GstStructure *meta = test_gst_frame_meta (buffer, 0);

  return g_str_equal (gst_structure_get_string (meta, "inference"), "skipped");
}

/* All users lose the context: the element creates a new context with a new
 * engine and publishes it. Frames that still come in the old one pass; those in
 * the new one are inferred. */
GST_START_TEST (test_lost)
{
  GstCaps *caps = test_gst_caps ("NV12", 96, 96);
  GstBuffer *picture = test_gst_picture_caps (caps, 5), *out;
  GArray *expected = test_gst_expected (picture, caps, NULL,
      &cuda_detect_params, Y10_HEAD_AUTO);
  GstCudaContext *old = test_cuda_context (0), *new;
  GstHarness *h = cuda_detect_harness ("backend=cuda", old, caps);
  GstBus *bus = gst_bus_new ();
  guint64 skipped;
  GstStructure *stats;

  gst_element_set_bus (h->element, bus);
  for (guint i = 0; i < 5; i++) {
    if (i == 1)
      fake_cuda.lost = TRUE;
    if (i == 3) {
      expect_message (bus, GST_MESSAGE_WARNING);
      expect_message (bus, GST_MESSAGE_ELEMENT);
    }
    fail_unless_equals_int (gst_harness_push (h,
                                test_cuda_upload (old, caps, picture)),
        GST_FLOW_OK);
    out = gst_harness_pull (h);
    if (i == 0)
      cuda_detect_assert_found (out, expected, 96, 96);
    else
      fail_unless (is_skipped (out));
    gst_buffer_unref (out);
  }
  new = test_cuda_ask_context (h->element);
  fail_unless (new &&new != old);
  fail_unless (fake_cuda.context == gst_cuda_context_get_handle (new));
  fail_unless_equals_int (fake_cuda.primaries[0], 0);
  out = gst_harness_push_and_pull (h, test_cuda_upload (new, caps, picture));
  cuda_detect_assert_found (out, expected, 96, 96);
  gst_buffer_unref (out);
  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "skipped", &skipped));
  fail_unless_equals_uint64 (skipped, 4);
  gst_structure_free (stats);
  fail_unless_equals_int (fake_cuda.opened, 2);
  fail_unless_equals_int (test_gst_count_messages (bus,
                              GST_MESSAGE_WARNING | GST_MESSAGE_ERROR),
      0);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
  gst_object_unref (old);
  gst_object_unref (new);
  fail_unless_equals_int (fake_cuda.contexts, 0);
  fail_unless_equals_int (fake_cuda.misuses, 0);
  g_array_unref (expected);
  gst_buffer_unref (picture);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* While the GPU is lost, backend=auto would load another model on the CPU, which does
 * not read these frames: the model is refused. */
GST_START_TEST (test_lost_and_reloaded)
{
  GstCaps *caps = test_gst_caps ("NV12", 96, 96);
  GstBuffer *picture = test_gst_picture_caps (caps, 5), *out;
  GstCudaContext *old = test_cuda_context (0);
  GstHarness *h = cuda_detect_harness ("backend=auto", old, caps);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;
  gchar *file;

  gst_element_set_bus (h->element, bus);
  fake_cuda.lost = fake_cuda.absent = TRUE;
  out = gst_harness_push_and_pull (h, test_cuda_upload (old, caps, picture));
  fail_unless (is_skipped (out));
  gst_buffer_unref (out);
  expect_message (bus, GST_MESSAGE_WARNING);
  g_object_set (h->element, "model-file", test_gst_other_model (), NULL);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "would run on backend cpu") != NULL,
      "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  g_object_get (h->element, "model-file", &file, NULL);
  fail_unless_equals_string (file, test_gst_model ());
  g_free (file);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
  fake_cuda.lost = fake_cuda.absent = FALSE;
  gst_object_unref (old);
  fail_unless_equals_int (fake_cuda.misuses, 0);
  gst_buffer_unref (picture);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Two independent elements share one engine, and after the loss of the GPU they
 * share one new engine, which is created once. */
GST_START_TEST (test_lost_together)
{
  GstCaps *caps = test_gst_caps ("NV12", 96, 96);
  GstBuffer *picture = test_gst_picture_caps (caps, 5), *out;
  GArray *expected = test_gst_expected (picture, caps, NULL,
      &cuda_detect_params, Y10_HEAD_AUTO);
  GstCudaContext *old = test_cuda_context (0), *new[2];
  GstHarness *h[2];
  GstBus *bus[2];

  for (guint i = 0; i < 2; i++) {
    h[i] = cuda_detect_harness ("backend=cuda", old, caps);
    bus[i] = gst_bus_new ();
    gst_element_set_bus (h[i]->element, bus[i]);
  }
  fail_unless_equals_int (fake_cuda.opened, 1);
  fake_cuda.lost = TRUE;
  for (guint i = 0; i < 2; i++) {
    out = gst_harness_push_and_pull (h[i],
        test_cuda_upload (old, caps, picture));
    fail_unless (is_skipped (out));
    gst_buffer_unref (out);
  }
  for (guint i = 0; i < 2; i++) {
    expect_message (bus[i], GST_MESSAGE_WARNING);
    expect_message (bus[i], GST_MESSAGE_ELEMENT);
  }
  fail_unless_equals_int (fake_cuda.opened, 2);
  for (guint i = 0; i < 2; i++) {
    new[i] = test_cuda_ask_context (h[i]->element);
    fail_unless (new[i] && new[i] != old &&new[i] == new[0]);
    out = gst_harness_push_and_pull (h[i],
        test_cuda_upload (new[i], caps, picture));
    cuda_detect_assert_found (out, expected, 96, 96);
    gst_buffer_unref (out);
  }
  for (guint i = 0; i < 2; i++) {
    gst_element_set_bus (h[i]->element, NULL);
    gst_object_unref (bus[i]);
    gst_harness_teardown (h[i]);
    gst_object_unref (new[i]);
  }
  gst_object_unref (old);
  fail_unless_equals_int (fake_cuda.contexts, 0);
  g_array_unref (expected);
  gst_buffer_unref (picture);
  gst_caps_unref (caps);
}

GST_END_TEST;

TEST_GST_MAIN (detect_cudalost)
{
  tcase_set_timeout (tc, 300);
  tcase_add_test (tc, test_lost);
  tcase_add_test (tc, test_lost_and_reloaded);
  tcase_add_test (tc, test_lost_together);
}
