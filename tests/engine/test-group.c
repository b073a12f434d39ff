/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Streams that share an engine: which streams share one, that each gets the
 * results that it would get alone while others come and go, and that after the
 * loss of a GPU one new engine serves all of them.
 *
 * test-group [--backend B]; on cuda it is the simulated one. */

#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>

#include "stream/shared.h"
#include "groupcommon.h"
#include "util.h"

#define N_STREAMS 8
#define CHANGES 500

static Y10Engine *
engine_of (const Y10EngineStream *stream)
{
  return y10_engine_stream_get_engine (stream);
}

static void
assert_another (Y10EngineStream *one, Y10EngineConfig *config,
    const char *group)
{
  Y10EngineStream *other = shared_open_as (config, group);

  g_assert_true (engine_of (other) != engine_of (one));
  y10_engine_stream_unref (other);
  shared_init_config (config);
}

static void
test_who_shares (void)
{
  Y10EngineStream *one = shared_open (), *two;
  Y10EngineStreamStats stats = {.size = sizeof stats };
  Y10EngineConfig config;

  shared_init_config (&config);
  two = shared_open_as (&config, "");
  g_assert_true (engine_of (two) == engine_of (one));
  y10_engine_stream_get_stats (two, &stats);
  g_assert_cmpuint (stats.n_streams, ==, 2);
  g_assert_cmpuint (stats.weights_size, >, 0);
  g_assert_cmpuint (stats.arenas_size, >, 0);

  /* The model's own head, given explicitly, makes no difference. */
  config.head = Y10_HEAD_ONE2ONE;
  y10_engine_stream_unref (two);
  two = shared_open_as (&config, NULL);
  g_assert_true (engine_of (two) == engine_of (one));
  shared_init_config (&config);

  assert_another (one, &config, "else");
  config.width = 64;
  assert_another (one, &config, NULL);
  config.head = Y10_HEAD_ONE2MANY;
  assert_another (one, &config, NULL);
  config.max_batch = 2;
  assert_another (one, &config, NULL);
  y10_engine_stream_get_stats (one, &stats);
  g_assert_cmpuint (stats.n_streams, ==, 2);
  y10_engine_stream_unref (one);
  shot_infer (two, 0);
  y10_engine_stream_unref (two);
  g_assert_cmpuint (y10_shared_count (), ==, 0);
}

/* A file that was written again under the same name is another file. */
static void
test_other_file (void)
{
  char *path = test_path ("same.safetensors");
  Y10EngineStream *streams[3];
  Y10EngineConfig config;
  GError *error = NULL;

  shared_init_config (&config);
  for (guint i = 0; i < 3; i++) {
    Y10TestTensors *tensors = test_tensors ("pico-nc3", i);
    Y10Model *loaded;

    if (i != 1) {
      y10_test_tensors_write (tensors, path, NULL, &error);
      g_assert_no_error (error);
    }
    loaded = y10_model_load (path, NULL, &error);
    g_assert_no_error (error);
    streams[i] = y10_engine_stream_new (loaded, &config, NULL, 0, NULL, &error);
    g_assert_no_error (error);
    y10_model_unref (loaded);
    y10_test_tensors_free (tensors);
  }
  g_assert_true (engine_of (streams[0]) == engine_of (streams[1]));
  g_assert_true (engine_of (streams[1]) != engine_of (streams[2]));
  for (guint i = 0; i < 3; i++)
    y10_engine_stream_unref (streams[i]);
  g_unlink (path);
  g_free (path);
}

static void
test_refused (void)
{
  Y10EngineStream *stream = shared_open ();
  Shot shot = { 0 };
  Y10EngineConfig config;
  GError *error = NULL;

  shot_submit (&shot, stream, 0);
  g_assert_true (y10_engine_request_wait (&shot.request, -1));
  shot.params.confidence = 2;
  g_assert_false (y10_engine_stream_submit (stream, &shot.request, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "confidence is 2", NULL);
  g_assert_cmpint (shot.request.n_detections, ==, -1);
  y10_engine_request_end (&shot.request);
  shot_infer (stream, 1);
  y10_engine_stream_unref (stream);

  shared_init_config (&config);
  config.width = 33;
  g_assert_null (y10_engine_stream_new (shared_model (), &config, NULL, 0, NULL,
          &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "width is 33", NULL);
  g_assert_cmpuint (y10_shared_count (), ==, 0);
}

static gboolean playing;

static void *
play_on (void *data)
{
  Y10EngineStream *stream = data;
  guint64 n = 0;

  while (g_atomic_int_get (&playing))
    shot_infer (stream, (guint) (n++ % N_PICTURES));
  return NULL;
}

/* Streams come and go, with images queued, while two others continue. */
static void
test_come_and_go (void)
{
  GRand *rand = g_rand_new_with_seed (1);
  Y10EngineStream *lasting[2] = { shared_open (), shared_open () };
  Y10EngineStream *others[N_STREAMS] = { NULL };
  Shot *shots = g_new0 (Shot, N_STREAMS);
  pthread_t threads[2];

  g_atomic_int_set (&playing, TRUE);
  for (guint i = 0; i < 2; i++)
    pthread_create (&threads[i], NULL, play_on, lasting[i]);
  for (guint i = 0; i < CHANGES; i++) {
    guint k = (guint) g_rand_int_range (rand, 0, N_STREAMS);

    if (!others[k]) {
      others[k] = shared_open ();
      g_assert_true (engine_of (others[k]) == engine_of (lasting[0]));
      shot_submit (&shots[k], others[k], k % N_PICTURES);
    } else if (g_rand_boolean (rand)) {
      y10_engine_stream_withdraw (others[k]);
      y10_engine_request_end (&shots[k].request);
      shot_submit (&shots[k], others[k], k % N_PICTURES);
    } else {
      y10_engine_request_end (&shots[k].request);
      g_clear_pointer (&others[k], y10_engine_stream_unref);
      memset (&shots[k], 0, sizeof shots[k]);
    }
  }
  g_atomic_int_set (&playing, FALSE);
  for (guint i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  for (guint k = 0; k < N_STREAMS; k++) {
    y10_engine_request_end (&shots[k].request);
    y10_engine_stream_unref (others[k]);
  }
  y10_engine_stream_unref (lasting[0]);
  y10_engine_stream_unref (lasting[1]);
  g_assert_cmpuint (y10_shared_count (), ==, 0);
  g_free (shots);
  g_rand_free (rand);
}

static void *
open_one (void *data)
{
  return shared_open ();
}

/* Opens streams simultaneously: one creates the engine, and the others wait for
 * it. */
static void
test_together (void)
{
  Y10EngineStream *streams[N_STREAMS];
  pthread_t threads[N_STREAMS];

  for (guint i = 0; i < N_STREAMS; i++)
    pthread_create (&threads[i], NULL, open_one, NULL);
  for (guint i = 0; i < N_STREAMS; i++)
    pthread_join (threads[i], (void **) &streams[i]);
  g_assert_cmpuint (y10_shared_count (), ==, 1);
  for (guint i = 0; i < N_STREAMS; i++) {
    g_assert_true (engine_of (streams[i]) == engine_of (streams[0]));
    shot_infer (streams[i], i % N_PICTURES);
  }
  for (guint i = 0; i < N_STREAMS; i++)
    y10_engine_stream_unref (streams[i]);
}

/* Requests in the lost engine fail, and all streams share one new engine. */
static void
test_lost (void)
{
  Y10EngineStream *streams[N_STREAMS], *again[N_STREAMS];
  Shot *shots = g_new0 (Shot, N_STREAMS);

  for (guint i = 0; i < N_STREAMS; i++)
    streams[i] = shared_open ();
  shot_infer (streams[0], 0);
  shared_sim ()->lose (5, 700);
  for (guint i = 0; i < N_STREAMS; i++)
    shot_submit (&shots[i], streams[i], i % N_PICTURES);
  for (guint i = 0; i < N_STREAMS; i++) {
    g_assert_true (y10_engine_request_wait (&shots[i].request, -1));
    g_assert_error (shots[i].request.error, Y10_ERROR, Y10_ERROR_DEVICE_LOST);
    y10_engine_request_end (&shots[i].request);
  }
  for (guint i = 0; i < N_STREAMS; i++)
    y10_engine_stream_unref (streams[i]);
  for (guint i = 0; i < N_STREAMS; i++) {
    again[i] = shared_open ();
    g_assert_true (engine_of (again[i]) == engine_of (again[0]));
    shot_infer (again[i], i % N_PICTURES);
  }
  g_assert_cmpuint (y10_shared_count (), ==, 1);
  for (guint i = 0; i < N_STREAMS; i++)
    y10_engine_stream_unref (again[i]);
  g_free (shots);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!shared_begin (&argc, &argv, NULL))
    return 2;
  g_test_add_func ("/group/who-shares", test_who_shares);
  g_test_add_func ("/group/other-file", test_other_file);
  g_test_add_func ("/group/refused", test_refused);
  g_test_add_func ("/group/together", test_together);
  g_test_add_func ("/group/come-and-go", test_come_and_go);
  if (shared_sim ())
    g_test_add_func ("/group/lost", test_lost);
  status = g_test_run ();
  shared_end ();
  return status;
}
