/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Requests with several parts: which turns they take beside other streams, and
 * that a request ends as a whole, answered, withdrawn or failed. */

#include <sched.h>

#include "schedulecommon.h"

static void
expect_state (Image *image, Y10RequestState state, guint n_runs)
{
  g_assert_cmpint (y10_request_wait (&image->request,
          state < Y10_REQUEST_ANSWERED ? 0 : FOREVER), ==, state);
  g_assert_cmpuint (image->n_runs, ==, n_runs);
}

/* Between two parts each other stream has its turn, and the request is answered
 * with its last part. */
static void
test_turns (void)
{
  static Image tiled, a[3], b[1], last;
  Y10Stream *one, *two, *three;
  Device device;
  Image **images;

  device_init (&device, 1, 1, 0);
  one = y10_stream_new (device.scheduler, 0);
  two = y10_stream_new (device.scheduler, 0);
  three = y10_stream_new (device.scheduler, 0);
  submit_parts (one, &tiled, 1, 1, 4);
  submit_parts (one, &last, 1, 2, 1);
  wait_step (&device, 0, &images);
  submit (two, a, 2, 3);
  submit (three, b, 3, 1);
  expect_step (&device, 0, "1.1a");
  expect_step (&device, 1, "2.1");
  expect_step (&device, 2, "3.1");
  expect_step (&device, 3, "1.1b");
  expect_state (&tiled, Y10_REQUEST_RUNNING, 2);
  expect_step (&device, 4, "2.2");
  expect_step (&device, 5, "1.1c");
  expect_step (&device, 6, "2.3");
  expect_state (&last, Y10_REQUEST_QUEUED, 0);
  expect_step (&device, 7, "1.1d");
  expect_state (&tiled, Y10_REQUEST_ANSWERED, 4);
  expect_step (&device, 8, "1.2a");
  expect_state (&last, Y10_REQUEST_ANSWERED, 1);
  y10_stream_free (one);
  y10_stream_free (two);
  y10_stream_free (three);
  device_clear (&device);
}

/* Parts fill steps, and continue in the next step where they do not fit. */
static void
test_batches (void)
{
  static Image first, tiled, whole;
  Y10SchedulerStats stats;
  Y10Stream *one, *two;
  Device device;
  Image **images;

  device_init (&device, 4, 1, 0);
  one = y10_stream_new (device.scheduler, 0);
  two = y10_stream_new (device.scheduler, 0);
  submit (two, &first, 2, 1);
  wait_step (&device, 0, &images);
  submit_parts (one, &tiled, 1, 1, 5);
  submit (two, &whole, 2, 1);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_queued, ==, 6);
  expect_step (&device, 0, "2.1");
  expect_step (&device, 1, "1.1a 2.1 1.1b 1.1c");
  expect_answer (&whole);
  expect_step (&device, 2, "1.1d 1.1e");
  expect_state (&tiled, Y10_REQUEST_ANSWERED, 5);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_answered, ==, 7);
  g_assert_cmpuint (stats.n_queued + stats.n_running, ==, 0);
  y10_stream_free (one);
  y10_stream_free (two);
  device_clear (&device);
}

/* The limit of a stream's running images does not hold up the parts of one that
 * runs. */
static void
test_max_running (void)
{
  static Image tiled[2];
  Y10Stream *one;
  Device device;
  Image **images;

  device_init (&device, 1, 3, 0);
  one = y10_stream_new (device.scheduler, 0);
  y10_stream_set_max_running (one, 1);
  submit_parts (one, &tiled[0], 1, 1, 3);
  submit_parts (one, &tiled[1], 1, 2, 2);
  wait_step (&device, 2, &images);
  expect_state (&tiled[1], Y10_REQUEST_QUEUED, 0);
  for (guint i = 0; i < 3; i++)
    finish (&device, i, NULL);
  expect_state (&tiled[0], Y10_REQUEST_ANSWERED, 3);
  expect_step (&device, 3, "1.2a");
  expect_step (&device, 4, "1.2b");
  expect_state (&tiled[1], Y10_REQUEST_ANSWERED, 2);
  y10_stream_free (one);
  device_clear (&device);
}

static void *
free_stream (void *stream)
{
  y10_stream_free (stream);
  return NULL;
}

/* A request whose parts are all queued is withdrawn at once. If one is in a
 * step, the others are dropped, and the request ends with that step. */
static void
test_withdrawal (void)
{
  static Image tiled[3], other;
  Y10SchedulerStats stats;
  Y10Stream *one, *two;
  pthread_t thread;
  Device device;
  Image **images;

  device_init (&device, 1, 1, 0);
  one = y10_stream_new (device.scheduler, 0);
  two = y10_stream_new (device.scheduler, 0);
  for (guint i = 0; i < 3; i++)
    submit_parts (one, &tiled[i], 1, i + 1, 3);
  wait_step (&device, 0, &images);
  submit (two, &other, 2, 1);
  g_assert_true (y10_request_withdraw (&tiled[1].request));
  expect_state (&tiled[1], Y10_REQUEST_WITHDRAWN, 0);
  g_assert_false (y10_request_withdraw (&tiled[0].request));
  g_assert_false (y10_request_withdraw (&tiled[0].request));
  expect_state (&tiled[0], Y10_REQUEST_RUNNING, 1);
  expect_step (&device, 0, "1.1a");
  expect_state (&tiled[0], Y10_REQUEST_WITHDRAWN, 1);
  /* Stream 1 has withdrawn images, so it goes first. */
  expect_step (&device, 1, "1.3a");
  wait_step (&device, 2, &images);
  g_assert_true (images[0] == &other);
  g_assert_cmpuint (y10_stream_withdraw (one), ==, 1);
  expect_state (&tiled[2], Y10_REQUEST_WITHDRAWN, 1);
  finish (&device, 2, NULL);
  expect_answer (&other);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_withdrawn, ==, 3 + 2 + 2);
  g_assert_cmpuint (stats.n_answered, ==, 3);
  /* Frees the stream while a part runs. */
  submit_parts (one, &tiled[0], 1, 4, 3);
  wait_step (&device, 3, &images);
  pthread_create (&thread, NULL, free_stream, one);
  do {
    sched_yield ();
    y10_scheduler_get_stats (device.scheduler, &stats);
  } while (stats.n_queued);
  expect_step (&device, 3, "1.4a");
  pthread_join (thread, NULL);
  g_assert_cmpint (tiled[0].request.state, ==, Y10_REQUEST_WITHDRAWN);
  g_assert_cmpuint (tiled[0].n_runs, ==, 1);
  y10_stream_free (two);
  device_clear (&device);
}

/* A part that fails ends its request with that error, and only this request; its
 * queued parts are dropped. */
static void
test_errors (void)
{
  static Image tiled[2], other;
  g_autoptr (GError) error = g_error_new_literal (Y10_ERROR, Y10_ERROR_BACKEND,
      "smoke");
  Y10Stream *one, *two;
  Device device;
  Image **images;

  device_init (&device, 1, 2, 0);
  one = y10_stream_new (device.scheduler, 0);
  two = y10_stream_new (device.scheduler, 0);
  submit_parts (one, &tiled[0], 1, 1, 5);
  wait_step (&device, 1, &images);
  submit_parts (one, &tiled[1], 1, 2, 1);
  submit (two, &other, 2, 1);
  /* The second step finishes first; the scheduler waits for the first. */
  finish (&device, 1, error);
  expect_state (&tiled[0], Y10_REQUEST_RUNNING, 2);
  finish (&device, 0, NULL);
  expect_state (&tiled[0], Y10_REQUEST_ANSWERED, 2);
  g_assert_error (tiled[0].request.error, Y10_ERROR, Y10_ERROR_BACKEND);
  g_clear_error (&tiled[0].request.error);
  expect_step (&device, 2, "2.1");
  expect_step (&device, 3, "1.2a");
  expect_answer (&other);
  expect_answer (&tiled[1]);

  /* An error outranks a withdrawal. */
  submit_parts (one, &tiled[0], 1, 3, 3);
  wait_step (&device, 5, &images);
  g_assert_false (y10_request_withdraw (&tiled[0].request));
  finish (&device, 4, error);
  expect_state (&tiled[0], Y10_REQUEST_RUNNING, 2);
  finish (&device, 5, NULL);
  expect_state (&tiled[0], Y10_REQUEST_ANSWERED, 2);
  g_assert_error (tiled[0].request.error, Y10_ERROR, Y10_ERROR_BACKEND);
  g_clear_error (&tiled[0].request.error);
  y10_stream_free (one);
  y10_stream_free (two);
  device_clear (&device);
}

/* A newer image replaces one that waits, but none with a part in a step. */
static void
test_replace (void)
{
  static Image tiled[3];
  Y10Stream *one;
  Device device;
  Image **images;

  device_init (&device, 1, 1, 0);
  one = y10_stream_new (device.scheduler, 0);
  submit_parts (one, &tiled[0], 1, 1, 2);
  wait_step (&device, 0, &images);
  tiled[1] = (Image) {.stream = 1,.number = 2,.n_parts = 2,
    .request.n_parts = 2
  };
  g_assert_false (y10_stream_replace (one, &tiled[1].request));
  expect_state (&tiled[1], Y10_REQUEST_IDLE, 0);
  submit_parts (one, &tiled[1], 1, 2, 2);
  tiled[2] = (Image) {.stream = 1,.number = 3,.n_parts = 2,
    .request.n_parts = 2
  };
  g_assert_true (y10_stream_replace (one, &tiled[2].request));
  expect_state (&tiled[1], Y10_REQUEST_WITHDRAWN, 0);
  expect_step (&device, 0, "1.1a");
  expect_step (&device, 1, "1.1b");
  expect_state (&tiled[0], Y10_REQUEST_ANSWERED, 2);
  expect_step (&device, 2, "1.3a");
  expect_step (&device, 3, "1.3b");
  expect_state (&tiled[2], Y10_REQUEST_ANSWERED, 2);
  y10_stream_free (one);
  device_clear (&device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule-parts/turns", test_turns);
  g_test_add_func ("/schedule-parts/batches", test_batches);
  g_test_add_func ("/schedule-parts/max-running", test_max_running);
  g_test_add_func ("/schedule-parts/withdrawal", test_withdrawal);
  g_test_add_func ("/schedule-parts/errors", test_errors);
  g_test_add_func ("/schedule-parts/replace", test_replace);
  return g_test_run ();
}
