/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The scheduler with a fake device: how many images a step has, when it begins,
 * which images get an error, and the statistics. test-turns.c tests whose images they
 * are. The test decides when a step finishes and draws no conclusions
 * from time, except from that of the CPU. */

#include <time.h>
#include <unistd.h>

#include "schedulecommon.h"

#define HOUR (60u * 60 * 1000000) /* microseconds */

static void
test_config (void)
{
  static const struct
  {
    guint max_batch, n_steps;
    const char *text;
  } bad[] = {
    { 0, 1, "max_batch is 0; expected 1 to 64" },
    { 65, 1, "max_batch is 65; expected 1 to 64" },
    { 1, 0, "n_steps is 0; expected 1 to 16" },
    { 1, 17, "n_steps is 17; expected 1 to 16" },
  };
  Device device;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    const Y10SchedulerConfig config = { device_begin, NULL, bad[i].max_batch,
      bad[i].n_steps, 0 };
    GError *error = NULL;

    g_assert_null (y10_scheduler_new (&config, &error));
    g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
    g_assert_cmpstr (error->message, ==, bad[i].text);
    g_error_free (error);
  }
  device_init (&device, 64, 16, 0);
  device_clear (&device);
}

/* However many images a stream has queued, it has one image per turn, both
 * within a step of several images and across steps of one. */
static void
test_batches (void)
{
  static Image a[6], b[1], c[2], first;
  Y10EngineStream *streams[4];
  const gint64 start = g_get_monotonic_time ();
  Y10SchedulerStats stats;
  Device device;
  Image **images;

  device_init (&device, 4, 1, 0);
  for (guint i = 0; i < 4; i++)
    streams[i] = y10_engine_stream_new_on (device.scheduler, 0);
  submit (streams[0], &first, 0, 1);
  /* The first step does not wait for more images; they queue up while it
   * runs. */
  wait_step (&device, 0, &images);
  submit (streams[1], a, 1, 6);
  submit (streams[2], b, 2, 1);
  submit (streams[3], c, 3, 2);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_streams, ==, 4);
  g_assert_cmpuint (stats.n_queued, ==, 9);
  g_assert_cmpuint (stats.n_running, ==, 1);
  g_assert_cmpuint (stats.n_answered, ==, 0);
  expect_step (&device, 0, "0.1");
  expect_step (&device, 1, "1.1 2.1 3.1 1.2");
  expect_step (&device, 2, "3.2 1.3 1.4 1.5");
  expect_step (&device, 3, "1.6");
  for (guint i = 0; i < 6; i++)
    expect_answer (&a[i]);
  for (guint i = 0; i < 2; i++)
    expect_answer (&c[i]);
  expect_answer (b);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_queued + stats.n_running, ==, 0);
  g_assert_cmpuint (stats.n_answered, ==, 10);
  g_assert_cmpuint (stats.n_failed + stats.n_withdrawn, ==, 0);
  for (guint i = 0; i <= Y10_MAX_BATCH; i++)
    g_assert_cmpuint (stats.fill[i], ==, i == 1 || i == 4 ? 2 : 0);
  g_assert_cmpint (stats.waits.median, >=, 0);
  g_assert_cmpint (stats.waits.p95, >=, stats.waits.median);
  g_assert_cmpint (stats.waits.max, >=, stats.waits.p95);
  g_assert_cmpint (stats.waits.max, <=,
      (g_get_monotonic_time () + 1 - start) * 1000);
  for (guint i = 0; i < 4; i++)
    y10_engine_stream_unref (streams[i]);
  device_clear (&device);
}

/* The largest step. */
static void
test_full (void)
{
  static Image images[Y10_MAX_BATCH];
  Y10SchedulerStats stats;
  Y10EngineStream *stream;
  Device device;
  Image **begun;

  device_init (&device, Y10_MAX_BATCH, 1, HOUR);
  stream = y10_engine_stream_new_on (device.scheduler, 0);
  submit (stream, images, 1, Y10_MAX_BATCH);
  g_assert_cmpuint (wait_step (&device, 0, &begun), ==, 64);
  finish (&device, 0, NULL);
  expect_answer (&images[63]);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.fill[64], ==, 1);
  g_assert_cmpuint (stats.n_answered, ==, 64);
  y10_engine_stream_unref (stream);
  device_clear (&device);
}

static gint64
cpu_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * G_USEC_PER_SEC + t.tv_nsec / 1000;
}

/* Who waits until some time sleeps, whether for images or for a result. */
static void
test_asleep (void)
{
  static Image image;
  Y10EngineStream *stream;
  Device device;
  gint64 start, used;

  device_init (&device, 2, 1, HOUR);
  stream = y10_engine_stream_new_on (device.scheduler, 0);
  submit (stream, &image, 1, 1);
  start = g_get_monotonic_time ();
  used = cpu_time ();
  g_assert_cmpint (y10_engine_request_await (&image.request, start + 100000),
      ==, Y10_PLACE_QUEUED);
  g_assert_cmpint (g_get_monotonic_time (), >=, start + 100000);
  /* A thread that polls uses all the time that the machine has for it. */
  g_assert_cmpint (cpu_time () - used, <, 10000);
  g_assert_true (y10_engine_request_withdraw (&image.request));
  y10_engine_stream_unref (stream);
  device_clear (&device);
}

/* With a batch timeout, a step begins when it is full, or when the timeout has
 * passed. */
static void
test_timeout (void)
{
  static Image a[2], b[2];
  Y10SchedulerStats stats;
  Y10EngineStream *one, *other;
  Device device;

  device_init (&device, 3, 1, HOUR);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  other = y10_engine_stream_new_on (device.scheduler, 0);
  submit (one, a, 1, 2);
  /* Too short a sleep may miss a defect, but never fails a correct
   * scheduler. */
  usleep (20 * 1000);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_queued, ==, 2);
  submit (other, b, 2, 1);
  expect_step (&device, 0, "1.1 2.1 1.2");
  expect_answer (&b[0]);
  submit (one, a, 1, 2);
  g_assert_true (y10_engine_request_withdraw (&a[0].request));
  submit (other, b, 2, 2);
  /* Stream 1 has withdrawn an image, so it goes first. */
  expect_step (&device, 1, "1.2 2.1 2.2");
  expect_answer (&b[1]);
  y10_engine_stream_unref (one);
  y10_engine_stream_unref (other);
  device_clear (&device);

  device_init (&device, 3, 1, 1000);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  for (guint i = 0; i < 3; i++) {
    submit (one, a, 1, 1);
    expect_step (&device, i, "1.1");
    expect_answer (a);
  }
  y10_engine_stream_unref (one);
  device_clear (&device);
}

/* Several steps run. The second finishes first; it is answered after the
 * first. */
static void
test_overlap (void)
{
  static Image a[3], b[1];
  Y10EngineStream *one, *other;
  Device device;
  Image **images;

  device_init (&device, 1, 2, 0);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  other = y10_engine_stream_new_on (device.scheduler, 0);
  submit (one, a, 1, 3);
  wait_step (&device, 1, &images);
  submit (other, b, 2, 1);
  finish (&device, 1, NULL);
  g_assert_cmpint (y10_engine_request_await (&a[1].request, 0), ==,
      Y10_PLACE_RUNNING);
  g_assert_cmpint (y10_engine_request_await (&a[1].request,
                       g_get_monotonic_time () + 1000),
      ==, Y10_PLACE_RUNNING);
  g_assert_cmpint (y10_engine_request_await (&a[2].request, 0), ==,
      Y10_PLACE_QUEUED);
  g_assert_cmpuint (device.n_begun, ==, 2);
  finish (&device, 0, NULL);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (y10_engine_request_await (&a[i].request, 0), ==,
        Y10_PLACE_ANSWERED);
  expect_step (&device, 2, "2.1");
  expect_step (&device, 3, "1.3");
  expect_answer (b);
  expect_answer (&a[2]);
  y10_engine_stream_unref (one);
  y10_engine_stream_unref (other);
  device_clear (&device);
}

/* An error applies to all images of the step except those that have an error
 * already, and to no other image. */
static void
test_errors (void)
{
  static Image a[3], b[2];
  GError *error = g_error_new_literal (Y10_ERROR, Y10_ERROR_BACKEND, "smoke");
  Y10SchedulerStats stats;
  Y10EngineStream *one, *other;
  Device device;
  Image **images;

  device_init (&device, 3, 1, HOUR);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  other = y10_engine_stream_new_on (device.scheduler, 0);
  submit (one, a, 1, 2);
  submit (other, b, 2, 1);
  g_assert_cmpuint (wait_step (&device, 0, &images), ==, 3);
  images[2]->request.error = g_error_new_literal (Y10_ERROR,
      Y10_ERROR_UNSUPPORTED, "colour");
  finish (&device, 0, error);
  g_error_free (error);
  for (guint i = 0; i < 3; i++) {
    Image *image = i ? i > 1 ? &a[1] : &b[0] : &a[0];

    g_assert_cmpint (y10_engine_request_await (&image->request, FOREVER), ==,
        Y10_PLACE_ANSWERED);
    g_assert_error (image->request.error, Y10_ERROR,
        (gint) (i > 1 ? Y10_ERROR_UNSUPPORTED : Y10_ERROR_BACKEND));
    g_assert_cmpstr (image->request.error->message, ==,
        i > 1 ? "colour" : "smoke");
    g_clear_error (&image->request.error);
  }
  /* An error of one image only. */
  submit (other, b, 2, 2);
  submit (one, a, 1, 1);
  wait_step (&device, 1, &images);
  b[1].request.error = g_error_new_literal (Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "size");
  finish (&device, 1, NULL);
  expect_answer (&a[0]);
  expect_answer (&b[0]);
  g_assert_cmpint (y10_engine_request_await (&b[1].request, FOREVER), ==,
      Y10_PLACE_ANSWERED);
  g_assert_error (b[1].request.error, Y10_ERROR, Y10_ERROR_UNSUPPORTED);
  g_clear_error (&b[1].request.error);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_answered, ==, 6);
  g_assert_cmpuint (stats.n_failed, ==, 4);
  y10_engine_stream_unref (one);
  y10_engine_stream_unref (other);
  device_clear (&device);
}

/* The summary of known durations. */
static void
test_waits (void)
{
  static Y10LatencyWindow waits;
  Y10WindowSummary summary;
  Y10LatencyWindow copy;

  y10_window_summarize (&waits, &summary);
  g_assert_cmpint (summary.max + summary.p95 + summary.median, ==, 0);
  g_assert_cmpfloat (summary.per_second, ==, 0);
  y10_window_record (&waits, 7, 1000, 0);
  copy = waits;
  y10_window_summarize (&copy, &summary);
  g_assert_cmpint (summary.median, ==, 7);
  g_assert_cmpint (summary.max, ==, 7);
  g_assert_cmpfloat (summary.per_second, ==, 0);
  /* 1 to 100 in some order, in steps of four, a millisecond apart. */
  waits.n = 0;
  for (guint i = 0; i < 100; i++)
    y10_window_record (&waits, i * 37 % 100 + 1, i / 4 * 1000000, 0);
  copy = waits;
  y10_window_summarize (&copy, &summary);
  g_assert_cmpint (summary.median, ==, 50);
  g_assert_cmpint (summary.p95, ==, 95);
  g_assert_cmpint (summary.max, ==, 100);
  g_assert_cmpfloat_with_epsilon (summary.per_second, 4000, 1e-6);
  /* Only the latest ones count. */
  for (guint i = 0; i < Y10_WINDOW_SIZE; i++)
    y10_window_record (&waits, 3, 1000000000 + i, 0);
  copy = waits;
  y10_window_summarize (&copy, &summary);
  g_assert_cmpint (summary.max, ==, 3);
  g_assert_cmpuint (waits.n, ==, 100 + Y10_WINDOW_SIZE);
}

/* Asserts that the device has been busy for @least to @most microseconds since the
 * first answer, which came between @after and @before. */
static void
assert_busy (Device *device, gint64 least, gint64 most, gint64 after,
    gint64 before)
{
  const gint64 now = g_get_monotonic_time ();
  Y10SchedulerStats stats;

  y10_scheduler_get_stats (device->scheduler, &stats);
  g_test_message ("busy for %.3f", stats.busy);
  g_assert_cmpfloat (stats.busy, >=,
      least / (gdouble) (g_get_monotonic_time () + 1 - after) - 1e-3);
  g_assert_cmpfloat (stats.busy, <=, most / (gdouble) (now - before) + 1e-3);
}

/* A device is busy while at least one step is in flight. The bounds hold however
 * long the machine takes for any line. */
static void
test_busy_device (void)
{
  static Image first, a[2];
  gint64 after, before, begun, least, most;
  Y10EngineStream *stream;
  Device device;
  Image **images;

  device_init (&device, 1, 2, 0);
  stream = y10_engine_stream_new_on (device.scheduler, 0);
  submit (stream, &first, 1, 1);
  wait_step (&device, 0, &images);
  usleep (20 * 1000);
  after = g_get_monotonic_time ();
  finish (&device, 0, NULL);
  before = g_get_monotonic_time ();
  submit (stream, a, 1, 2);
  wait_step (&device, 2, &images);
  begun = g_get_monotonic_time ();
  usleep (20 * 1000);
  finish (&device, 1, NULL);
  usleep (20 * 1000);
  least = g_get_monotonic_time () - begun;
  assert_busy (&device, least, G_MAXINT32, after, before);
  least = g_get_monotonic_time () - begun;
  finish (&device, 2, NULL);
  most = g_get_monotonic_time () - before;
  usleep (20 * 1000);
  assert_busy (&device, least, most, after, before);
  y10_engine_stream_unref (stream);
  device_clear (&device);
}

static void
test_busy (void)
{
  static Y10LatencyWindow waits;

  g_assert_cmpfloat (y10_window_busy (&waits, 5, 5), ==, 0);
  /* Busy for 3 of 4 from the first answer on. */
  for (guint i = 0; i < 2 * Y10_WINDOW_SIZE + 3; i++) {
    y10_window_record (&waits, 1, 1000 + 4 * i, 500 + 3 * i);
    g_assert_cmpfloat_with_epsilon (y10_window_busy (&waits, 1004 + 4 * i,
                                        503 + 3 * i),
        0.75, 1e-9);
  }
  /* Half of that after an idle time of the same length. */
  g_assert_cmpfloat_with_epsilon (y10_window_busy (&waits,
                                      1000
                                          + 4
                                              * (2 * Y10_WINDOW_SIZE + 2
                                                  + Y10_WINDOW_SIZE - 1),
                                      500 + 3 * (2 * Y10_WINDOW_SIZE + 2)),
      0.375, 1e-9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule/config", test_config);
  g_test_add_func ("/schedule/batches", test_batches);
  g_test_add_func ("/schedule/timeout", test_timeout);
  g_test_add_func ("/schedule/full", test_full);
  g_test_add_func ("/schedule/asleep", test_asleep);
  g_test_add_func ("/schedule/overlap", test_overlap);
  g_test_add_func ("/schedule/errors", test_errors);
  g_test_add_func ("/schedule/waits", test_waits);
  g_test_add_func ("/schedule/busy-device", test_busy_device);
  g_test_add_func ("/schedule/busy", test_busy);
  return g_test_run ();
}
