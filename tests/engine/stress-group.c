/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Sixteen streams share an engine, each on a separate thread, with random
 * stalls, withdrawals, invalid images and, on the simulated GPU, lost contexts.
 * Each image gets the result that it would get alone, or is withdrawn, or fails
 * as lost.
 *
 * stress-group [--backend B] [--images N] */

#include <pthread.h>
#include <string.h>

#include "stream/shared.h"
#include "groupcommon.h"
#include "util.h"

#define N_SOURCES 16

static gint n_images_option = 640; /* of all streams */

/* One of the streams, which runs on a separate thread. */
typedef struct
{
  guint seed, n_images;
  guint n_right, n_withdrawn, n_lost;
} Source;

static void
stall (GRand *rand)
{
  if (g_rand_int_range (rand, 0, 32) == 0)
    g_usleep ((gulong) g_rand_int_range (rand, 0, 5000));
}

/* Checks the outcome of an image. Afterwards fills its rows with a pattern, so
 * that stale memory cannot pass for a result. */
static void
take (Source *self, Shot *shot)
{
  g_assert_true (y10_engine_request_wait (&shot->request, -1));
  if (shot->request.error) {
    g_assert_error (shot->request.error, Y10_ERROR, Y10_ERROR_DEVICE_LOST);
    g_assert_cmpint (shot->request.n_detections, ==, -1);
    g_clear_error (&shot->request.error);
    self->n_lost++;
  } else if (shot->request.n_detections < 0) {
    self->n_withdrawn++;
  } else {
    shot_assert_right (shot);
    self->n_right++;
  }
  memset (shot->rows, 0xa5, sizeof shot->rows);
}

/* The GPU may also be lost while an engine starts: tries again. */
static Y10EngineStream *
open_until_there (void)
{
  Y10EngineStream *stream = NULL;
  Y10EngineConfig config;
  GError *error = NULL;

  shared_init_config (&config);
  while (!stream) {
    stream = y10_engine_stream_new (shared_model (), &config, NULL, 0, NULL,
        &error);
    if (error)
      g_assert_error (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST);
    g_clear_error (&error);
  }
  return stream;
}

static void *
stream_images (void *data)
{
  Source *self = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (self->seed);
  Y10EngineStream *stream = open_until_there ();
  Shot shots[4] = { 0 };

  for (guint left = self->n_images; left;) {
    guint n = (guint) g_rand_int_range (rand, 1, 5), lost = self->n_lost;

    n = MIN (n, left);
    for (guint k = 0; k < n; k++) {
      shot_submit (&shots[k], stream,
          (guint) g_rand_int_range (rand, 0, N_PICTURES));
      stall (rand);
    }
    if (g_rand_int_range (rand, 0, 16) == 0)
      shot_assert_refused (stream);
    if (g_rand_int_range (rand, 0, 8) == 0)
      y10_engine_stream_withdraw (stream);
    for (guint k = 0; k < n; k++) {
      take (self, &shots[k]);
      stall (rand);
    }
    left -= n;
    if (self->n_lost > lost) {
      y10_engine_stream_unref (stream);
      stream = open_until_there ();
    }
  }
  y10_engine_stream_unref (stream);
  return NULL;
}

static void
run_sources (Source *sources)
{
  pthread_t threads[N_SOURCES];

  for (guint i = 0; i < N_SOURCES; i++) {
    sources[i] = (Source){
      .seed = i + 1,
      .n_images = (guint) n_images_option / N_SOURCES,
    };
    g_assert_cmpint (pthread_create (&threads[i], NULL, stream_images,
                         &sources[i]),
        ==, 0);
  }
  for (guint i = 0; i < N_SOURCES; i++)
    pthread_join (threads[i], NULL);
}

/* Each stream gets its own results, whatever other images are in the step. */
static void
test_many (void)
{
  Y10EngineStream *holder = shared_open ();
  Y10EngineStreamStats stats = { .size = sizeof stats };
  Source sources[N_SOURCES];
  guint64 n_images = 0, more_than_one = 0, n_right = 0, n_withdrawn = 0;

  run_sources (sources);
  y10_engine_stream_get_stats (holder, &stats);
  for (guint i = 1; i <= Y10_MAX_BATCH; i++) {
    n_images += i * stats.fill[i];
    more_than_one += i > 1 ? stats.fill[i] : 0;
  }
  for (guint i = 0; i < N_SOURCES; i++) {
    g_assert_cmpuint (sources[i].n_lost, ==, 0);
    n_right += sources[i].n_right;
    n_withdrawn += sources[i].n_withdrawn;
  }
  g_test_message ("%" G_GUINT64_FORMAT " images, %" G_GUINT64_FORMAT
                  " steps of several, %" G_GUINT64_FORMAT " withdrawn",
      n_images, more_than_one, stats.n_withdrawn);
  g_assert_cmpuint (n_right, ==, stats.n_inferences);
  g_assert_cmpuint (n_images, ==, stats.n_inferences);
  g_assert_cmpuint (n_withdrawn, ==, stats.n_withdrawn);
  g_assert_cmpuint (stats.n_failed, ==, 0);
  g_assert_cmpuint (stats.n_streams, ==, 1);
  g_assert_cmpuint (more_than_one, >, 0);
  y10_engine_stream_unref (holder);
  g_assert_cmpuint (y10_shared_engine_count (), ==, 0);
}

static gint playing;

static void *
lose_again_and_again (void *data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  while (g_atomic_int_get (&playing)) {
    shared_sim ()->lose ((guint) g_rand_int_range (rand, 1, 2000), 700);
    g_usleep (200000);
  }
  return NULL;
}

/* Whenever the GPU is lost, each thread opens its stream again, while others
 * still have images in the lost engine. */
static void
test_many_lost (void)
{
  Source sources[N_SOURCES];
  guint n_lost = 0, n_right = 0;
  pthread_t loser;

  g_atomic_int_set (&playing, TRUE);
  pthread_create (&loser, NULL, lose_again_and_again, NULL);
  run_sources (sources);
  g_atomic_int_set (&playing, FALSE);
  pthread_join (loser, NULL);
  shared_sim ()->lose (0, 0);
  for (guint i = 0; i < N_SOURCES; i++) {
    n_lost += sources[i].n_lost;
    n_right += sources[i].n_right;
  }
  g_test_message ("%u right, %u lost", n_right, n_lost);
  g_assert_cmpuint (n_lost, >, 0);
  g_assert_cmpuint (n_right, >, 0);
  g_assert_cmpuint (y10_shared_engine_count (), ==, 0);
}

int
main (int argc, char **argv)
{
  const GOptionEntry options[] = { { "images", 0, 0, G_OPTION_ARG_INT,
                                       &n_images_option, "of all streams",
                                       "N" },
    { NULL } };
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!shared_begin (&argc, &argv, options))
    return 2;
  g_test_add_func ("/group/many", test_many);
  if (shared_sim ())
    g_test_add_func ("/group/many-lost", test_many_lost);
  status = g_test_run ();
  shared_end ();
  return status;
}
