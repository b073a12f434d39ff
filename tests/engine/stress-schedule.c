/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* stress-schedule N: sixteen streams of one scheduler submit N images in total,
 * each from one thread, and take the answers on another, with random stalls,
 * withdrawals, errors and streams that are freed, on a device that finishes its
 * steps in any order. Some images consist of parts. Every image is answered once,
 * by the steps that its parts were in, or is withdrawn without having been in
 * steps as a whole; each stream keeps its order. */

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/requests.h"
#include "stream/scheduler.h"
#include "stream/stream.h"

#define FOREVER -1
#define N_STREAMS 16
#define N_STEPS 3
#define MAX_BATCH 4
#define MAX_PARTS 6
#define RING 32
#define LIFE 500 /* images of a stream before it is freed */
#define N_WORKERS 2

typedef struct
{
  Y10EngineRequest request;
  guint stream, number;
  guint n_parts;
  guint n_runs;             /* turns it had */
  guint results[MAX_PARTS]; /* from the device */
} Image;

/* The device: its workers pick any of the running steps. */
typedef struct
{
  Y10Scheduler *scheduler;
  pthread_mutex_t lock;
  pthread_cond_t work;
  struct
  {
    const Y10Turn *turns;
    guint n; /* 0: not running */
  } steps[N_STEPS];
  gboolean quit;
  guint random;
  guint last[N_STREAMS]; /* last number begun, of each stream */
  guint64 n_run;
} Chaos;

typedef struct
{
  Chaos *chaos;
  guint which, n_images, random;
  pthread_t thread;
  /* From creating to freeing the stream. */
  guint taker_random;
  Y10EngineStream *stream;
  guint first, end, taken_until; /* numbers */
  gboolean slow;                 /* FALSE: as fast as possible */
  Image ring[RING];
  sem_t filled, free;
  guint64 n_answered, n_failed, n_withdrawn, n_taken_back;
  guint64 n_parts_withdrawn, n_parts_run;
} Camera;

static guint
next_random (guint *random)
{
  *random ^= *random << 13;
  *random ^= *random >> 17;
  *random ^= *random << 5;
  return *random;
}

static void
stall (guint random)
{
  if (random % 128 == 0)
    usleep (random / 128 % 500);
  else if (random % 8 == 0)
    sched_yield ();
}

static guint
result_of (const Image *image, guint part)
{
  return image->stream * 2654435761u ^ image->number * 40503u ^ (part + 1);
}

static gboolean
fails (guint random)
{
  return random % 16 == 0;
}

/* Runs a step; @random selects the errors. */
static void
compute (Chaos *chaos, guint step, const Y10Turn *turns, guint n, guint random)
{
  GError *error = NULL;

  stall (random);
  for (guint i = 0; i < n; i++) {
    Image *image = (Image *) y10_place_get_request (turns[i].place);

    image->results[turns[i].part] = result_of (image, turns[i].part);
    /* Steps of one image may run at the same time, so they share no error. */
    if (image->n_parts == 1 && fails (random / 16 + i))
      image->request.error = g_error_new_literal (Y10_ERROR,
          Y10_ERROR_UNSUPPORTED, "this one");
  }
  if (fails (random))
    error = g_error_new_literal (Y10_ERROR, Y10_ERROR_BACKEND, "all of them");
  y10_scheduler_finish (chaos->scheduler, step, error);
  g_clear_error (&error);
}

static void
begin_chaos (gpointer data, Y10Scheduler *scheduler, guint step,
    const Y10Turn *turns, guint n)
{
  Chaos *chaos = data;
  guint random;

  g_assert_cmpuint (step, <, N_STEPS);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n, <=, MAX_BATCH);
  pthread_mutex_lock (&chaos->lock);
  g_assert_cmpuint (chaos->steps[step].n, ==, 0);
  for (guint i = 0; i < n; i++) {
    Image *image = (Image *) y10_place_get_request (turns[i].place);

    g_assert_cmpuint (image->n_runs++, ==, turns[i].part);
    g_assert_cmpuint (turns[i].part, <, image->n_parts);
    if (turns[i].part)
      g_assert_cmpuint (image->number, ==, chaos->last[image->stream]);
    else
      g_assert_cmpuint (image->number, >, chaos->last[image->stream]);
    chaos->last[image->stream] = image->number;
  }
  chaos->n_run += n;
  random = next_random (&chaos->random);
  if (random % 4) {
    chaos->steps[step].turns = turns;
    chaos->steps[step].n = n;
    pthread_cond_signal (&chaos->work);
  }
  pthread_mutex_unlock (&chaos->lock);
  if (random % 4 == 0)
    compute (chaos, step, turns, n, random / 4);
}

static void *
work (void *data)
{
  Chaos *chaos = data;

  pthread_mutex_lock (&chaos->lock);
  while (!chaos->quit) {
    guint random = next_random (&chaos->random), step, n = 0;

    for (guint i = 0; i < N_STEPS && !n; i++) {
      step = (random + i) % N_STEPS;
      n = chaos->steps[step].n;
    }
    if (!n) {
      pthread_cond_wait (&chaos->work, &chaos->lock);
      continue;
    }
    chaos->steps[step].n = 0;
    pthread_mutex_unlock (&chaos->lock);
    compute (chaos, step, chaos->steps[step].turns, n, random / 4);
    pthread_mutex_lock (&chaos->lock);
  }
  pthread_mutex_unlock (&chaos->lock);
  return NULL;
}

/* Checks the outcome of a finished image. */
static void
check_outcome (Camera *camera, Image *image)
{
  Y10PlaceState state = y10_engine_request_get_place (&image->request)->state;

  camera->n_parts_run += image->n_runs;
  if (state == Y10_PLACE_WITHDRAWN) {
    g_assert_cmpuint (image->n_runs, <, image->n_parts);
    g_assert_no_error (image->request.error);
    camera->n_parts_withdrawn += image->n_parts - image->n_runs;
    camera->n_withdrawn++;
    return;
  }
  g_assert_cmpint (state, ==, Y10_PLACE_ANSWERED);
  g_assert_cmpuint (image->n_runs, <=, image->n_parts);
  if (!image->request.error)
    g_assert_cmpuint (image->n_runs, ==, image->n_parts);
  for (guint i = 0; i < image->n_runs; i++)
    g_assert_cmpuint (image->results[i], ==, result_of (image, i));
  camera->n_failed += image->request.error != NULL;
  camera->n_answered++;
  g_clear_error (&image->request.error);
}

/* Acts as a source pad's task: takes the images in order. */
static void *
take (void *data)
{
  Camera *camera = data;
  guint random = camera->taker_random;

  for (guint number = camera->first; number < camera->taken_until; number++) {
    Image *image = &camera->ring[number % RING];
    gint64 until = FOREVER;

    while (sem_wait (&camera->filled) != 0)
      ;
    stall (next_random (&random));
    g_assert_cmpuint (image->number, ==, number);
    if (random % 4 == 0)
      until = random % 8 ? 0 : g_get_monotonic_time () + random / 8 % 100;
    while (
        y10_engine_request_await (&image->request, until) < Y10_PLACE_ANSWERED)
      until = FOREVER;
    check_outcome (camera, image);
    sem_post (&camera->free);
  }
  return NULL;
}

/* Acts as a streaming thread and as a flushing one, then frees the stream with
 * the images that it still has. */
static void
live (Camera *camera)
{
  pthread_t taker;

  camera->stream = y10_engine_stream_new_on (camera->chaos->scheduler,
      (gint) (camera->which % 3));
  camera->taker_random = camera->random + 1;
  camera->taken_until = camera->end
      - next_random (&camera->random) % MIN (RING, camera->end - camera->first);
  sem_init (&camera->filled, 0, 0);
  sem_init (&camera->free, 0, RING);
  pthread_create (&taker, NULL, take, camera);
  for (guint number = camera->first; number < camera->end; number++) {
    Image *image = &camera->ring[number % RING];
    guint random = next_random (&camera->random);

    stall (random);
    if (camera->slow)
      usleep (random / 4096 % 128);
    while (sem_wait (&camera->free) != 0)
      ;
    *image = (Image){ .stream = camera->which, .number = number, .n_parts = 1 };
    if (random / 64 % 4 == 0)
      image->n_parts = 1 + random / 256 % MAX_PARTS;
    /* The replaced image is withdrawn; the taking thread counts it. */
    if (random % 32 != 5
        || !y10_engine_stream_queue_instead (camera->stream, &image->request,
            image->n_parts))
      y10_engine_stream_queue (camera->stream, &image->request, image->n_parts);
    if (random % 512 == 4)
      y10_engine_stream_set_max_running (camera->stream, random / 512 % 4);
    if (random % 256 == 1) {
      camera->n_taken_back += y10_engine_stream_withdraw (camera->stream);
    } else if (random % 16 == 2) {
      guint back = MIN (random / 16 % 4, number - camera->first);

      camera->n_taken_back += y10_engine_request_withdraw (
          &camera->ring[(number - back) % RING].request);
    }
    if (random % 1024 == 3)
      y10_engine_stream_set_priority (camera->stream,
          (gint) (random / 1024 % 3));
    sem_post (&camera->filled);
  }
  pthread_join (taker, NULL);
  y10_engine_stream_unref (camera->stream);
  for (guint number = camera->taken_until; number < camera->end; number++)
    check_outcome (camera, &camera->ring[number % RING]);
  sem_destroy (&camera->filled);
  sem_destroy (&camera->free);
}

static void *
film (void *data)
{
  Camera *camera = data;

  for (guint done = 0; done < camera->n_images; done += LIFE) {
    camera->first = done + 1;
    camera->end = MIN (done + LIFE, camera->n_images) + 1;
    camera->slow = next_random (&camera->random) % 2;
    live (camera);
  }
  return NULL;
}

int
main (int argc, char **argv)
{
  guint n_images = argc > 1 ? (guint) atoi (argv[1]) : 200000;
  static Camera cameras[N_STREAMS];
  guint64 n_answered = 0, n_failed = 0, n_withdrawn = 0, n_taken_back = 0;
  guint64 n_parts_withdrawn = 0, n_parts_run = 0;
  guint64 n_filled = 0, n_steps = 0;
  Chaos chaos = { .random = 88172645 };
  const Y10SchedulerConfig config = { begin_chaos, &chaos, MAX_BATCH, N_STEPS,
    50 };
  pthread_t workers[N_WORKERS];
  Y10SchedulerStats stats;
  GError *error = NULL;

  pthread_mutex_init (&chaos.lock, NULL);
  pthread_cond_init (&chaos.work, NULL);
  chaos.scheduler = y10_scheduler_new (&config, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_WORKERS; i++)
    pthread_create (&workers[i], NULL, work, &chaos);
  for (guint i = 0; i < N_STREAMS; i++) {
    cameras[i] = (Camera){
      .chaos = &chaos,
      .which = i,
      .n_images = n_images / N_STREAMS,
      .random = 2463534242u + i * 7919u,
    };
    pthread_create (&cameras[i].thread, NULL, film, &cameras[i]);
  }
  for (guint i = 0; i < N_STREAMS; i++) {
    pthread_join (cameras[i].thread, NULL);
    n_answered += cameras[i].n_answered;
    n_failed += cameras[i].n_failed;
    n_withdrawn += cameras[i].n_withdrawn;
    n_taken_back += cameras[i].n_taken_back;
    n_parts_withdrawn += cameras[i].n_parts_withdrawn;
    n_parts_run += cameras[i].n_parts_run;
  }
  y10_scheduler_get_stats (chaos.scheduler, &stats);
  pthread_mutex_lock (&chaos.lock);
  chaos.quit = TRUE;
  pthread_cond_broadcast (&chaos.work);
  pthread_mutex_unlock (&chaos.lock);
  for (guint i = 0; i < N_WORKERS; i++)
    pthread_join (workers[i], NULL);
  y10_scheduler_free (chaos.scheduler);
  pthread_cond_destroy (&chaos.work);
  pthread_mutex_destroy (&chaos.lock);
  for (guint i = 0; i <= Y10_MAX_BATCH; i++) {
    n_steps += stats.fill[i];
    n_filled += i * stats.fill[i];
  }
  g_print ("%u images of %u streams: %" G_GUINT64_FORMAT
           " answered in %" G_GUINT64_FORMAT " parts and %" G_GUINT64_FORMAT
           " steps, %" G_GUINT64_FORMAT
           " of them with an error, %" G_GUINT64_FORMAT " withdrawn\n",
      n_images, N_STREAMS, n_answered, n_parts_run, n_steps, n_failed,
      n_withdrawn);
  g_assert_cmpuint (n_answered + n_withdrawn, ==,
      n_images / N_STREAMS * N_STREAMS);
  g_assert_cmpuint (n_parts_run, ==, chaos.n_run);
  g_assert_cmpuint (n_parts_run, >, n_answered);
  g_assert_cmpuint (n_withdrawn, >=, n_taken_back);
  g_assert_cmpuint (n_failed, >, 0);
  g_assert_cmpuint (n_taken_back, >, 0);
  g_assert_cmpuint (stats.n_streams + stats.n_queued + stats.n_running, ==, 0);
  g_assert_cmpuint (stats.n_answered, ==, n_parts_run);
  /* They count parts, also the withdrawn ones of an image that failed. */
  g_assert_cmpuint (stats.n_failed, >=, n_failed);
  g_assert_cmpuint (stats.n_withdrawn, >=, n_parts_withdrawn);
  g_assert_cmpuint (n_filled, ==, n_parts_run);
  return 0;
}
