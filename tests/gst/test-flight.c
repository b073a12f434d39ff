/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The ring of frames in flight alone, without GStreamer, so that ThreadSanitizer
 * sees all there is: who is inferred, in which order frames leave, that none is
 * lost or comes twice, and that whoever waits is woken. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "gsty10flight.h"

#define CAPACITY 16
#define N_FRAMES 20000

typedef struct
{
  guint number;                 /* from 1 */
  gboolean running;             /* somebody has begun it */
  gint left;                    /* atomic: looks until it is done */
  guint unused;                 /* 16 bytes: they lie side by side */
} Frame;

static GstY10Flight *
make (guint max_frames, guint max_running)
{
  GstY10Flight *flight = gst_y10_flight_new (CAPACITY, sizeof (Frame));

  gst_y10_flight_set_limits (flight, max_frames, max_running);
  gst_y10_flight_set_flushing (flight, FALSE);
  return flight;
}

static GstY10Commit
put (GstY10Flight *flight, guint number, GstY10Wish wish, guint interval,
    gint64 now)
{
  Frame *frame = gst_y10_flight_reserve (flight);

  g_assert_nonnull (frame);
  frame->number = number;
  return gst_y10_flight_commit (flight, wish, interval, now, now);
}

static Frame *
take (GstY10Flight *flight, guint number, gboolean waits)
{
  gboolean to_start, to_wait;
  Frame *frame = gst_y10_flight_next (flight, &to_start, &to_wait);

  g_assert_nonnull (frame);
  g_assert_cmpuint (frame->number, ==, number);
  g_assert_false (to_start);
  g_assert_cmpint (to_wait, ==, waits);
  return frame;
}

/* One at a time, and the others pass; the latest, where it has just come, is
 * next. */
static void
test_if_free (void)
{
  GstY10Flight *flight = make (8, 1);
  guint frames, running;
  Frame *first, *third;

  gst_y10_flight_set_patience (flight, 10);
  g_assert_cmpint (put (flight, 1, GST_Y10_WISH_IF_FREE, 1, 100), ==,
      GST_Y10_COMMIT_START);
  g_assert_cmpint (put (flight, 2, GST_Y10_WISH_IF_FREE, 1, 130), ==,
      GST_Y10_COMMIT_QUEUED);
  g_assert_cmpint (put (flight, 3, GST_Y10_WISH_IF_FREE, 1, 160), ==,
      GST_Y10_COMMIT_QUEUED);
  gst_y10_flight_count (flight, &frames, &running);
  g_assert_cmpuint (frames, ==, 3);
  g_assert_cmpuint (running, ==, 1);
  gst_y10_flight_free (flight);

  flight = make (8, 1);
  gst_y10_flight_set_patience (flight, 10);
  for (guint i = 1; i <= 3; i++)
    put (flight, i, GST_Y10_WISH_IF_FREE, 1, 70 + 30 * i);
  first = gst_y10_flight_reserve (flight);      /* they lie side by side */
  gst_y10_flight_started (flight, first - 3);
  first = take (flight, 1, TRUE);
  third = gst_y10_flight_finish (flight, first, 170);
  g_assert_nonnull (third);
  g_assert_cmpuint (third->number, ==, 3);
  gst_y10_flight_started (flight, third);
  gst_y10_flight_leave (flight);
  take (flight, 2, FALSE);
  gst_y10_flight_leave (flight);
  put (flight, 4, GST_Y10_WISH_IF_FREE, 1, 190);
  third = take (flight, 3, TRUE);
  /* The latest has waited for too long: the next one is better. */
  g_assert_null (gst_y10_flight_finish (flight, third, 201));
  gst_y10_flight_leave (flight);
  g_assert_cmpint (put (flight, 5, GST_Y10_WISH_IF_FREE, 3, 220), ==,
      GST_Y10_COMMIT_QUEUED);   /* the second after number 3 */
  g_assert_cmpint (put (flight, 6, GST_Y10_WISH_IF_FREE, 3, 250), ==,
      GST_Y10_COMMIT_START);
  gst_y10_flight_free (flight);
}

static void
test_infer (void)
{
  GstY10Flight *flight = make (8, 2);
  Frame *frames, *next;

  frames = gst_y10_flight_reserve (flight);
  for (guint i = 1; i <= 4; i++)
    g_assert_cmpint (put (flight, i, i == 3 ? GST_Y10_WISH_PASS
            : GST_Y10_WISH_INFER, 1, 100), ==, i <= 2 ? GST_Y10_COMMIT_START
        : GST_Y10_COMMIT_QUEUED);
  gst_y10_flight_started (flight, frames);
  gst_y10_flight_started (flight, frames + 1);
  /* Whoever looks in does not take what somebody waits for. */
  take (flight, 1, TRUE);
  g_assert_null (gst_y10_flight_poll (flight));
  next = gst_y10_flight_finish (flight, frames, 999);
  g_assert_cmpuint (next->number, ==, 4);
  g_assert_true (gst_y10_flight_poll (flight) == frames + 1);
  gst_y10_flight_unpoll (flight, frames + 1);
  g_assert_true (gst_y10_flight_poll (flight) == frames + 1);
  g_assert_null (gst_y10_flight_finish (flight, frames + 1, 999));
  gst_y10_flight_started (flight, next);
  gst_y10_flight_leave (flight);
  take (flight, 2, FALSE);
  gst_y10_flight_leave (flight);
  take (flight, 3, FALSE);
  gst_y10_flight_leave (flight);
  take (flight, 4, TRUE);
  gst_y10_flight_finish (flight, next, 999);
  gst_y10_flight_leave (flight);
  g_assert_true (gst_y10_flight_drain (flight));
  gst_y10_flight_free (flight);
}

/* Two threads, and a third that flushes in the middle. */
typedef struct
{
  GstY10Flight *flight;
  GstY10Wish wish;
  guint max_frames, max_running, stop_at;
  gint n_put, n_left, n_dropped, n_running, n_inferred;
  guint last;
  gboolean stopped;
} Traffic;

static void
begin (Traffic *t, Frame *frame, guint looks)
{
  frame->running = TRUE;
  g_atomic_int_set (&frame->left, (gint) looks);
  g_assert_cmpint (g_atomic_int_add (&t->n_running, 1), <,
      (gint) t->max_running);
}

static void
end (Traffic *t, Frame *frame)
{
  Frame *next;

  g_atomic_int_add (&t->n_running, -1);
  g_atomic_int_inc (&t->n_inferred);
  frame->running = FALSE;
  next = gst_y10_flight_finish (t->flight, frame, 0);
  if (next) {
    begin (t, next, 3);
    gst_y10_flight_started (t->flight, next);
  }
}

static void
look_in (Traffic *t)
{
  Frame *frame;

  while ((frame = gst_y10_flight_poll (t->flight))) {
    if (!g_atomic_int_dec_and_test (&frame->left)) {
      gst_y10_flight_unpoll (t->flight, frame);
      return;
    }
    end (t, frame);
  }
}

static void *
bring (void *data)
{
  Traffic *t = data;

  for (guint i = 1; i <= N_FRAMES; i++) {
    Frame *frame;
    GstY10Commit commit;

    look_in (t);
    frame = gst_y10_flight_reserve (t->flight);
    if (!frame) {
      sched_yield ();
      continue;
    }
    frame->number = i;
    commit = gst_y10_flight_commit (t->flight, t->wish, 1, 0, 0);
    if (commit == GST_Y10_COMMIT_REFUSED)
      continue;
    g_atomic_int_inc (&t->n_put);
    if (commit == GST_Y10_COMMIT_START) {
      begin (t, frame, i % 5 + 1);
      gst_y10_flight_started (t->flight, frame);
    }
    if (i % 1000 == 0 && gst_y10_flight_drain (t->flight)) {
      guint frames, running;

      gst_y10_flight_count (t->flight, &frames, &running);
      g_assert_cmpuint (frames + running, ==, 0);
    }
  }
  return NULL;
}

static void
drop_all (Traffic *t)
{
  gboolean running;
  Frame *frame;

  while ((frame = gst_y10_flight_drop (t->flight, &running))) {
    g_assert_cmpint (running, ==, frame->running);
    if (running)
      g_atomic_int_add (&t->n_running, -1);
    frame->running = FALSE;
    t->n_dropped++;
    gst_y10_flight_leave (t->flight);
  }
}

static void *
send_on (void *data)
{
  Traffic *t = data;
  gboolean to_start, to_wait;
  Frame *frame;

  while ((frame = gst_y10_flight_next (t->flight, &to_start, &to_wait))) {
    if (to_start)
      begin (t, frame, 2);
    if (to_wait) {
      g_assert_true (frame->running);
      sched_yield ();
      end (t, frame);
    }
    g_assert_false (frame->running);
    g_assert_cmpuint (frame->number, >, t->last);
    t->last = frame->number;
    if (t->stop_at && t->last >= t->stop_at) {
      t->stop_at = 0;
      gst_y10_flight_stop (t->flight, -5);
      drop_all (t);
      continue;
    }
    t->n_left++;
    gst_y10_flight_leave (t->flight);
  }
  return NULL;
}

static void
finish_traffic (Traffic *t, pthread_t sender)
{
  guint frames, running;

  gst_y10_flight_set_flushing (t->flight, TRUE);
  pthread_join (sender, NULL);
  drop_all (t);
  gst_y10_flight_count (t->flight, &frames, &running);
  g_assert_cmpuint (frames + running, ==, 0);
  g_assert_cmpint (t->n_running, ==, 0);
}

static void
test_traffic (void)
{
  static const GstY10Wish wishes[] = { GST_Y10_WISH_INFER,
    GST_Y10_WISH_IF_FREE, GST_Y10_WISH_PASS
  };

  for (guint i = 0; i < 12; i++) {
    const guint running[] = { 1, 2, 4, 8 };
    Traffic t = {.wish = wishes[i % 3],.max_running = running[i / 3],
      .max_frames = i % 2 ? 3 : CAPACITY
    };
    pthread_t bringer, sender;

    t.flight = make (t.max_frames, t.max_running);
    pthread_create (&sender, NULL, send_on, &t);
    pthread_create (&bringer, NULL, bring, &t);
    pthread_join (bringer, NULL);
    g_assert_true (gst_y10_flight_drain (t.flight));
    finish_traffic (&t, sender);
    g_assert_cmpint (t.n_put, ==, N_FRAMES);
    g_assert_cmpint (t.n_left, ==, N_FRAMES);
    g_assert_cmpint (t.n_dropped, ==, 0);
    if (t.wish == GST_Y10_WISH_INFER)
      g_assert_cmpint (t.n_inferred, ==, N_FRAMES);
    if (t.wish == GST_Y10_WISH_PASS)
      g_assert_cmpint (t.n_inferred, ==, 0);
    gst_y10_flight_free (t.flight);
  }
}

/* What went in came out or was dropped, and everybody wakes. */
static void
test_flushes (void)
{
  Traffic t = {.wish = GST_Y10_WISH_INFER,.max_running = 2,.max_frames = 5 };
  pthread_t bringer, sender;

  t.flight = make (t.max_frames, t.max_running);
  pthread_create (&sender, NULL, send_on, &t);
  pthread_create (&bringer, NULL, bring, &t);
  for (guint i = 0; i < 100; i++) {
    g_usleep (i * 37 % 500);
    finish_traffic (&t, sender);
    gst_y10_flight_set_flushing (t.flight, FALSE);
    pthread_create (&sender, NULL, send_on, &t);
  }
  pthread_join (bringer, NULL);
  gst_y10_flight_drain (t.flight);
  finish_traffic (&t, sender);
  g_assert_cmpint (t.n_put, ==, t.n_left + t.n_dropped);
  gst_y10_flight_free (t.flight);
}

/* Downstream wants no more: the other side hears why, and may begin again. */
static void
test_stop (void)
{
  Traffic t = {.wish = GST_Y10_WISH_INFER,.max_running = 2,.max_frames = 5,
    .stop_at = 500
  };
  pthread_t bringer, sender;
  gint n_put;

  t.flight = make (t.max_frames, t.max_running);
  pthread_create (&sender, NULL, send_on, &t);
  pthread_create (&bringer, NULL, bring, &t);
  pthread_join (bringer, NULL);
  g_assert_cmpint (gst_y10_flight_get_stop (t.flight), ==, -5);
  g_assert_true (gst_y10_flight_drain (t.flight));
  g_assert_null (gst_y10_flight_reserve (t.flight));
  n_put = t.n_put;
  g_assert_cmpint (n_put, <, N_FRAMES);
  gst_y10_flight_stop (t.flight, 0);
  t.last = 0;
  pthread_create (&bringer, NULL, bring, &t);
  pthread_join (bringer, NULL);
  gst_y10_flight_drain (t.flight);
  finish_traffic (&t, sender);
  g_assert_cmpint (t.n_put, ==, n_put + N_FRAMES);
  g_assert_cmpint (t.n_put, ==, t.n_left + t.n_dropped);
  gst_y10_flight_free (t.flight);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flight/if-free", test_if_free);
  g_test_add_func ("/flight/infer", test_infer);
  g_test_add_func ("/flight/traffic", test_traffic);
  g_test_add_func ("/flight/flushes", test_flushes);
  g_test_add_func ("/flight/stop", test_stop);
  return g_test_run ();
}
