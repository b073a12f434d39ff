/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Streams that share an engine: which streams share one, that each gets the
 * results that it would get alone while others come and go, also for an image in
 * parts, and that after the loss of a GPU one new engine serves all of them.
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
  Y10EngineStreamStats stats = { .size = sizeof stats };
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
  g_assert_cmpuint (y10_shared_engine_count (), ==, 0);
}

/* A file that was written again under the same name is another file. */
static void
test_other_file (void)
{
  g_autofree char *path = test_path ("same.safetensors");
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
  g_assert_cmpint (shot.request.wait_time, >, 0);
  shot.params.confidence = 2;
  g_assert_false (y10_engine_stream_submit (stream, &shot.request, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "confidence is 2", NULL);
  g_assert_cmpint (shot.request.n_detections, ==, -1);
  g_assert_cmpint (shot.request.wait_time, ==, 0);
  y10_engine_request_end (&shot.request);
  shot_infer (stream, 1);
  y10_engine_stream_unref (stream);

  shared_init_config (&config);
  config.width = 33;
  g_assert_null (
      y10_engine_stream_new (shared_model (), &config, NULL, 0, NULL, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "width is 33", NULL);
  g_assert_cmpuint (y10_shared_engine_count (), ==, 0);
}

/* Asserts that a request's times are those of its steps, one after the other, since
 * @start, in microseconds. */
static void
assert_times (const Y10EngineStream *stream, const Y10EngineRequest *request,
    gint64 start)
{
  const gint64 took = (g_get_monotonic_time () + 1 - start) * 1000;

  g_assert_cmpint (request->preprocess_time, >, 0);
  g_assert_cmpint (request->inference_time, >, 0);
  g_assert_cmpint (request->step_time, >, 0);
  g_assert_cmpint (request->wait_time, >=, 0);
  g_assert_cmpint (request->wait_time + request->step_time, <=, took);
  /* A GPU's head is part of the network's graph, and the simulated one has a clock
   * of its own. */
  if (y10_engine_get_backend (engine_of (stream)) == Y10_BACKEND_CUDA)
    return;
  g_assert_cmpint (request->postprocess_time, >, 0);
  g_assert_cmpint (request->preprocess_time + request->inference_time
          + request->postprocess_time,
      <=, took);
}

/* An image without objects is a result like any other: images behind it in the
 * same step have theirs. */
static void
test_empty (void)
{
  Y10EngineConfig config;
  g_autoptr (Y10EngineStream) stream = NULL;
  GError *error = NULL;
  Shot empty = { 0 }, shot = { 0 };
  gint64 start = g_get_monotonic_time ();

  shared_init_config (&config);
  config.max_batch = 2;
  config.batch_timeout = 60 * G_USEC_PER_SEC;
  stream = shared_open_as (&config, "empty");
  shot_submit (&empty, stream, 0);
  shot_submit (&shot, stream, 1);
  for (guint i = 0; i < 2; i++) {
    g_assert_true (y10_engine_request_wait (&shot.request, -1));
    shot_assert_right (&shot);
    g_assert_true (y10_engine_request_wait (&empty.request, -1));
    assert_times (stream, &shot.request, start);
    assert_times (stream, &empty.request, start);
    if (i == 0) {
      start = g_get_monotonic_time ();
      shot_assert_right (&empty);
      empty.params.confidence = 1;
      y10_engine_stream_submit (stream, &empty.request, &error);
      g_assert_no_error (error);
      y10_engine_stream_submit (stream, &shot.request, &error);
      g_assert_no_error (error);
    }
  }
  g_assert_no_error (empty.request.error);
  g_assert_cmpint (empty.request.n_detections, ==, 0);
}

/* Submits two requests into one step. Those in @bad, a bit each, can no longer be added
 * when it begins, because the size of their parameters has been spoilt meanwhile. */
static void
assert_fail_alone (Y10EngineStream *stream, guint bad)
{
  Y10Step held[4];
  Shot shots[2] = { 0 };
  guint n = 0;

  /* The step begins once a slot is free. */
  while (y10_step_begin (engine_of (stream), 0, &held[n], NULL))
    n++;
  for (guint i = 0; i < 2; i++)
    shot_submit (&shots[i], stream, i);
  for (guint i = 0; i < 2; i++)
    if (bad & 1u << i)
      shots[i].params.size = 1;
  while (n)
    y10_step_end (&held[--n]);
  for (guint i = 0; i < 2; i++) {
    g_assert_true (y10_engine_request_wait (&shots[i].request, -1));
    if (!(bad & 1u << i)) {
      shot_assert_right (&shots[i]);
      continue;
    }
    test_expect_error (g_steal_pointer (&shots[i].request.error),
        Y10_ERROR_INVALID_ARGUMENT, "Y10HeadParams.size is 1", NULL);
    g_assert_cmpint (shots[i].request.n_detections, ==, -1);
  }
}

/* An image that cannot be added to its step fails alone, and the next step begins. */
static void
test_fail_alone (void)
{
  Y10EngineConfig config;
  g_autoptr (Y10EngineStream) stream = NULL;

  shared_init_config (&config);
  config.max_batch = 2;
  config.batch_timeout = 60 * G_USEC_PER_SEC;
  stream = shared_open_as (&config, "fail-alone");
  for (guint bad = 1; bad <= 4; bad++)
    assert_fail_alone (stream, bad % 4);
}

#define WIDTH 200
#define HEIGHT 120
#define N_PARTS 10

/* A picture of noise in parts. Its detections are those of each part alone,
 * merged. */
typedef struct
{
  guint8 pixels[WIDTH * HEIGHT * 3];
  Y10Image image;
  Y10HeadParams params;
  Y10Region *region;
  Y10Part parts[N_PARTS];
  Y10Detection rows[N_PARTS + 1][SHARED_MAX_ROWS];
  Y10EngineRequest request;
  Y10Detection expected[SHARED_MAX_ROWS];
  gint n_expected;
} Tiled;

static void
infer_alone (Tiled *tiled, Y10EngineStream *stream, guint part)
{
  Y10Part *p = &tiled->parts[part];
  Y10EngineRequest request = { .size = sizeof request };
  Y10HeadParams params;
  GError *error = NULL;
  Y10Image image;

  y10_part_get_image (p, &tiled->image, &image);
  y10_parts_get_params (&tiled->params, SHARED_MAX_ROWS, &params);
  request.image = &image;
  request.params = &params;
  request.detections = p->detections;
  request.max_detections = p->max_detections;
  y10_engine_stream_submit (stream, &request, &error);
  g_assert_no_error (error);
  g_assert_true (y10_engine_request_wait (&request, -1));
  g_assert_no_error (request.error);
  p->n_detections = request.n_detections;
  g_assert_cmpint (p->n_detections, >, 0);
}

static Tiled *
make_tiled (Y10EngineStream *stream)
{
  Tiled *self = g_new0 (Tiled, 1);
  GRand *rand = g_rand_new_with_seed (24);
  Y10Tiles tiles = { .size = sizeof tiles };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;
  guint n;

  for (guint i = 0; i < sizeof self->pixels; i++)
    self->pixels[i] = (guint8) g_rand_int (rand);
  g_rand_free (rand);
  self->image = (Y10Image){
    .size = sizeof self->image,
    .format = Y10_PIXEL_RGB,
    .width = WIDTH,
    .height = HEIGHT,
    .plane[0] = self->pixels,
    .stride[0] = WIDTH * 3,
  };
  self->params = params;
  self->params.confidence = 0;
  self->params.max_detections = SHARED_MAX_ROWS;
  self->region = y10_region_parse ("0,0 1,0.9", &error);
  g_assert_no_error (error);
  g_assert_true (y10_tiles_parse ("3x3", &tiles, NULL));
  g_assert_true (y10_parts_plan (&self->image, self->region, &tiles, 32, 32,
      self->parts, N_PARTS, &n, NULL));
  g_assert_cmpuint (n, ==, N_PARTS);
  for (guint i = 0; i < N_PARTS; i++) {
    self->parts[i].detections = self->rows[i];
    self->parts[i].max_detections = SHARED_MAX_ROWS;
    infer_alone (self, stream, i);
  }
  self->n_expected = (gint) y10_parts_merge (&self->image, self->parts, N_PARTS,
      &self->params, self->region, Y10_REGION_ANCHOR_BOTTOM, self->expected,
      SHARED_MAX_ROWS);
  g_assert_cmpint (self->n_expected, >, 0);
  self->request = (Y10EngineRequest){
    .size = sizeof self->request,
    .image = &self->image,
    .params = &self->params,
    .parts = self->parts,
    .n_parts = N_PARTS,
    .region = self->region,
    .detections = self->rows[N_PARTS],
    .max_detections = SHARED_MAX_ROWS,
  };
  return self;
}

static void
free_tiled (Tiled *self)
{
  y10_engine_request_end (&self->request);
  y10_region_unref (self->region);
  g_free (self);
}

/* An image in parts, beside whole images of another stream. A step has room for
 * fewer images than there are parts. */
static void
test_parts (void)
{
  Y10EngineStream *one = shared_open (), *other = shared_open ();
  Tiled *tiled = make_tiled (one);
  GError *error = NULL;

  y10_engine_stream_expect_parts (one, N_PARTS);
  y10_engine_stream_expect_parts (one, 3);
  for (guint i = 0; i < 3; i++) {
    const gint64 start = g_get_monotonic_time ();
    Shot shot = { 0 };

    y10_engine_stream_submit (one, &tiled->request, &error);
    g_assert_no_error (error);
    shot_submit (&shot, other, i);
    g_assert_true (y10_engine_request_wait (&shot.request, -1));
    shot_assert_right (&shot);
    assert_times (other, &shot.request, start);
    g_assert_true (y10_engine_request_wait (&tiled->request, -1));
    g_assert_no_error (tiled->request.error);
    g_assert_cmpint (tiled->request.n_detections, ==, tiled->n_expected);
    g_assert_cmpmem (tiled->rows[N_PARTS],
        (gsize) tiled->n_expected * sizeof (Y10Detection), tiled->expected,
        (gsize) tiled->n_expected * sizeof (Y10Detection));
    assert_times (one, &tiled->request, start);
  }
  /* A part that is not in the image. */
  tiled->parts[9].x++;
  g_assert_false (y10_engine_stream_submit (one, &tiled->request, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "part 9 of a request", "within the image of 200 x 120", NULL);
  tiled->parts[9].x--;
  tiled->request.n_parts = 66;
  g_assert_false (y10_engine_stream_submit (one, &tiled->request, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "66 parts", "at most 65", NULL);
  tiled->request.n_parts = N_PARTS;
  tiled->request.parts = NULL;
  g_assert_false (y10_engine_stream_submit (one, &tiled->request, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "parts", "no array of them", NULL);
  tiled->request.parts = tiled->parts;
  tiled->parts[3].detections = NULL;
  g_assert_false (y10_engine_stream_submit (one, &tiled->request, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "part 3 of a request", "no array of detections", NULL);
  tiled->parts[3].detections = tiled->rows[3];
  free_tiled (tiled);
  y10_engine_stream_unref (one);
  y10_engine_stream_unref (other);
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
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
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
  g_assert_cmpuint (y10_shared_engine_count (), ==, 0);
  g_free (shots);
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
  g_assert_cmpuint (y10_shared_engine_count (), ==, 1);
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
  g_assert_cmpuint (y10_shared_engine_count (), ==, 1);
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
  g_test_add_func ("/group/empty", test_empty);
  g_test_add_func ("/group/fail-alone", test_fail_alone);
  g_test_add_func ("/group/parts", test_parts);
  g_test_add_func ("/group/together", test_together);
  g_test_add_func ("/group/come-and-go", test_come_and_go);
  if (shared_sim ())
    g_test_add_func ("/group/lost", test_lost);
  status = g_test_run ();
  shared_end ();
  return status;
}
