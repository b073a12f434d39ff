/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Live sources and an engine that is much too slow for them: the element never
 * blocks a source, and gives each stream the same share of inferences. An inference
 * lasts until the test lets it pass the gate (fakegate.h), so that a source that
 * waits for one would wait for ever. */
#include <stdlib.h>

#include "fakegate.h"
#include "gstcommon.h"
#include "waitfor.h"

#define FRAME TEST_GST_FRAME

static GstCaps *caps;
static FakeGate gate;

static void
make_gate (void)
{
  fake_gate_begin (&gate);
}

static void
free_gate (void)
{
  fake_gate_end (&gate);
}

/* An open gate lets the warm-up pass. */
static GstHarness *
gated_harness (const char *properties)
{
  GstHarness *h;

  fake_gate_open (&gate);
  h = test_gst_slow_harness ("0", properties, caps);
  fake_gate_close (&gate);
  return h;
}

static GstBuffer *
picture (guint i)
{
  return test_gst_picture_at (caps, i, i);
}

static void
push (GstHarness *h, guint i)
{
  fail_unless_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
}

static void
end (GstHarness *h)
{
  fake_gate_open (&gate);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
}

static void
await_inferences (GstHarness *h, guint64 n)
{
  test_wait_for (test_gst_stat (h->element, "inferences") == n);
}

/* The next frame, which is number @i: the first letter of what its meta says of
 * inference, and its boxes' age. */
static gchar
pull (GstHarness *h, guint i, guint64 *age)
{
  g_autoptr (GstBuffer) out = gst_harness_pull (h);
  const GstStructure *meta = test_gst_frame_meta (out, 0);
  gchar letter = gst_structure_get_string (meta, "inference")[0];

  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME);
  fail_unless (gst_structure_get_uint64 (meta, "age", age));
  return letter;
}

/* A camera sends ten frames at once, and there is room for three: no frame waits for
 * the inference of the first one, whose result is not lost. */
GST_START_TEST (test_burst)
{
  GstHarness *h = gated_harness ("late-policy=skip max-queued-frames=3");
  guint64 age;

  push (h, 0);
  fake_gate_await (&gate);
  for (guint i = 1; i < 10; i++)
    push (h, i);
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_int (pull (h, i, &age), 's');
  fake_gate_let_one_pass (&gate);
  await_inferences (h, 1);
  /* Meanwhile the engine has the last one: its result is not there yet. */
  fake_gate_await (&gate);
  push (h, 10);
  fail_unless_equals_int (pull (h, 10, &age), 'h');
  fail_unless_equals_uint64 (age, 10 * FRAME);
  end (h);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "frames"), 11);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "inferred"), 0);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A source whose pool has four buffers never waits for one. */
GST_START_TEST (test_pool)
{
  GstHarness *h = gated_harness ("late-policy=skip");
  g_autoptr (GstBufferPool) pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_harness_set_drop_buffers (h, TRUE);
  gst_buffer_pool_config_set_params (config, caps, 96 * 64 * 3 / 2, 4, 4);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; i < 45; i++) {
    GstBuffer *buffer;

    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
                                NULL),
        GST_FLOW_OK);
    GST_BUFFER_PTS (buffer) = i * FRAME;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    if (i == 0) {
      fake_gate_await (&gate);
      fake_gate_let_one_pass (&gate);
      await_inferences (h, 1);
    }
  }
  end (h);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "frames"), 45);
  fail_unless (test_gst_stat (h->element, "held") >= 20);
  gst_harness_teardown (h);
  gst_buffer_pool_set_active (pool, FALSE);
}

GST_END_TEST;

/* Who has every frame inferred falls behind, and hears by how much. */
GST_START_TEST (test_behind)
{
  GstHarness *h = gated_harness ("late-policy=infer-all");
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstMessage *message;
  GError *error;
  const char *lag;

  fake_gate_open (&gate);
  gst_element_set_bus (h->element, bus);
  /* The others come a hundred seconds later than they would beside this one. */
  push (h, 3000);
  for (guint i = 1; i < 30; i++)
    push (h, i);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "seconds behind") != NULL, "%s",
      error->message);
  lag = strpbrk (error->message, "123456789");
  fail_unless (lag && atoi (lag) >= 99, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  /* Not one for each frame. */
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_WARNING),
      0);
  end (h);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "inferred"), 30);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

#define N_CAMERAS 6
#define N_STEPS 60
#define PREFERRED 4

/* Six cameras send 1, 3 and 12 frames in the time of four inferences. One of them has
 * a higher priority: the others share what it leaves. */
GST_START_TEST (test_cameras)
{
  static const guint rates[] = { 1, 3, 12 };
  GstHarness *cameras[N_CAMERAS];
  guint n[N_CAMERAS] = { 0 };
  gint inferences[N_CAMERAS];

  for (guint i = 0; i < N_CAMERAS; i++) {
    cameras[i] = gated_harness ("late-policy=skip");
    gst_harness_set_drop_buffers (cameras[i], TRUE);
    if (i == PREFERRED)
      g_object_set (cameras[i]->element, "priority", 1, NULL);
  }
  for (guint step = 1; step <= N_STEPS; step++) {
    for (guint i = 0; i < N_CAMERAS; i++)
      while (n[i] * 4 < step * rates[i % 3])
        push (cameras[i], n[i]++);
    fake_gate_await (&gate);
    fake_gate_let_one_pass (&gate);
  }
  fake_gate_open (&gate);
  for (guint i = 0; i < N_CAMERAS; i++)
    fail_unless (gst_harness_push_event (cameras[i], gst_event_new_eos ()));
  for (guint i = 0; i < N_CAMERAS; i++) {
    GstElement *e = cameras[i]->element;

    fail_unless_equals_uint64 (test_gst_stat (e, "frames"), n[i]);
    fail_unless_equals_uint64 (test_gst_stat (e, "sent"), n[i]);
    inferences[i] = (gint) test_gst_stat (e, "inferences");
  }
  for (guint i = 0; i < N_CAMERAS; i++) {
    fail_unless (inferences[i] <= inferences[PREFERRED]);
    fail_unless (i == PREFERRED || ABS (inferences[i] - inferences[0]) <= 3,
        "%d and %d", inferences[i], inferences[0]);
  }
  for (guint i = 0; i < N_CAMERAS; i++)
    gst_harness_teardown (cameras[i]);
}

GST_END_TEST;

TEST_GST_MAIN (detect_turns)
{
  caps = test_gst_caps ("NV12", 96, 64);
  tcase_add_checked_fixture (tc, make_gate, free_gate);
  tcase_add_test (tc, test_burst);
  tcase_add_test (tc, test_pool);
  tcase_add_test (tc, test_behind);
  tcase_add_test (tc, test_cameras);
}
