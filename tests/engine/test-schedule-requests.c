/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What happens to requests while threads wait for them and steps run: withdrawn and
 * replaced ones, and those whose parts fail. test-turns.c tests the order of turns. */

#include <pthread.h>
#include <sched.h>

#include "schedulecommon.h"

static void *
wait_for_image (void *image)
{
  return GINT_TO_POINTER (y10_engine_request_await (image, FOREVER));
}

static void *
free_stream (void *stream)
{
  y10_engine_stream_unref (stream);
  return NULL;
}

/* Withdrawing returns queued images at once; images in a step are answered;
 * other streams are not affected. */
static void
test_withdrawal (void)
{
  static Image a[4], b[3], never;
  Y10SchedulerStats stats;
  Y10EngineStream *one, *other;
  pthread_t thread;
  Device device;
  Image **images;
  void *state;

  device_init (&device, 1, 1, 0);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  other = y10_engine_stream_new_on (device.scheduler, 0);
  g_assert_false (y10_engine_request_withdraw (&never.request));
  g_assert_cmpint (y10_engine_request_await (&never.request, FOREVER), ==,
      Y10_PLACE_IDLE);
  submit (one, a, 1, 4);
  wait_step (&device, 0, &images);
  submit (other, b, 2, 3);
  /* Withdraws an image from the middle; a later one takes its turn. */
  g_assert_true (y10_engine_request_withdraw (&b[1].request));
  g_assert_false (y10_engine_request_withdraw (&b[1].request));
  g_assert_cmpint (y10_engine_request_await (&b[1].request, FOREVER), ==,
      Y10_PLACE_WITHDRAWN);
  /* Withdraws all but the running image, while a thread waits for one of
   * them. */
  pthread_create (&thread, NULL, wait_for_image, &a[3]);
  g_assert_false (y10_engine_request_withdraw (&a[0].request));
  g_assert_cmpuint (y10_engine_stream_withdraw (one), ==, 3);
  g_assert_cmpuint (y10_engine_stream_withdraw (one), ==, 0);
  pthread_join (thread, &state);
  g_assert_cmpint (GPOINTER_TO_INT (state), ==, Y10_PLACE_WITHDRAWN);
  g_assert_cmpint (y10_engine_request_await (&a[0].request, 0), ==,
      Y10_PLACE_RUNNING);
  expect_step (&device, 0, "1.1");
  expect_answer (&a[0]);
  expect_step (&device, 1, "2.1");
  /* The stream continues. */
  wait_step (&device, 2, &images);
  submit (one, a, 1, 2);
  expect_step (&device, 2, "2.3");
  /* Frees the stream while one image runs and one is queued. */
  wait_step (&device, 3, &images);
  pthread_create (&thread, NULL, free_stream, one);
  do {
    sched_yield ();
    y10_scheduler_get_stats (device.scheduler, &stats);
  } while (stats.n_queued);
  g_assert_cmpuint (stats.n_streams, ==, 2);
  expect_step (&device, 3, "1.1");
  pthread_join (thread, NULL);
  g_assert_cmpint (y10_engine_request_get_place (&a[0].request)->state, ==,
      Y10_PLACE_ANSWERED);
  g_assert_cmpuint (a[0].n_runs, ==, 1);
  g_assert_cmpint (y10_engine_request_get_place (&a[1].request)->state, ==,
      Y10_PLACE_WITHDRAWN);
  g_assert_cmpuint (a[1].n_runs, ==, 0);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_streams, ==, 1);
  g_assert_cmpuint (stats.n_answered, ==, 4);
  g_assert_cmpuint (stats.n_withdrawn, ==, 5);
  y10_engine_stream_unref (other);
  device_clear (&device);
}

/* For each notification, the image's number and r for running or d for done. */
static GString *notified;

static void
record_state (Y10EngineRequest *request, Y10EngineRequestState state,
    gpointer data)
{
  g_string_append_printf (notified, " %u%c", ((Image *) data)->number,
      state == Y10_ENGINE_REQUEST_RUNNING ? 'r' : 'd');
}

static Image
make_image (Image *image, guint which, guint number)
{
  return (Image){
    .stream = which,
    .number = number,
    .request.notify = record_state,
    .request.notify_data = image,
  };
}

static gboolean
replace (Y10EngineStream *stream, Image *image, guint which, guint number)
{
  *image = make_image (image, which, number);
  return y10_engine_stream_queue_instead (stream, &image->request, 1);
}

/* A later image replaces a queued one and inherits its turn and its waiting
 * time. */
static void
test_replace (void)
{
  static Image first, a[3], b;
  Y10EngineStream *one, *other;
  Device device;
  Image **images;

  notified = g_string_new (NULL);
  device_init (&device, 1, 1, 0);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  other = y10_engine_stream_new_on (device.scheduler, 0);
  g_assert_false (replace (one, &first, 1, 9));
  g_assert_cmpint (y10_engine_request_await (&first.request, FOREVER), ==,
      Y10_PLACE_IDLE);
  submit (other, &first, 2, 1);
  wait_step (&device, 0, &images);
  a[0] = make_image (&a[0], 1, 1);
  y10_engine_stream_queue (one, &a[0].request, 1);
  submit (other, &b, 2, 1);
  g_assert_true (replace (one, &a[1], 1, 2));
  g_assert_true (replace (one, &a[2], 1, 3));
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (y10_engine_request_await (&a[i].request, 0), ==,
        Y10_PLACE_WITHDRAWN);
  expect_step (&device, 0, "2.1");
  expect_step (&device, 1, "1.3");
  expect_step (&device, 2, "2.1");
  expect_answer (&a[2]);
  /* A running image cannot be replaced. */
  g_assert_false (replace (one, &a[0], 1, 1));
  g_assert_cmpstr (notified->str, ==, " 1d 2d 3r 3d");
  g_string_free (notified, TRUE);
  y10_engine_stream_unref (one);
  y10_engine_stream_unref (other);
  device_clear (&device);
}

/* Replacing an image again and again does not delay its step for ever. */
static void
test_replace_timeout (void)
{
  static Image a[2];
  Y10EngineStream *one;
  Device device;
  guint i = 1;

  notified = g_string_new (NULL);
  device_init (&device, 8, 1, 50000);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  submit (one, a, 1, 1);
  for (; replace (one, &a[i % 2], 1, i); i++)
    g_usleep (5000);
  finish (&device, 0, NULL);
  g_assert_cmpint (y10_engine_request_await (&a[(i + 1) % 2].request, FOREVER),
      ==, Y10_PLACE_ANSWERED);
  g_string_free (notified, TRUE);
  y10_engine_stream_unref (one);
  device_clear (&device);
}

/* A stream that has reached its limit of running images is passed over, even if
 * no other stream has an image. */
static void
test_max_running (void)
{
  static Image a[4], b[1];
  Y10EngineStream *one, *other;
  Device device;
  Image **images;

  device_init (&device, 4, 3, 0);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  other = y10_engine_stream_new_on (device.scheduler, 0);
  y10_engine_stream_set_max_running (one, 1);
  submit (one, a, 1, 4);
  g_assert_cmpuint (wait_step (&device, 0, &images), ==, 1);
  submit (other, b, 2, 1);
  g_assert_cmpuint (wait_step (&device, 1, &images), ==, 1);
  g_assert_cmpuint (images[0]->stream, ==, 2);
  g_assert_cmpint (y10_engine_request_await (&a[1].request,
                       g_get_monotonic_time () + 20000),
      ==, Y10_PLACE_QUEUED);
  finish (&device, 0, NULL);
  g_assert_cmpuint (wait_step (&device, 2, &images), ==, 1);
  g_assert_true (images[0] == &a[1]);
  y10_engine_stream_set_max_running (one, 3);
  g_assert_cmpuint (wait_step (&device, 3, &images), ==, 2);
  for (guint i = 1; i < 4; i++)
    finish (&device, i, NULL);
  expect_answer (&a[3]);
  y10_engine_stream_unref (one);
  y10_engine_stream_unref (other);
  device_clear (&device);
}

/* A request whose parts are all queued is withdrawn at once. If one is in a
 * step, the others are dropped, and the request ends with that step. */
static void
test_parts_withdrawal (void)
{
  static Image tiled[3], other;
  Y10SchedulerStats stats;
  Y10EngineStream *one, *two;
  pthread_t thread;
  Device device;
  Image **images;

  device_init (&device, 1, 1, 0);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  two = y10_engine_stream_new_on (device.scheduler, 0);
  for (guint i = 0; i < 3; i++)
    submit_parts (one, &tiled[i], 1, i + 1, 3);
  wait_step (&device, 0, &images);
  submit (two, &other, 2, 1);
  g_assert_true (y10_engine_request_withdraw (&tiled[1].request));
  expect_state (&tiled[1], Y10_PLACE_WITHDRAWN, 0);
  g_assert_false (y10_engine_request_withdraw (&tiled[0].request));
  g_assert_false (y10_engine_request_withdraw (&tiled[0].request));
  expect_state (&tiled[0], Y10_PLACE_RUNNING, 1);
  expect_step (&device, 0, "1.1a");
  expect_state (&tiled[0], Y10_PLACE_WITHDRAWN, 1);
  /* Stream 1 has withdrawn images, so it goes first. */
  expect_step (&device, 1, "1.3a");
  wait_step (&device, 2, &images);
  g_assert_true (images[0] == &other);
  g_assert_cmpuint (y10_engine_stream_withdraw (one), ==, 1);
  expect_state (&tiled[2], Y10_PLACE_WITHDRAWN, 1);
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
  g_assert_cmpint (y10_engine_request_get_place (&tiled[0].request)->state, ==,
      Y10_PLACE_WITHDRAWN);
  g_assert_cmpuint (tiled[0].n_runs, ==, 1);
  y10_engine_stream_unref (two);
  device_clear (&device);
}

/* A part that fails ends its request with that error, and only this request; its
 * queued parts are dropped. */
static void
test_parts_errors (void)
{
  static Image tiled[2], other;
  g_autoptr (GError)
      error = g_error_new_literal (Y10_ERROR, Y10_ERROR_BACKEND, "smoke");
  Y10EngineStream *one, *two;
  Device device;
  Image **images;

  device_init (&device, 1, 2, 0);
  one = y10_engine_stream_new_on (device.scheduler, 0);
  two = y10_engine_stream_new_on (device.scheduler, 0);
  submit_parts (one, &tiled[0], 1, 1, 5);
  wait_step (&device, 1, &images);
  submit_parts (one, &tiled[1], 1, 2, 1);
  submit (two, &other, 2, 1);
  /* The second step finishes first; the scheduler waits for the first. */
  finish (&device, 1, error);
  expect_state (&tiled[0], Y10_PLACE_RUNNING, 2);
  finish (&device, 0, NULL);
  expect_state (&tiled[0], Y10_PLACE_ANSWERED, 2);
  g_assert_error (tiled[0].request.error, Y10_ERROR, Y10_ERROR_BACKEND);
  g_clear_error (&tiled[0].request.error);
  expect_step (&device, 2, "2.1");
  expect_step (&device, 3, "1.2a");
  expect_answer (&other);
  expect_answer (&tiled[1]);

  /* An error outranks a withdrawal. */
  submit_parts (one, &tiled[0], 1, 3, 3);
  wait_step (&device, 5, &images);
  g_assert_false (y10_engine_request_withdraw (&tiled[0].request));
  finish (&device, 4, error);
  expect_state (&tiled[0], Y10_PLACE_RUNNING, 2);
  finish (&device, 5, NULL);
  expect_state (&tiled[0], Y10_PLACE_ANSWERED, 2);
  g_assert_error (tiled[0].request.error, Y10_ERROR, Y10_ERROR_BACKEND);
  g_clear_error (&tiled[0].request.error);
  y10_engine_stream_unref (one);
  y10_engine_stream_unref (two);
  device_clear (&device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule-requests/withdrawal", test_withdrawal);
  g_test_add_func ("/schedule-requests/replace", test_replace);
  g_test_add_func ("/schedule-requests/replace-timeout", test_replace_timeout);
  g_test_add_func ("/schedule-requests/max-running", test_max_running);
  g_test_add_func ("/schedule-requests/parts-withdrawal",
      test_parts_withdrawal);
  g_test_add_func ("/schedule-requests/parts-errors", test_parts_errors);
  return g_test_run ();
}
