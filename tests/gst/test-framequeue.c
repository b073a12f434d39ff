/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The frame queue without GStreamer, so that ThreadSanitizer sees all code: in
 * which order and when frames leave, that none is lost or duplicated, and that
 * waiting threads are woken. A thread acts as the engine. */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "infer/framequeue.h"

#define CAPACITY 16
#define N_FRAMES 20000
#define N_JOBS 64

typedef struct
{
  guint64 number; /* counted from 1 by the test */
  guint64 job;    /* the queue's number; 0: none */
} Frame;

static gint64
now (void)
{
  return g_get_monotonic_time () * 1000;
}

static GstY10FrameQueue *
make (guint max_frames)
{
  GstY10FrameQueue *frame_queue = gst_y10_frame_queue_new (CAPACITY,
      sizeof (Frame));

  gst_y10_frame_queue_set_max_frames (frame_queue, max_frames);
  gst_y10_frame_queue_set_flushing (frame_queue, FALSE);
  return frame_queue;
}

/* Queues a frame and returns its number. */
static guint64
put (GstY10FrameQueue *frame_queue, gboolean is_inferred, gint64 leave_at)
{
  guint64 number;
  Frame *frame = gst_y10_frame_queue_reserve (frame_queue, FALSE, &number);

  g_assert_nonnull (frame);
  frame->number = number;
  g_assert_true (
      gst_y10_frame_queue_commit (frame_queue, is_inferred, leave_at));
  return number;
}

static void
take (GstY10FrameQueue *frame_queue, GstY10Next how, guint64 number)
{
  gpointer frame;

  g_assert_cmpint (gst_y10_frame_queue_next (frame_queue, &frame), ==, how);
  g_assert_cmpuint (((Frame *) frame)->number, ==, number);
  gst_y10_frame_queue_leave (frame_queue);
}

/* A frame leaves in its turn: once its inference is finished, if it has one. */
static void
test_order (void)
{
  GstY10FrameQueue *frame_queue = make (8);
  guint64 a = put (frame_queue, TRUE, GST_Y10_FRAME_QUEUE_FOREVER);
  guint64 b = put (frame_queue, TRUE, GST_Y10_FRAME_QUEUE_FOREVER);
  guint64 c = put (frame_queue, FALSE, GST_Y10_FRAME_QUEUE_FOREVER), d;
  gpointer frame;

  g_assert_cmpuint (gst_y10_frame_queue_count (frame_queue), ==, 3);
  gst_y10_frame_queue_note (frame_queue, b, GST_Y10_FRAME_QUEUE_OVER);
  gst_y10_frame_queue_note (frame_queue, a, GST_Y10_FRAME_QUEUE_RUNNING);
  gst_y10_frame_queue_note (frame_queue, a, GST_Y10_FRAME_QUEUE_OVER);
  take (frame_queue, GST_Y10_NEXT_READY, a);
  take (frame_queue, GST_Y10_NEXT_READY, b);
  take (frame_queue, GST_Y10_NEXT_READY, c);
  /* The engine may finish before the frame is queued. */
  frame = gst_y10_frame_queue_reserve (frame_queue, FALSE, &d);
  ((Frame *) frame)->number = d;
  gst_y10_frame_queue_note (frame_queue, d, GST_Y10_FRAME_QUEUE_OVER);
  g_assert_true (gst_y10_frame_queue_commit (frame_queue, TRUE,
      GST_Y10_FRAME_QUEUE_FOREVER));
  take (frame_queue, GST_Y10_NEXT_READY, d);
  g_assert_true (gst_y10_frame_queue_drain (frame_queue, TRUE));
  gst_y10_frame_queue_free (frame_queue);
}

static gint64
cpu_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

/* A frame that waits for its turn leaves at its deadline, for which the queue
 * sleeps; one in a running step stays. */
static void
test_leave_at (void)
{
  GstY10FrameQueue *frame_queue = make (8);
  gint64 start = now ();
  gint64 used = cpu_time (), deadline = start + 100 * 1000 * 1000;
  guint64 a = put (frame_queue, TRUE, deadline), b;
  gpointer frame;

  take (frame_queue, GST_Y10_NEXT_DETACH, a);
  g_assert_cmpint (now (), >=, deadline);
  /* A thread that polls uses all the time that the machine has for it. */
  g_assert_cmpint (cpu_time () - used, <, 10 * 1000 * 1000);
  b = put (frame_queue, TRUE, start);
  gst_y10_frame_queue_note (frame_queue, b, GST_Y10_FRAME_QUEUE_RUNNING);
  /* The first frame's inference has finished: its result is collected, once. */
  gst_y10_frame_queue_note (frame_queue, a, GST_Y10_FRAME_QUEUE_OVER);
  g_assert_cmpint (gst_y10_frame_queue_next (frame_queue, &frame), ==,
      GST_Y10_NEXT_COLLECT);
  gst_y10_frame_queue_collected (frame_queue);
  gst_y10_frame_queue_note (frame_queue, b, GST_Y10_FRAME_QUEUE_OVER);
  take (frame_queue, GST_Y10_NEXT_READY, b);
  g_assert_true (gst_y10_frame_queue_drain (frame_queue, TRUE));
  gst_y10_frame_queue_free (frame_queue);
}

static void *
reserve_room (void *data)
{
  guint64 number;

  g_assert_nonnull (gst_y10_frame_queue_reserve (data, TRUE, &number));
  return NULL;
}

/* A frame that must not wait makes the first one leave, even one in a step. */
static void
test_make_room (void)
{
  GstY10FrameQueue *frame_queue = make (2);
  guint64 a = put (frame_queue, TRUE, GST_Y10_FRAME_QUEUE_FOREVER), b;
  pthread_t thread;
  gpointer frame;

  b = put (frame_queue, TRUE, GST_Y10_FRAME_QUEUE_FOREVER);
  gst_y10_frame_queue_note (frame_queue, a, GST_Y10_FRAME_QUEUE_RUNNING);
  pthread_create (&thread, NULL, reserve_room, frame_queue);
  g_assert_cmpint (gst_y10_frame_queue_next (frame_queue, &frame), ==,
      GST_Y10_NEXT_DETACH);
  /* Its inference ends before it has left; the queue remembers that. */
  gst_y10_frame_queue_note (frame_queue, a, GST_Y10_FRAME_QUEUE_OVER);
  gst_y10_frame_queue_leave (frame_queue);
  pthread_join (thread, NULL);
  g_assert_cmpint (gst_y10_frame_queue_next (frame_queue, &frame), ==,
      GST_Y10_NEXT_COLLECT);
  gst_y10_frame_queue_collected (frame_queue);
  gst_y10_frame_queue_note (frame_queue, b, GST_Y10_FRAME_QUEUE_OVER);
  take (frame_queue, GST_Y10_NEXT_READY, b);
  gst_y10_frame_queue_free (frame_queue);
}

static void *
reserve_nothing (void *data)
{
  guint64 number;

  g_assert_null (gst_y10_frame_queue_reserve (data, FALSE, &number));
  return NULL;
}

/* A thread that waits for room is woken by the stop itself: the frames that are
 * dropped afterwards may have to wait for their inferences. */
static void
test_stop_wakes (void)
{
  GstY10FrameQueue *frame_queue = make (1);
  pthread_t thread;

  put (frame_queue, TRUE, GST_Y10_FRAME_QUEUE_FOREVER);
  pthread_create (&thread, NULL, reserve_nothing, frame_queue);
  /* Too short a sleep may miss a defect, but never fails a correct queue. */
  g_usleep (20 * 1000);
  gst_y10_frame_queue_stop (frame_queue, -5);
  pthread_join (thread, NULL);
  g_assert_nonnull (gst_y10_frame_queue_drop (frame_queue));
  gst_y10_frame_queue_leave (frame_queue);
  g_assert_null (gst_y10_frame_queue_drop (frame_queue));
  gst_y10_frame_queue_free (frame_queue);
}

/* Traffic: a thread that queues frames, one that takes them out, and an engine
 * that infers one at a time; another thread may flush in between. */
typedef enum
{
  PASS,
  NEWEST,
  ALL
} Mode;

typedef struct
{
  GstY10FrameQueue *frame_queue;
  Mode mode;
  guint max_frames, stop_at;
  gint n_put, n_left, n_dropped;
  guint64 last;

  pthread_mutex_t lock;
  pthread_cond_t work;
  guint64 queue[N_JOBS], running; /* the queue's numbers; under the lock */
  guint n_queued;
  gint n_inferred, n_replaced;
  gboolean quit;

  /* Used by the output thread: jobs whose frames have left, in order. */
  guint64 detached[N_JOBS];
  guint n_detached;
  gint n_collected;
} Traffic;

static void *
infer (void *data)
{
  Traffic *t = data;

  pthread_mutex_lock (&t->lock);
  for (;;) {
    guint64 number;

    while (!t->quit && !t->n_queued)
      pthread_cond_wait (&t->work, &t->lock);
    if (!t->n_queued)
      break;
    number = t->running = t->queue[0];
    memmove (t->queue, t->queue + 1, --t->n_queued * sizeof *t->queue);
    gst_y10_frame_queue_note (t->frame_queue, number,
        GST_Y10_FRAME_QUEUE_RUNNING);
    pthread_mutex_unlock (&t->lock);
    for (guint i = 0; i < number % 7; i++)
      sched_yield ();
    pthread_mutex_lock (&t->lock);
    t->running = 0;
    t->n_inferred++;
    gst_y10_frame_queue_note (t->frame_queue, number, GST_Y10_FRAME_QUEUE_OVER);
    pthread_cond_broadcast (&t->work);
  }
  pthread_mutex_unlock (&t->lock);
  return NULL;
}

static void
submit (Traffic *t, guint64 number)
{
  pthread_mutex_lock (&t->lock);
  if (t->mode == NEWEST && t->n_queued) {
    gst_y10_frame_queue_note (t->frame_queue, t->queue[0],
        GST_Y10_FRAME_QUEUE_OVER);
    t->n_queued = 0;
    t->n_replaced++;
  }
  g_assert_cmpuint (t->n_queued, <, N_JOBS);
  t->queue[t->n_queued++] = number;
  pthread_cond_broadcast (&t->work);
  pthread_mutex_unlock (&t->lock);
}

/* Whether the engine has it. */
static gboolean
has (Traffic *t, guint64 number)
{
  gboolean has;

  pthread_mutex_lock (&t->lock);
  has = t->running == number;
  for (guint i = 0; i < t->n_queued; i++)
    has |= t->queue[i] == number;
  pthread_mutex_unlock (&t->lock);
  return has;
}

static void
withdraw (Traffic *t, guint64 number)
{
  pthread_mutex_lock (&t->lock);
  for (guint i = 0; i < t->n_queued; i++) {
    if (t->queue[i] == number) {
      memmove (t->queue + i, t->queue + i + 1,
          (--t->n_queued - i) * sizeof *t->queue);
      gst_y10_frame_queue_note (t->frame_queue, number,
          GST_Y10_FRAME_QUEUE_OVER);
      break;
    }
  }
  while (t->running == number)
    pthread_cond_wait (&t->work, &t->lock);
  pthread_mutex_unlock (&t->lock);
}

static void *
bring (void *data)
{
  Traffic *t = data;

  for (guint i = 1; i <= N_FRAMES; i++) {
    guint64 number;
    Frame *frame = gst_y10_frame_queue_reserve (t->frame_queue,
        t->mode == NEWEST, &number);

    if (!frame) {
      sched_yield ();
      continue;
    }
    frame->number = i;
    frame->job = t->mode == PASS ? 0 : number;
    if (frame->job)
      submit (t, number);
    if (!gst_y10_frame_queue_commit (t->frame_queue, frame->job != 0,
            t->mode == NEWEST ? now () + i % 3 * 10000
                              : GST_Y10_FRAME_QUEUE_FOREVER)) {
      if (frame->job)
        withdraw (t, number);
      continue;
    }
    g_atomic_int_inc (&t->n_put);
    if (i % 1000 == 0
        && gst_y10_frame_queue_drain (t->frame_queue, i % 2000 == 0))
      g_assert_cmpuint (gst_y10_frame_queue_count (t->frame_queue), ==, 0);
  }
  return NULL;
}

static void
give_detached (Traffic *t, guint i)
{
  withdraw (t, t->detached[i]);
  memmove (t->detached + i, t->detached + i + 1,
      (--t->n_detached - i) * sizeof *t->detached);
  t->n_collected++;
  gst_y10_frame_queue_collected (t->frame_queue);
}

static void
drop_all (Traffic *t)
{
  Frame *frame;

  while ((frame = gst_y10_frame_queue_drop (t->frame_queue))) {
    if (frame->job)
      withdraw (t, frame->job);
    t->n_dropped++;
    gst_y10_frame_queue_leave (t->frame_queue);
  }
  while (t->n_detached)
    give_detached (t, 0);
}

static void *
send_on (void *data)
{
  Traffic *t = data;
  gpointer p;
  GstY10Next next;

  while ((next = gst_y10_frame_queue_next (t->frame_queue, &p))
      != GST_Y10_NEXT_FLUSHING) {
    const Frame *frame = p;

    for (guint i = t->n_detached; i-- > 0;)
      if (!has (t, t->detached[i]))
        give_detached (t, i);
    if (next == GST_Y10_NEXT_COLLECT)
      continue;
    if (next == GST_Y10_NEXT_DETACH) {
      g_assert_cmpuint (t->n_detached, <, 2); /* one runs, one is queued */
      t->detached[t->n_detached++] = frame->job;
    } else if (frame->job) {
      g_assert_false (has (t, frame->job));
    }
    g_assert_cmpuint (frame->number, >, t->last);
    t->last = frame->number;
    if (t->stop_at && t->last >= t->stop_at) {
      t->stop_at = 0;
      gst_y10_frame_queue_stop (t->frame_queue, -5);
      drop_all (t);
      continue;
    }
    t->n_left++;
    gst_y10_frame_queue_leave (t->frame_queue);
  }
  return NULL;
}

typedef struct
{
  pthread_t bringer, sender, engine;
} Threads;

static void
begin_traffic (Traffic *t, Threads *threads)
{
  t->frame_queue = make (t->max_frames);
  pthread_mutex_init (&t->lock, NULL);
  pthread_cond_init (&t->work, NULL);
  pthread_create (&threads->engine, NULL, infer, t);
  pthread_create (&threads->sender, NULL, send_on, t);
  pthread_create (&threads->bringer, NULL, bring, t);
}

static void
flush (Traffic *t, Threads *threads)
{
  gst_y10_frame_queue_set_flushing (t->frame_queue, TRUE);
  pthread_join (threads->sender, NULL);
  drop_all (t);
  g_assert_cmpuint (gst_y10_frame_queue_count (t->frame_queue), ==, 0);
}

static void
end_traffic (Traffic *t, Threads *threads)
{
  flush (t, threads);
  pthread_mutex_lock (&t->lock);
  t->quit = TRUE;
  pthread_cond_broadcast (&t->work);
  pthread_mutex_unlock (&t->lock);
  pthread_join (threads->engine, NULL);
  g_assert_cmpuint (t->n_queued + t->n_detached, ==, 0);
  gst_y10_frame_queue_free (t->frame_queue);
  pthread_cond_destroy (&t->work);
  pthread_mutex_destroy (&t->lock);
}

static void
test_traffic (void)
{
  static const guint max_frames[] = { 1, 3, CAPACITY };

  for (guint i = 0; i < 9; i++) {
    Traffic t = { .mode = (Mode) (i % 3), .max_frames = max_frames[i / 3] };
    Threads threads;

    begin_traffic (&t, &threads);
    pthread_join (threads.bringer, NULL);
    g_assert_true (gst_y10_frame_queue_drain (t.frame_queue, TRUE));
    end_traffic (&t, &threads);
    g_assert_cmpint (t.n_put, ==, N_FRAMES);
    g_assert_cmpint (t.n_left, ==, N_FRAMES);
    g_assert_cmpint (t.n_dropped, ==, 0);
    g_assert_cmpint (t.n_inferred + t.n_replaced, ==,
        t.mode == PASS ? 0 : N_FRAMES);
    if (t.mode != NEWEST)
      g_assert_cmpint (t.n_collected, ==, 0);
  }
}

/* Every frame came out or was dropped, and all waiting threads wake. */
static void
test_flushes (void)
{
  for (guint mode = NEWEST; mode <= ALL; mode++) {
    Traffic t = { .mode = (Mode) mode, .max_frames = 5 };
    Threads threads;

    begin_traffic (&t, &threads);
    for (guint i = 0; i < 100; i++) {
      g_usleep (i * 37 % 500);
      flush (&t, &threads);
      gst_y10_frame_queue_set_flushing (t.frame_queue, FALSE);
      pthread_create (&threads.sender, NULL, send_on, &t);
    }
    pthread_join (threads.bringer, NULL);
    gst_y10_frame_queue_drain (t.frame_queue, TRUE);
    end_traffic (&t, &threads);
    g_assert_cmpint (t.n_put, ==, t.n_left + t.n_dropped);
  }
}

/* Downstream returns an error: the input side gets it, and may begin again. */
static void
test_stop (void)
{
  Traffic t = { .mode = ALL, .max_frames = 5, .stop_at = 500 };
  Threads threads;
  guint64 number;
  gint n_put;

  begin_traffic (&t, &threads);
  pthread_join (threads.bringer, NULL);
  g_assert_cmpint (gst_y10_frame_queue_get_stop (t.frame_queue), ==, -5);
  g_assert_true (gst_y10_frame_queue_drain (t.frame_queue, TRUE));
  g_assert_null (gst_y10_frame_queue_reserve (t.frame_queue, TRUE, &number));
  n_put = t.n_put;
  g_assert_cmpint (n_put, <, N_FRAMES);
  gst_y10_frame_queue_stop (t.frame_queue, 0);
  t.last = 0;
  pthread_create (&threads.bringer, NULL, bring, &t);
  pthread_join (threads.bringer, NULL);
  gst_y10_frame_queue_drain (t.frame_queue, TRUE);
  end_traffic (&t, &threads);
  g_assert_cmpint (t.n_put, ==, n_put + N_FRAMES);
  g_assert_cmpint (t.n_put, ==, t.n_left + t.n_dropped);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flight/order", test_order);
  g_test_add_func ("/flight/leave-at", test_leave_at);
  g_test_add_func ("/flight/make-room", test_make_room);
  g_test_add_func ("/flight/stop-wakes", test_stop_wakes);
  g_test_add_func ("/flight/traffic", test_traffic);
  g_test_add_func ("/flight/flushes", test_flushes);
  g_test_add_func ("/flight/stop", test_stop);
  return g_test_run ();
}
