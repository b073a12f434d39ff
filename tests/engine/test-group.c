/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Streams that share an engine: who shares with whom, that each gets what it
 * would get alone, also in a step with others and while streams come and go, and
 * that a GPU that is lost comes back once for all of them.
 *
 * test-group [--backend B]; on cuda it is the simulated one. */

#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>

#include "control.h"
#include "group-private.h"
#include "util.h"

#define SIZE 32
#define MAX_ROWS 63
#define N_STREAMS 8
#define N_PICTURES 5
#define ROUNDS 40               /* images of a stream in the tests of many */
#define CHANGES 500

static char *backend_option;
static Y10BackendKind backend = Y10_BACKEND_REF;
static Y10Model *model;
static const Y10SimControl *sim;        /* NULL: another backend */

static float *pictures[N_PICTURES];
static Y10Detection wanted[N_PICTURES][MAX_ROWS];
static guint n_wanted[N_PICTURES];

static void
init_config (Y10EngineConfig *config)
{
  y10_engine_config_init (config);
  config->backend = backend;
  config->precision = Y10_PRECISION_FP32;
  config->width = config->height = SIZE;
  config->max_rows = MAX_ROWS;
  config->threads = 1;
  config->max_batch = N_STREAMS;
  config->tune = FALSE;
}

static Y10EngineStream *
open_as (const Y10EngineConfig *config, const char *group)
{
  GError *error = NULL;
  Y10EngineStream *stream =
      y10_engine_stream_new (model, config, group, 0, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (stream);
  return stream;
}

static Y10EngineStream *
open_stream (void)
{
  Y10EngineConfig config;

  init_config (&config);
  return open_as (&config, NULL);
}

/* What an engine of its own finds, in steps of one image. */
static void
find_wanted (void)
{
  Y10EngineConfig config;
  GError *error = NULL;
  Y10Engine *engine;

  init_config (&config);
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_PICTURES; i++) {
    pictures[i] = test_pixels (engine, i);
    n_wanted[i] = test_detect (engine, pictures[i], wanted[i], MAX_ROWS);
    g_assert_cmpuint (n_wanted[i], >, 0);
  }
  y10_engine_unref (engine);
}

/* One image, with room for what is found in it. */
typedef struct
{
  Y10EngineFrame frame;
  Y10Detection rows[MAX_ROWS];
  guint picture;
} Shot;

static void
submit (Y10EngineStream *stream, Shot *shot, guint picture)
{
  const Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;

  shot->frame.params = params;
  shot->frame.params.confidence = 0;
  shot->frame.params.max_detections = MAX_ROWS;
  shot->frame.detections = shot->rows;
  shot->frame.max_detections = MAX_ROWS;
  shot->picture = picture;
  test_tensor_image (y10_engine_stream_get_engine (stream), pictures[picture],
      &shot->frame.image);
  y10_engine_stream_submit (stream, &shot->frame, &error);
  g_assert_no_error (error);
}

static void
assert_right (const Shot *shot)
{
  g_assert_no_error (shot->frame.error);
  g_assert_cmpint (shot->frame.n_detections, ==,
      (gint) n_wanted[shot->picture]);
  /* Another number of images may be computed in another way on a real GPU, and
   * two that are nearly as good change places. */
  if (backend == Y10_BACKEND_CUDA && !sim) {
    for (guint i = 0; i < n_wanted[shot->picture]; i++)
      g_assert_cmpfloat_with_epsilon (shot->rows[i].score,
          wanted[shot->picture][i].score, 1e-3);
    return;
  }
  g_assert_cmpmem (shot->rows, n_wanted[shot->picture] * sizeof *shot->rows,
      wanted[shot->picture], n_wanted[shot->picture] * sizeof *shot->rows);
}

static void
infer (Y10EngineStream *stream, guint picture)
{
  Shot shot = { 0 };

  submit (stream, &shot, picture);
  g_assert_true (y10_engine_frame_wait (&shot.frame, -1));
  assert_right (&shot);
}

static Y10Engine *
engine_of (const Y10EngineStream *stream)
{
  return y10_engine_stream_get_engine (stream);
}

static void
assert_another (Y10EngineStream *one, Y10EngineConfig *config,
    const char *group)
{
  Y10EngineStream *other = open_as (config, group);

  g_assert_true (engine_of (other) != engine_of (one));
  y10_engine_stream_unref (other);
  init_config (config);
}

static void
test_who_shares (void)
{
  Y10EngineStream *one = open_stream (), *two;
  Y10EngineStreamStats stats;
  Y10EngineConfig config;

  init_config (&config);
  two = open_as (&config, "");
  g_assert_true (engine_of (two) == engine_of (one));
  y10_engine_stream_get_stats (two, &stats);
  g_assert_cmpuint (stats.n_streams, ==, 2);
  g_assert_cmpuint (stats.weights_size, >, 0);
  g_assert_cmpuint (stats.arenas_size, >, 0);

  /* What the model says, said. */
  config.head = Y10_HEAD_ONE2ONE;
  y10_engine_stream_unref (two);
  two = open_as (&config, NULL);
  g_assert_true (engine_of (two) == engine_of (one));
  init_config (&config);

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
  infer (two, 0);
  y10_engine_stream_unref (two);
  g_assert_cmpuint (y10_group_count (), ==, 0);
}

/* Written again with the same name, it is another file. */
static void
test_other_file (void)
{
  char *path = test_path ("same.safetensors");
  Y10EngineStream *streams[3];
  Y10EngineConfig config;
  GError *error = NULL;

  init_config (&config);
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
  Y10EngineStream *stream = open_stream ();
  Shot shot = { 0 };
  Y10EngineConfig config;
  GError *error = NULL;

  submit (stream, &shot, 0);
  g_assert_true (y10_engine_frame_wait (&shot.frame, -1));
  shot.frame.params.confidence = 2;
  g_assert_false (y10_engine_stream_submit (stream, &shot.frame, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "confidence is 2", NULL);
  g_assert_cmpint (shot.frame.n_detections, ==, -1);
  y10_engine_frame_end (&shot.frame);
  infer (stream, 1);
  y10_engine_stream_unref (stream);

  init_config (&config);
  config.width = 33;
  g_assert_null (y10_engine_stream_new (model, &config, NULL, 0, NULL, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "width is 33", NULL);
  g_assert_cmpuint (y10_group_count (), ==, 0);
}

static void *
stream_images (void *data)
{
  GRand *rand = g_rand_new_with_seed (GPOINTER_TO_UINT (data));
  Y10EngineStream *stream = open_stream ();
  Shot shots[3] = { 0 };

  for (guint i = 0; i < ROUNDS; i++) {
    guint n = (guint) g_rand_int_range (rand, 1, 4), left = 0;

    for (guint k = 0; k < n; k++)
      submit (stream, &shots[k],
          (guint) g_rand_int_range (rand, 0, N_PICTURES));
    if (g_rand_int_range (rand, 0, 4) == 0)
      y10_engine_stream_withdraw (stream);
    for (guint k = 0; k < n; k++) {
      g_assert_true (y10_engine_frame_wait (&shots[k].frame, -1));
      if (shots[k].frame.n_detections < 0)
        left++;                 /* withdrawn */
      else
        assert_right (&shots[k]);
    }
    g_assert_cmpuint (left, <=, n);
  }
  y10_engine_stream_unref (stream);
  g_rand_free (rand);
  return NULL;
}

/* Each gets its own results, whoever else is in its step. */
static void
test_many (void)
{
  Y10EngineStream *holder = open_stream ();
  Y10EngineStreamStats stats;
  pthread_t threads[N_STREAMS];
  guint64 n_images = 0, more_than_one = 0;

  for (guint i = 0; i < N_STREAMS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, stream_images,
            GUINT_TO_POINTER (i + 1)), ==, 0);
  for (guint i = 0; i < N_STREAMS; i++)
    pthread_join (threads[i], NULL);
  y10_engine_stream_get_stats (holder, &stats);
  for (guint i = 1; i <= Y10_STREAM_MAX_BATCH; i++) {
    n_images += i * stats.fill[i];
    more_than_one += i > 1 ? stats.fill[i] : 0;
  }
  g_assert_cmpuint (n_images, ==, stats.n_inferences);
  g_assert_cmpuint (stats.n_failed, ==, 0);
  g_assert_cmpuint (stats.n_streams, ==, 1);
  g_assert_cmpuint (more_than_one, >, 0);
  g_test_message ("%" G_GUINT64_FORMAT " images, %" G_GUINT64_FORMAT
      " steps of several, %" G_GUINT64_FORMAT " withdrawn", n_images,
      more_than_one, stats.n_withdrawn);
  y10_engine_stream_unref (holder);
  g_assert_cmpuint (y10_group_count (), ==, 0);
}

static gboolean playing;

static void *
play_on (void *data)
{
  Y10EngineStream *stream = data;
  guint64 n = 0;

  while (g_atomic_int_get (&playing))
    infer (stream, (guint) (n++ % N_PICTURES));
  return NULL;
}

/* Streams come and go, with images queued, while two go on. */
static void
test_come_and_go (void)
{
  GRand *rand = g_rand_new_with_seed (1);
  Y10EngineStream *lasting[2] = { open_stream (), open_stream () };
  Y10EngineStream *others[N_STREAMS] = { NULL };
  Shot *shots = g_new0 (Shot, N_STREAMS);
  pthread_t threads[2];

  g_atomic_int_set (&playing, TRUE);
  for (guint i = 0; i < 2; i++)
    pthread_create (&threads[i], NULL, play_on, lasting[i]);
  for (guint i = 0; i < CHANGES; i++) {
    guint k = (guint) g_rand_int_range (rand, 0, N_STREAMS);

    if (!others[k]) {
      others[k] = open_stream ();
      g_assert_true (engine_of (others[k]) == engine_of (lasting[0]));
      submit (others[k], &shots[k], k % N_PICTURES);
    } else if (g_rand_boolean (rand)) {
      y10_engine_stream_withdraw (others[k]);
      y10_engine_frame_end (&shots[k].frame);
      submit (others[k], &shots[k], k % N_PICTURES);
    } else {
      y10_engine_frame_end (&shots[k].frame);
      g_clear_pointer (&others[k], y10_engine_stream_unref);
      memset (&shots[k], 0, sizeof shots[k]);
    }
  }
  g_atomic_int_set (&playing, FALSE);
  for (guint i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  for (guint k = 0; k < N_STREAMS; k++) {
    y10_engine_frame_end (&shots[k].frame);
    y10_engine_stream_unref (others[k]);
  }
  y10_engine_stream_unref (lasting[0]);
  y10_engine_stream_unref (lasting[1]);
  g_assert_cmpuint (y10_group_count (), ==, 0);
  g_free (shots);
  g_rand_free (rand);
}

static void *
open_one (void *data)
{
  return open_stream ();
}

/* All at once: one of them makes it, the others wait for that. */
static void
test_together (void)
{
  Y10EngineStream *streams[N_STREAMS];
  pthread_t threads[N_STREAMS];

  for (guint i = 0; i < N_STREAMS; i++)
    pthread_create (&threads[i], NULL, open_one, NULL);
  for (guint i = 0; i < N_STREAMS; i++)
    pthread_join (threads[i], (void **) &streams[i]);
  g_assert_cmpuint (y10_group_count (), ==, 1);
  for (guint i = 0; i < N_STREAMS; i++) {
    g_assert_true (engine_of (streams[i]) == engine_of (streams[0]));
    infer (streams[i], i % N_PICTURES);
  }
  for (guint i = 0; i < N_STREAMS; i++)
    y10_engine_stream_unref (streams[i]);
}

/* What is with the lost one fails, and all find themselves on one new one. */
static void
test_lost (void)
{
  Y10EngineStream *streams[N_STREAMS], *again[N_STREAMS];
  Shot *shots = g_new0 (Shot, N_STREAMS);

  for (guint i = 0; i < N_STREAMS; i++)
    streams[i] = open_stream ();
  infer (streams[0], 0);
  sim->lose (5, 700);
  for (guint i = 0; i < N_STREAMS; i++)
    submit (streams[i], &shots[i], i % N_PICTURES);
  for (guint i = 0; i < N_STREAMS; i++) {
    g_assert_true (y10_engine_frame_wait (&shots[i].frame, -1));
    g_assert_error (shots[i].frame.error, Y10_ERROR, Y10_ERROR_DEVICE_LOST);
    y10_engine_frame_end (&shots[i].frame);
  }
  for (guint i = 0; i < N_STREAMS; i++)
    y10_engine_stream_unref (streams[i]);
  for (guint i = 0; i < N_STREAMS; i++) {
    again[i] = open_stream ();
    g_assert_true (engine_of (again[i]) == engine_of (again[0]));
    infer (again[i], i % N_PICTURES);
  }
  g_assert_cmpuint (y10_group_count (), ==, 1);
  for (guint i = 0; i < N_STREAMS; i++)
    y10_engine_stream_unref (again[i]);
  g_free (shots);
}

static gboolean
parse (int *argc, char ***argv)
{
  const GOptionEntry entries[] = {
    {"backend", 0, 0, G_OPTION_ARG_STRING, &backend_option,
        "ref, cpu or cuda", "B"},
    {NULL}
  };
  GOptionContext *options = g_option_context_new (NULL);
  gboolean ok;

  g_option_context_add_main_entries (options, entries, NULL);
  ok = g_option_context_parse (options, argc, argv, NULL);
  g_option_context_free (options);
  for (guint i = Y10_BACKEND_REF; backend_option && i <= Y10_BACKEND_CUDA; i++)
    if (!strcmp (y10_backend_get_name (i), backend_option))
      backend = i;
  return ok;
}

int
main (int argc, char **argv)
{
  Y10TestTensors *tensors;
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!parse (&argc, &argv))
    return 2;
  tensors = test_tensors ("pico-nc3", 0);
  model = test_model (tensors, NULL);
  find_wanted ();
  sim = backend == Y10_BACKEND_CUDA ? y10_sim_control_get () : NULL;
  g_test_add_func ("/group/who-shares", test_who_shares);
  g_test_add_func ("/group/other-file", test_other_file);
  g_test_add_func ("/group/refused", test_refused);
  g_test_add_func ("/group/together", test_together);
  g_test_add_func ("/group/many", test_many);
  g_test_add_func ("/group/come-and-go", test_come_and_go);
  if (sim)
    g_test_add_func ("/group/lost", test_lost);
  status = g_test_run ();
  for (guint i = 0; i < N_PICTURES; i++)
    g_free (pictures[i]);
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
  test_dir_remove ();
  g_free (backend_option);
  return status;
}
