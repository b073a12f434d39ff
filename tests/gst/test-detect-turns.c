/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Live sources and an engine that is much too slow for them: the element never
 * blocks a source, delays a frame by one inference and one interval at most, and
 * gives each stream the same share of inferences. Y10_FAKE_STEP_MS sets how long
 * an inference of fakebackend.c takes. A thread that only sleeps measures how
 * long the machine stops this process; every limit in time is extended by that. */
#include <stdio.h>

#include "gstcommon.h"

#define FRAME TEST_GST_FRAME
#define MS 1000 /* microseconds */

static GstCaps *caps;

static GstHarness *
slow_harness (const char *step_ms, const char *properties)
{
  return test_gst_slow_harness (step_ms, properties, caps);
}

static GstBuffer *
picture (guint i)
{
  return test_gst_picture_at (caps, i, i);
}

static gint64
now (void)
{
  return g_get_monotonic_time ();
}

/* How late a thread woke up in all, in microseconds, that asked to sleep for
 * MS at a time. */
static gint stalled;
static gint watching;

static gpointer
watch_stalls (gpointer unused)
{
  while (g_atomic_int_get (&watching)) {
    gint64 asked = now (), late;

    g_usleep (MS);
    late = now () - asked - 2 * MS;
    if (late > 0)
      g_atomic_int_add (&stalled, (gint) late);
  }
  return NULL;
}

static GThread *watch;

static void
start_watch (void)
{
  g_atomic_int_set (&stalled, 0);
  g_atomic_int_set (&watching, 1);
  watch = g_thread_new ("stalls", watch_stalls, NULL);
}

static void
stop_watch (void)
{
  g_atomic_int_set (&watching, 0);
  g_thread_join (watch);
  printf ("stalled for %.1f ms\n", stalled / 1e3);
}

/* @limit microseconds, and as long as the machine stood still. */
static gint64
extended (gint64 limit)
{
  return limit + g_atomic_int_get (&stalled);
}

static void
sleep_until (gint64 time)
{
  gint64 left = time - now ();

  if (left > 0)
    g_usleep ((gulong) left);
}

/* The next frame, which is number @i: the first letter of what its meta says of
 * inference, and its boxes' age. */
static gchar
pull (GstHarness *h, guint i, guint64 *age)
{
  GstBuffer *out = gst_harness_pull (h);
  const GstStructure *meta = test_gst_frame_meta (out, 0);
  gchar letter = gst_structure_get_string (meta, "inference")[0];

  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME);
  fail_unless (gst_structure_get_uint64 (meta, "age", age));
  gst_buffer_unref (out);
  return letter;
}

/* Until the engine has a frame. */
static void
wait_running (GstElement *e)
{
  guint running = 0;

  while (!running) {
    GstStructure *stats;

    g_object_get (e, "engine-stats", &stats, NULL);
    fail_unless (gst_structure_get_uint (stats, "running", &running));
    gst_structure_free (stats);
  }
}

/* A camera sends ten frames at once, there is room for three, and an inference
 * takes two seconds: no frame waits for it, and its result is not lost. */
GST_START_TEST (test_burst)
{
  GstHarness *h = slow_harness ("2000", "late-policy=skip max-queued-frames=3");
  gint64 start, took;
  guint64 age;

  fail_unless_equals_int (gst_harness_push (h, picture (0)), GST_FLOW_OK);
  wait_running (h->element);
  start = now ();
  for (guint i = 1; i < 10; i++)
    fail_unless_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
  took = now () - start;
  fail_unless (took < 1500 * MS, "%" G_GINT64_FORMAT " us", took);
  /* All leave, though the engine still has the first one. */
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_int (pull (h, i, &age), 's');
  fail_unless (now () - start < 1900 * MS);
  /* Meanwhile the engine has the last one: its result is not there yet. */
  sleep_until (start + 2300 * MS);
  fail_unless_equals_int (gst_harness_push (h, picture (10)), GST_FLOW_OK);
  fail_unless_equals_int (pull (h, 10, &age), 'h');
  fail_unless_equals_uint64 (age, 10 * FRAME);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless_equals_uint64 (test_gst_stat (h->element, "frames"), 11);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "inferred"), 0);
  fail_unless (test_gst_stat (h->element, "inferences") >= 1);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A source whose pool has four buffers never waits for one. */
GST_START_TEST (test_pool)
{
  GstHarness *h = slow_harness ("400", "late-policy=skip");
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  gint64 start = now (), longest = 0;

  start_watch ();
  gst_buffer_pool_config_set_params (config, caps, 96 * 64 * 3 / 2, 4, 4);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; i < 45; i++) {
    gint64 asked;
    GstBuffer *buffer;

    sleep_until (start + (gint64) i * 33 * MS);
    asked = now ();
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
                                NULL),
        GST_FLOW_OK);
    longest = MAX (longest, now () - asked);
    GST_BUFFER_PTS (buffer) = i * FRAME;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    while (gst_harness_buffers_in_queue (h))
      gst_buffer_unref (gst_harness_pull (h));
  }
  stop_watch ();
  printf ("waited for a buffer for %.1f ms at most\n", longest / 1e3);
  fail_unless (longest < extended (200 * MS), "%" G_GINT64_FORMAT " us",
      longest);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless_equals_uint64 (test_gst_stat (h->element, "frames"), 45);
  fail_unless (test_gst_stat (h->element, "held") >= 20);
  gst_harness_teardown (h);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

GST_END_TEST;

/* Who has every frame inferred blocks a live source, and hears by how much. */
GST_START_TEST (test_behind)
{
  GstHarness *h = slow_harness ("120", "late-policy=infer-all");
  GstBus *bus = gst_bus_new ();
  gint64 start = now ();
  GstMessage *message;
  GError *error;

  gst_element_set_bus (h->element, bus);
  for (guint i = 0; i < 30; i++) {
    sleep_until (start + (gint64) i * 33 * MS);
    fail_unless_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
  }
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  printf ("%s\n", error->message);
  fail_unless (strstr (error->message, "1.") != NULL
      && strstr (error->message, "seconds behind") != NULL);
  g_error_free (error);
  gst_message_unref (message);
  /* Not one for each frame. */
  fail_unless (test_gst_count_messages (bus, GST_MESSAGE_WARNING) <= 1);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless_equals_uint64 (test_gst_stat (h->element, "inferred"), 30);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

#define N_CAMERAS 6
#define N_SECONDS 3

typedef struct
{
  GstHarness *h;
  guint fps;
  gint64 start, latest, longest; /* of what frames came late by; of a push */
} Camera;

static gpointer
run_camera (gpointer data)
{
  Camera *c = data;

  for (guint i = 0; i < c->fps * N_SECONDS; i++) {
    gint64 due = c->start + (gint64) i * G_USEC_PER_SEC / c->fps, began;
    GstBuffer *buffer = picture (0);

    GST_BUFFER_PTS (buffer) = i * GST_SECOND / c->fps;
    sleep_until (due);
    began = now ();
    c->latest = MAX (c->latest, began - due);
    fail_unless_equals_int (gst_harness_push (c->h, buffer), GST_FLOW_OK);
    c->longest = MAX (c->longest, now () - began);
  }
  fail_unless (gst_harness_push_event (c->h, gst_event_new_eos ()));
  return NULL;
}

/* Six cameras at 5, 15 and 60 frames a second on an engine that does not do
 * twenty in all. One of them has a higher priority: that costs nobody time. */
GST_START_TEST (test_cameras)
{
  static const guint rates[] = { 5, 15, 60 };
  Camera cameras[N_CAMERAS] = { 0 };
  GThread *threads[N_CAMERAS];
  gint64 start, took, latest = 0;
  GstStructure *stats;
  gdouble busy;

  for (guint i = 0; i < N_CAMERAS; i++) {
    cameras[i].h = slow_harness ("60", "late-policy=skip");
    cameras[i].fps = rates[i % 3];
    if (i == 4)
      g_object_set (cameras[i].h->element, "priority", 1, NULL);
  }
  start_watch ();
  start = now ();
  for (guint i = 0; i < N_CAMERAS; i++) {
    cameras[i].start = start;
    threads[i] = g_thread_new (NULL, run_camera, &cameras[i]);
  }
  for (guint i = 0; i < N_CAMERAS; i++) {
    g_thread_join (threads[i]);
    latest = MAX (latest, cameras[i].latest);
  }
  took = now () - start;
  stop_watch ();
  g_object_get (cameras[0].h->element, "engine-stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, "busy", &busy));
  gst_structure_free (stats);
  printf ("%d s of video in %.2f s, frames came up to %.1f ms late, engine "
          "busy %.1f %%\n",
      N_SECONDS, took / 1e6, latest / 1e3, 100 * busy);
  for (guint i = 0; i < N_CAMERAS; i++) {
    GstElement *e = cameras[i].h->element;
    guint64 delay = test_gst_stat (e, "longest-delay");
    guint64 most = 3 * 60 * GST_MSECOND + GST_SECOND / cameras[i].fps;

    printf ("  %u/s: %u inferences, delay at most %.1f ms, longest push %.1f\n",
        cameras[i].fps, (guint) test_gst_stat (e, "inferences"), delay / 1e6,
        cameras[i].longest / 1e3);
    fail_unless_equals_uint64 (test_gst_stat (e, "frames"),
        cameras[i].fps * N_SECONDS);
    /* One inference, which is in a queue of two, one interval, and as much as an
     * inference for the machine. */
    fail_unless (delay <= most + 1000 * (guint64) extended (latest),
        "%" G_GUINT64_FORMAT " ns", delay);
  }
  fail_unless (took < extended ((N_SECONDS * 1000 + 300) * MS + latest));
  fail_unless (busy >= 0.9 - (gdouble) extended (latest) / took, "%f", busy);
  /* A stall that hits some streams only gives their inferences to the others. */
  for (guint i = 0; i < 3; i++) {
    gint64 a = (gint64) test_gst_stat (cameras[i].h->element, "inferences");
    gint64 b = (gint64) test_gst_stat (cameras[(i + 3) % 6].h->element,
        "inferences");

    if (i != 1) /* its twin has the higher priority */
      fail_unless (ABS (a - b) <= 2 + extended (latest) / (60 * MS),
          "%d and %d", (gint) a, (gint) b);
  }
  for (guint i = 0; i < N_CAMERAS; i++)
    gst_harness_teardown (cameras[i].h);
}

GST_END_TEST;

static Suite *
turns_suite (void)
{
  Suite *s = suite_create ("yolov10detect turns");
  TCase *tc = tcase_create ("turns");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 240);
  tcase_add_test (tc, test_burst);
  tcase_add_test (tc, test_pool);
  tcase_add_test (tc, test_behind);
  tcase_add_test (tc, test_cameras);
  return s;
}

int
main (int argc, char **argv)
{
  int status;

  test_gst_init (&argc, &argv);
  caps = test_gst_caps ("NV12", 96, 64);
  status = test_gst_run (turns_suite (), "yolov10detect-turns", __FILE__);
  gst_caps_unref (caps);
  return status;
}
