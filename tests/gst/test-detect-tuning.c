/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect while its engine is tuned, on the simulated GPU, which has
 * faster plans if Y10_SIM_FUSE is set: frames flow with equal detections from
 * the first on, and messages report the progress. */
#include <stdio.h>

#include "gstcommon.h"

#define SKIP 77

static GstCaps *caps;

static GstHarness *
make_harness (GstBus **bus)
{
  return test_gst_cuda_harness ("", caps, bus);
}

static void
end (GstHarness *h, GstBus *bus)
{
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

static void
pass (GstHarness *h, GArray *expected)
{
  GstBuffer *out = gst_harness_push_and_pull (h,
      test_gst_picture_caps (caps, 3));
  g_autoptr (GArray) rois = test_gst_rois (out);

  test_gst_assert_same (rois, expected, 96, 96);
  gst_buffer_unref (out);
}

typedef struct
{
  guint done, total, faster;
  gboolean finished;
} Tuning;

/* Gets the next progress message; FALSE if there is none. No messages but these
 * and yolov10-model may come. */
static gboolean
pop_message (GstBus *bus, Tuning *t)
{
  GstMessage *message;
  const GstStructure *s;

  while ((message = gst_bus_pop_filtered (bus,
              GST_MESSAGE_ELEMENT | GST_MESSAGE_PROGRESS | GST_MESSAGE_WARNING
                  | GST_MESSAGE_ERROR))
      && gst_message_has_name (message, "yolov10-model"))
    gst_message_unref (message);

  if (!message)
    return FALSE;
  fail_unless (gst_message_has_name (message, "yolov10-tuning"));
  s = gst_message_get_structure (message);
  fail_unless (gst_structure_get (s, "done", G_TYPE_UINT, &t->done, "total",
      G_TYPE_UINT, &t->total, "faster", G_TYPE_UINT, &t->faster, "finished",
      G_TYPE_BOOLEAN, &t->finished, NULL));
  gst_message_unref (message);
  return TRUE;
}

GST_START_TEST (test_messages)
{
  GArray *expected = test_gst_cuda_expected (caps);
  Tuning last = { 0 }, t = { 0 };
  guint n_messages = 0;
  GstHarness *h;
  GstBus *bus;

  h = make_harness (&bus);
  while (!t.finished) {
    pass (h, expected);
    while (pop_message (bus, &t)) {
      fail_unless (t.total > 0 && t.done <= t.total && t.faster <= t.done);
      fail_unless (n_messages == 0 || t.finished
          || 10 * t.done / t.total > 10 * last.done / last.total);
      last = t;
      n_messages++;
    }
  }
  fail_unless_equals_int (t.done, t.total);
  fail_unless (t.faster > 0);
  fail_unless (n_messages >= 3 && n_messages <= 13, "%u messages", n_messages);
  for (guint i = 0; i < 5; i++)
    pass (h, expected);
  fail_if (pop_message (bus, &t));
  g_array_unref (expected);
  end (h, bus);
}

GST_END_TEST;

/* Stops while the tuner is at work; the next start tunes from the beginning. */
GST_START_TEST (test_stops)
{
  GArray *expected = test_gst_cuda_expected (caps);
  GstHarness *h;
  GstBus *bus;
  Tuning t;

  h = make_harness (&bus);
  for (guint i = 0; i < 2; i++) {
    do
      pass (h, expected);
    while (!pop_message (bus, &t));
    fail_if (t.finished);
    gst_element_set_state (h->element, GST_STATE_READY);
    while (pop_message (bus, &t))
      ;
    fail_unless_equals_int (gst_element_set_state (h->element,
                                GST_STATE_PLAYING),
        GST_STATE_CHANGE_SUCCESS);
    gst_harness_set_caps (h, gst_caps_copy (caps), gst_caps_copy (caps));
  }
  g_array_unref (expected);
  end (h, bus);
}

GST_END_TEST;

GST_START_TEST (test_off)
{
  GArray *expected = test_gst_cuda_expected (caps);
  GstHarness *h;
  GstBus *bus;
  Tuning t;

  h = test_gst_cuda_harness ("cuda-tune=false", caps, &bus);
  for (guint i = 0; i < 30; i++)
    pass (h, expected);
  fail_if (pop_message (bus, &t));
  g_array_unref (expected);
  end (h, bus);
}

GST_END_TEST;

TEST_GST_MAIN (detect_tuning)
{
  g_autoptr (GString) why = g_string_new (NULL);

  if (!y10_backend_probe (Y10_BACKEND_CUDA, why)) {
    test_gst_skip ("no simulated GPU: %s", why->str);
    return;
  }
  caps = test_gst_caps ("RGB", 96, 96);
  tcase_add_test (tc, test_messages);
  tcase_add_test (tc, test_stops);
  tcase_add_test (tc, test_off);
}
