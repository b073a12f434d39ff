/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The queues of the scheduler's streams: whose images are in the next step, what
 * happens to withdrawn and replaced images, and how many of a stream's images run
 * at a time. */

#include <pthread.h>
#include <sched.h>

#include "schedulecommon.h"

/* One stream submits as fast as it can, seven others now and then: while an
 * image waits, no other stream has more than one turn, and the fast stream has
 * all the remaining turns. */
static void
test_fairness (void)
{
  enum { N = 8, STEPS = 4000, DEEP = 4 };
  static Image fast[DEEP], slow[N];
  guint turns[N][N] = { 0 };    /* of stream [j] while stream [i] waits */
  guint rest = 0, n_fast = 0, longest = 0;
  gboolean waits[N] = { FALSE };
  Y10Stream *streams[N];
  guint32 random = 12345;
  Device device;
  Image **images;

  device_init (&device, 1, 1, 0);
  for (guint i = 0; i < N; i++)
    streams[i] = y10_stream_new (device.scheduler, 0);
  submit (streams[0], fast, 0, DEEP);
  for (guint step = 0; step < STEPS; step++) {
    gboolean alone = TRUE;
    Image *image;
    guint who;

    wait_step (&device, step, &images);
    image = images[0];
    who = image->stream;
    if (who) {
      guint total = 0;

      for (guint i = 0; i < N; i++) {
        g_assert_cmpuint (turns[who][i], <=, 1);
        total += turns[who][i];
      }
      longest = MAX (longest, total);
      waits[who] = FALSE;
    } else {
      n_fast++;
    }
    for (guint i = 1; i < N; i++) {
      turns[i][who] += waits[i];
      alone &= !waits[i];
    }
    if (alone && !who)
      rest++;
    /* Images come while a step runs: usually few, now and then all at once. */
    for (guint i = 1; i < N; i++) {
      random = random * 1664525 + 1013904223;
      if (waits[i] || (image == &slow[i])
          || (random >> 24 >= 6 && step % 100 != 0))
        continue;
      waits[i] = TRUE;
      memset (turns[i], 0, sizeof turns[i]);
      submit (streams[i], &slow[i], i, 1);
    }
    finish (&device, step, NULL);
    expect_answer (image);
    if (!who) {
      image->n_runs = 0;
      y10_stream_submit (streams[0], &image->request);
    }
  }
  g_test_message ("%u of %u steps were the fast stream's; another one waited "
      "for %u turns at most", n_fast, STEPS, longest);
  g_assert_cmpuint (longest, >=, N - 2);        /* else the streams did not compete */
  g_assert_cmpuint (n_fast, >, STEPS / 2);
  g_assert_cmpuint (rest, >, STEPS / 4);
  wait_step (&device, STEPS, &images);
  for (guint i = 0; i < N; i++)
    y10_stream_withdraw (streams[i]);
  finish (&device, STEPS, NULL);
  for (guint i = 0; i < N; i++)
    y10_stream_free (streams[i]);
  device_clear (&device);
}

/* A higher priority comes first, streams of one priority take turns, and the
 * priority may change while images are queued. */
static void
test_priority (void)
{
  static Image low[2][4], high[2], lowest[1], first;
  Y10Stream *streams[4];
  Device device;
  Image **images;

  device_init (&device, 2, 1, 0);
  streams[0] = y10_stream_new (device.scheduler, 0);
  streams[1] = y10_stream_new (device.scheduler, 0);
  streams[2] = y10_stream_new (device.scheduler, -7);
  streams[3] = y10_stream_new (device.scheduler, 5);
  submit (streams[0], &first, 0, 1);
  wait_step (&device, 0, &images);
  submit (streams[2], lowest, 2, 1);
  submit (streams[0], low[0], 0, 4);
  submit (streams[1], low[1], 1, 4);
  submit (streams[3], high, 3, 2);
  expect_step (&device, 0, "0.1");
  expect_step (&device, 1, "3.1 3.2");
  expect_step (&device, 2, "1.1 0.1");
  wait_step (&device, 3, &images);
  y10_stream_set_priority (streams[2], 1);
  expect_step (&device, 3, "1.2 0.2");
  expect_step (&device, 4, "2.1 1.3");
  expect_step (&device, 5, "0.3 1.4");
  expect_step (&device, 6, "0.4");
  expect_answer (&low[0][3]);
  for (guint i = 0; i < 4; i++)
    y10_stream_free (streams[i]);
  device_clear (&device);
}

/* Four cameras, and time for two of their four pictures per tick: each has its
 * latest picture queued. The camera of higher priority loses none; the others
 * lose equally many. */
static void
test_too_slow (void)
{
  enum { N = 4, TICKS = 60 };
  static Image latest[N], other;
  guint inferred[N] = { 0 }, step = 0;
  Y10Stream *streams[N], *gate;
  Device device;
  Image **images;

  device_init (&device, 1, 1, 0);
  gate = y10_stream_new (device.scheduler, 0);
  for (guint i = 0; i < N; i++)
    streams[i] = y10_stream_new (device.scheduler, i == 2 ? 1 : 0);
  for (guint tick = 0; tick < TICKS; tick++) {
    /* Another image runs meanwhile, so that all cameras' images are queued. */
    submit (gate, &other, N, 1);
    wait_step (&device, step, &images);
    g_assert_true (images[0] == &other);
    for (guint i = 0; i < N; i++)
      submit (streams[i], &latest[i], i, 1);
    finish (&device, step++, NULL);
    expect_answer (&other);
    for (guint k = 0; k < 2; k++) {
      Image *image;

      wait_step (&device, step, &images);
      image = images[0];
      inferred[image->stream]++;
      for (guint i = 0; k && i < N; i++)
        y10_stream_withdraw (streams[i]);
      finish (&device, step++, NULL);
      expect_answer (image);
    }
  }
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (inferred[i], ==, i == 2 ? TICKS : TICKS / 3);
  for (guint i = 0; i < N; i++)
    y10_stream_free (streams[i]);
  y10_stream_free (gate);
  device_clear (&device);
}

static void *
wait_for_image (void *image)
{
  return GINT_TO_POINTER (y10_request_wait (image, FOREVER));
}

static void *
free_stream (void *stream)
{
  y10_stream_free (stream);
  return NULL;
}

/* Withdrawing returns queued images at once; images in a step are answered;
 * other streams are not affected. */
static void
test_withdrawal (void)
{
  static Image a[4], b[3], never;
  Y10SchedulerStats stats;
  Y10Stream *one, *other;
  pthread_t thread;
  Device device;
  Image **images;
  void *state;

  device_init (&device, 1, 1, 0);
  one = y10_stream_new (device.scheduler, 0);
  other = y10_stream_new (device.scheduler, 0);
  g_assert_false (y10_request_withdraw (&never.request));
  g_assert_cmpint (y10_request_wait (&never.request, FOREVER), ==,
      Y10_REQUEST_IDLE);
  submit (one, a, 1, 4);
  wait_step (&device, 0, &images);
  submit (other, b, 2, 3);
  /* Withdraws an image from the middle; a later one takes its turn. */
  g_assert_true (y10_request_withdraw (&b[1].request));
  g_assert_false (y10_request_withdraw (&b[1].request));
  g_assert_cmpint (y10_request_wait (&b[1].request, FOREVER), ==,
      Y10_REQUEST_WITHDRAWN);
  /* Withdraws all but the running image, while a thread waits for one of
   * them. */
  pthread_create (&thread, NULL, wait_for_image, &a[3]);
  g_assert_false (y10_request_withdraw (&a[0].request));
  g_assert_cmpuint (y10_stream_withdraw (one), ==, 3);
  g_assert_cmpuint (y10_stream_withdraw (one), ==, 0);
  pthread_join (thread, &state);
  g_assert_cmpint (GPOINTER_TO_INT (state), ==, Y10_REQUEST_WITHDRAWN);
  g_assert_cmpint (y10_request_wait (&a[0].request, 0), ==,
      Y10_REQUEST_RUNNING);
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
  g_assert_cmpint (a[0].request.state, ==, Y10_REQUEST_ANSWERED);
  g_assert_cmpuint (a[0].n_runs, ==, 1);
  g_assert_cmpint (a[1].request.state, ==, Y10_REQUEST_WITHDRAWN);
  g_assert_cmpuint (a[1].n_runs, ==, 0);
  y10_scheduler_get_stats (device.scheduler, &stats);
  g_assert_cmpuint (stats.n_streams, ==, 1);
  g_assert_cmpuint (stats.n_answered, ==, 4);
  g_assert_cmpuint (stats.n_withdrawn, ==, 5);
  y10_stream_free (other);
  device_clear (&device);
}

/* The notifications: for each, the image's number and a letter for its
 * state. */
static GString *notified;

static void
note (Y10Request *request)
{
  static const char letters[] = "?qraw";

  g_string_append_printf (notified, " %u%c", ((Image *) request)->number,
      letters[request->state]);
}

static gboolean
replace (Y10Stream *stream, Image *image, guint which, guint number)
{
  *image = (Image) {.stream = which,.number = number,.request.notify = note };
  return y10_stream_replace (stream, &image->request);
}

/* A later image replaces a queued one and inherits its turn and its waiting
 * time. */
static void
test_replace (void)
{
  static Image first, a[3], b;
  Y10Stream *one, *other;
  Device device;
  Image **images;

  notified = g_string_new (NULL);
  device_init (&device, 1, 1, 0);
  one = y10_stream_new (device.scheduler, 0);
  other = y10_stream_new (device.scheduler, 0);
  g_assert_false (replace (one, &first, 1, 9));
  g_assert_cmpint (first.request.state, ==, Y10_REQUEST_IDLE);
  submit (other, &first, 2, 1);
  wait_step (&device, 0, &images);
  a[0] = (Image) {.stream = 1,.number = 1,.request.notify = note };
  y10_stream_submit (one, &a[0].request);
  submit (other, &b, 2, 1);
  g_assert_true (replace (one, &a[1], 1, 2));
  g_assert_true (replace (one, &a[2], 1, 3));
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (y10_request_wait (&a[i].request, 0), ==,
        Y10_REQUEST_WITHDRAWN);
  expect_step (&device, 0, "2.1");
  expect_step (&device, 1, "1.3");
  expect_step (&device, 2, "2.1");
  expect_answer (&a[2]);
  /* A running image cannot be replaced. */
  g_assert_false (replace (one, &a[0], 1, 1));
  g_assert_cmpstr (notified->str, ==, " 1w 2w 3r 3a");
  g_string_free (notified, TRUE);
  y10_stream_free (one);
  y10_stream_free (other);
  device_clear (&device);
}

/* Cameras of the same rate whose frames come at the same time, in the same
 * order. Now and then frames of many others come too, so that not all can be
 * inferred: all of them lose about equally many. */
static void
test_equal_losses (void)
{
  enum { FAST = 4, SLOW = 8, TICKS = 600, PER_TICK = 6 };
  static Image images[FAST + SLOW][3];
  guint n_came[FAST + SLOW] = { 0 };
  guint n_inferred[FAST] = { 0 }, least = G_MAXUINT, most = 0, step = 0;
  Y10Stream *streams[FAST + SLOW];
  Y10SchedulerStats stats;
  Image **begun;
  Device device;

  notified = g_string_new (NULL);
  device_init (&device, 1, 1, 0);
  for (guint i = 0; i < FAST + SLOW; i++)
    streams[i] = y10_stream_new (device.scheduler, 0);
  for (guint tick = 0; tick < TICKS; tick++) {
    /* Frames of this tick, then as many steps as the device has time for. */
    for (guint i = 0; i < FAST + SLOW; i++) {
      Image *image = &images[i][n_came[i] % 3];

      if (i >= FAST && tick % 12)
        continue;
      n_came[i]++;
      if (!replace (streams[i], image, i, tick)) {
        *image = (Image) {.stream = i,.number = tick,.request.notify = note };
        y10_stream_submit (streams[i], &image->request);
      }
      /* An idle device begins with the first frame. */
      wait_step (&device, step, &begun);
    }
    for (guint i = 0; i < PER_TICK; i++) {
      y10_scheduler_get_stats (device.scheduler, &stats);
      if (!(stats.n_queued + stats.n_running))
        break;
      wait_step (&device, step, &begun);
      if (begun[0]->stream < FAST)
        n_inferred[begun[0]->stream]++;
      finish (&device, step++, NULL);
    }
    /* A busy device has begun its next step when frames come again. */
    y10_scheduler_get_stats (device.scheduler, &stats);
    if (stats.n_queued + stats.n_running)
      wait_step (&device, step, &begun);
  }
  for (guint i = 0; i < FAST + SLOW; i++)
    y10_stream_withdraw (streams[i]);
  if (device.n_begun > step)
    finish (&device, step++, NULL);
  for (guint i = 0; i < FAST; i++) {
    least = MIN (least, n_inferred[i]);
    most = MAX (most, n_inferred[i]);
  }
  g_test_message ("%u %u %u %u of %u", n_inferred[0], n_inferred[1],
      n_inferred[2], n_inferred[3], TICKS);
  g_assert_cmpuint (least, <, TICKS);   /* else the streams did not compete */
  g_assert_cmpuint (most - least, <=, 2);
  for (guint i = 0; i < FAST + SLOW; i++)
    y10_stream_free (streams[i]);
  g_string_free (notified, TRUE);
  device_clear (&device);
}

/* Replacing an image again and again does not delay its step for ever. */
static void
test_replace_timeout (void)
{
  static Image a[2];
  gint64 until = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  Y10Stream *one;
  Device device;
  guint i = 1;

  notified = g_string_new (NULL);
  device_init (&device, 8, 1, 50000);
  one = y10_stream_new (device.scheduler, 0);
  submit (one, a, 1, 1);
  for (; replace (one, &a[i % 2], 1, i); i++) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (5000);
  }
  finish (&device, 0, NULL);
  g_assert_cmpint (y10_request_wait (&a[(i + 1) % 2].request, FOREVER), ==,
      Y10_REQUEST_ANSWERED);
  g_string_free (notified, TRUE);
  y10_stream_free (one);
  device_clear (&device);
}

/* A stream that has reached its limit of running images is passed over, even if
 * no other stream has an image. */
static void
test_max_running (void)
{
  static Image a[4], b[1];
  Y10Stream *one, *other;
  Device device;
  Image **images;

  device_init (&device, 4, 3, 0);
  one = y10_stream_new (device.scheduler, 0);
  other = y10_stream_new (device.scheduler, 0);
  y10_stream_set_max_running (one, 1);
  submit (one, a, 1, 4);
  g_assert_cmpuint (wait_step (&device, 0, &images), ==, 1);
  submit (other, b, 2, 1);
  g_assert_cmpuint (wait_step (&device, 1, &images), ==, 1);
  g_assert_cmpuint (images[0]->stream, ==, 2);
  g_assert_cmpint (y10_request_wait (&a[1].request,
          g_get_monotonic_time () + 20000), ==, Y10_REQUEST_QUEUED);
  finish (&device, 0, NULL);
  g_assert_cmpuint (wait_step (&device, 2, &images), ==, 1);
  g_assert_true (images[0] == &a[1]);
  y10_stream_set_max_running (one, 3);
  g_assert_cmpuint (wait_step (&device, 3, &images), ==, 2);
  for (guint i = 1; i < 4; i++)
    finish (&device, i, NULL);
  expect_answer (&a[3]);
  y10_stream_free (one);
  y10_stream_free (other);
  device_clear (&device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule-turns/fairness", test_fairness);
  g_test_add_func ("/schedule-turns/priority", test_priority);
  g_test_add_func ("/schedule-turns/too-slow", test_too_slow);
  g_test_add_func ("/schedule-turns/withdrawal", test_withdrawal);
  g_test_add_func ("/schedule-turns/replace", test_replace);
  g_test_add_func ("/schedule-turns/equal-losses", test_equal_losses);
  g_test_add_func ("/schedule-turns/replace-timeout", test_replace_timeout);
  g_test_add_func ("/schedule-turns/max-running", test_max_running);
  return g_test_run ();
}
