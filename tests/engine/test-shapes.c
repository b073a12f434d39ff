/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* An engine with an input size for each shape of images: which size an image gets, that its
 * rows are bit for bit those of an engine of that size alone, that only so many plans are
 * kept, and that cameras of different shapes get equal shares. --backend NAME */

#include <string.h>

#include "core/image.h"
#include "run/fit.h"
#include "run/engine.h"
#include "run/shape.h"
#include "pico.h"

#define SIZE 128 /* of the input's longer side */
#define MAX_ROWS 63

static Y10BackendKind backend = Y10_BACKEND_REF;
static guint8 noise[SIZE * SIZE * 3];

static Y10Engine *
make_engine (guint width, guint height, gboolean auto_size)
{
  Y10EngineConfig config;

  pico_config_init (&config, backend);
  config.precision = Y10_PRECISION_FP32;
  config.width = width;
  config.height = height;
  config.auto_size = auto_size;
  config.max_batch = 2;
  config.n_slots = 2;
  config.threads = 1;
  return pico_engine (&config, NULL);
}

static void
init_image (Y10Image *image, guint width, guint height)
{
  *image = (Y10Image){
    .size = sizeof *image,
    .format = Y10_PIXEL_RGB,
    .width = width,
    .height = height,
    .plane = { noise },
    .stride = { (gsize) width * 3 },
  };
}

static void
init_params (Y10HeadParams *params)
{
  *params = (Y10HeadParams) Y10_HEAD_PARAMS_INIT;
  params->confidence = 0;
  params->max_detections = MAX_ROWS;
}

static guint
detect (Y10Engine *engine, guint width, guint height, Y10Detection *rows)
{
  Y10HeadParams params;
  GError *error = NULL;
  Y10Image image;
  Y10Step step;
  gint n;

  init_image (&image, width, height);
  init_params (&params);
  y10_step_begin (engine, -1, &step, &error);
  g_assert_no_error (error);
  y10_step_add (&step, &image, &params, &error);
  g_assert_no_error (error);
  y10_step_submit (&step, &error);
  g_assert_no_error (error);
  y10_step_wait (&step, -1, &error);
  g_assert_no_error (error);
  n = y10_step_read (&step, 0, rows, MAX_ROWS, &error);
  g_assert_no_error (error);
  y10_step_end (&step);
  return (guint) n;
}

static void
assert_size (const Y10Engine *engine, const Y10Image *image,
    const Y10Part *parts, guint n_parts, guint width, guint height)
{
  guint found[2];

  y10_engine_choose_input_size (engine, image, parts, n_parts, &found[0],
      &found[1]);
  g_assert_cmpuint (found[0], ==, width);
  g_assert_cmpuint (found[1], ==, height);
}

/* Columns: a picture and the input that Ultralytics 8.4.190 gives it at imgsz=640, from
 * LetterBox (auto=True, stride=32). */
static void
test_sizes (void)
{
  static const guint sizes[][4] = {
    { 1280, 720, 640, 384 },
    { 810, 1080, 480, 640 },
    { 640, 480, 640, 480 },
    { 640, 481, 640, 512 },
    { 1920, 1080, 640, 384 },
    { 640, 640, 640, 640 },
    { 1999, 1000, 640, 320 },
    { 1000, 501, 640, 352 },
    { 4000, 10, 640, 32 },
    { 7, 8192, 32, 640 },
    { 32, 32, 640, 640 },
    { 500, 333, 640, 448 },
    { 614, 461, 640, 512 },
    { 480, 640, 480, 640 },
    { 704, 576, 640, 544 },
  };
  g_autoptr (Y10Engine) engine = make_engine (640, 640, TRUE);
  g_autoptr (Y10Engine) fixed = make_engine (64, 32, FALSE);
  Y10Letterbox box;
  Y10Image image;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    init_image (&image, sizes[i][0], sizes[i][1]);
    assert_size (engine, &image, NULL, 0, sizes[i][2], sizes[i][3]);
    assert_size (fixed, &image, NULL, 0, 64, 32);
    y10_engine_fit_image (engine, &image, sizes[i][2], sizes[i][3], &box);
    /* The scale is that of the square, also where its rounding leaves no border. */
    g_assert_cmpfloat (box.scale, ==, 640.0 / MAX (sizes[i][0], sizes[i][1]));
    g_assert_cmpuint (box.width, <=, box.dst_width);
    g_assert_cmpuint (box.height, <=, box.dst_height);
    g_assert_cmpuint (box.left, ==, (box.dst_width - box.width) / 2);
    g_assert_cmpuint (box.top, ==, (box.dst_height - box.height) / 2);
  }
  /* As displayed: a PAL frame of 16:9. */
  init_image (&image, 704, 576);
  image.par_n = 16;
  image.par_d = 11;
  assert_size (engine, &image, NULL, 0, 640, 384);
}

/* Parts share the image's shape, or the square. */
static void
test_parts (void)
{
  g_autoptr (Y10Engine) engine = make_engine (640, 640, TRUE);
  Y10Tiles tiles = { .size = sizeof tiles };
  Y10Part parts[Y10_MAX_PARTS];
  Y10Image image;
  guint n;

  init_image (&image, 1920, 1080);
  for (guint i = 0; i < 4; i++) {
    static const char *const texts[] = { "2x2", "3x3", "2x1", "1x2" };

    g_assert_true (y10_tiles_parse (texts[i], &tiles, NULL));
    g_assert_true (y10_parts_plan (&image, NULL, &tiles, 640, 640, parts,
        Y10_MAX_PARTS, &n, NULL));
    g_assert_cmpuint (n, >, 2);
    assert_size (engine, &image, parts, n, 640, i < 2 ? 384 : 640);
  }
  /* One that is out of shape is enough. */
  y10_part_set (&parts[0], &image, 0, 0, 960, 540);
  y10_part_set (&parts[1], &image, 100, 100, 200, 500);
  assert_size (engine, &image, parts, 1, 640, 384);
  assert_size (engine, &image, parts, 2, 640, 640);
}

/* More shapes than there are plans, twice, and the ones again that were freed. */
static void
test_rows (void)
{
  static const guint sizes[][2] = { { 128, 48 }, { 128, 96 }, { 48, 128 },
    { 128, 128 }, { 20, 128 }, { 128, 20 }, { 96, 128 }, { 128, 48 },
    { 128, 48 }, { 20, 128 } };
  g_autoptr (Y10Engine) engine = make_engine (SIZE, SIZE, TRUE);
  Y10Detection rows[MAX_ROWS], expected[MAX_ROWS];
  const gsize weights = y10_engine_get_weights_size (engine);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    const guint *size = sizes[i % G_N_ELEMENTS (sizes)];
    Y10Engine *alone = make_engine ((size[0] + 31) / 32 * 32,
        (size[1] + 31) / 32 * 32, FALSE);
    const guint n = detect (alone, size[0], size[1], expected);

    g_assert_cmpuint (n, >, 20);
    g_assert_cmpuint (detect (engine, size[0], size[1], rows), ==, n);
    g_assert_cmpmem (rows, n * sizeof *rows, expected, n * sizeof *rows);
    g_assert_cmpuint (y10_engine_count_shapes (engine), <=, 4);
    y10_engine_unref (alone);
  }
  g_assert_cmpuint (y10_engine_count_shapes (engine), ==, 4);
  g_assert_cmpuint (y10_engine_get_weights_size (engine), ==, weights);
  /* The CPU packs those anew that it computes in another way. */
  if (backend == Y10_BACKEND_CUDA)
    g_assert_cmpuint (y10_engine_get_more_weights_size (engine), ==, 0);
}

/* A step that is held keeps its plan, and so its rows, while others come and go. */
static void
test_held (void)
{
  static const guint others[][2] = { { 128, 96 }, { 48, 128 }, { 20, 128 },
    { 128, 20 }, { 96, 128 }, { 128, 128 } };
  g_autoptr (Y10Engine) engine = make_engine (SIZE, SIZE, TRUE);
  Y10Detection rows[MAX_ROWS], expected[MAX_ROWS], other[MAX_ROWS];
  const guint n = detect (engine, 128, 48, expected);
  Y10HeadParams params;
  GError *error = NULL;
  Y10Image image;
  Y10Step step;

  init_image (&image, 128, 48);
  init_params (&params);
  g_assert_true (y10_step_begin (engine, -1, &step, NULL));
  g_assert_true (y10_step_add (&step, &image, &params, NULL));
  g_assert_true (y10_step_submit (&step, NULL));
  g_assert_true (y10_step_wait (&step, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    detect (engine, others[i][0], others[i][1], other);
  g_assert_cmpint (y10_step_read (&step, 0, rows, MAX_ROWS, &error), ==,
      (gint) n);
  g_assert_no_error (error);
  g_assert_cmpmem (rows, n * sizeof *rows, expected, n * sizeof *rows);
  y10_step_end (&step);
}

static void
test_refused (void)
{
  Y10Engine *engine = make_engine (SIZE, SIZE, TRUE);
  Y10Image wide, tall;
  Y10HeadParams params;
  GError *error = NULL;
  Y10Step step;

  init_image (&wide, 128, 48);
  init_image (&tall, 48, 128);
  init_params (&params);
  g_assert_true (y10_step_begin (engine, -1, &step, NULL));
  g_assert_true (y10_step_add (&step, &wide, &params, NULL));
  g_assert_false (y10_step_add (&step, &tall, &params, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "48 × 128", "64 × 128", "128 × 64", NULL);
  g_assert_false (y10_step_set_input_size (&step, 128, 64, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "1 images", NULL);
  y10_step_end (&step);
  g_assert_false (y10_step_set_input_size (&step, 128, 64, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, "ended", NULL);
  g_assert_true (y10_step_begin (engine, -1, &step, NULL));
  g_assert_false (y10_step_set_input_size (&step, 100, 128, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "100 × 128", "128 × 128, or less", NULL);
  g_assert_true (y10_step_set_input_size (&step, 128, 128, &error));
  g_assert_true (y10_step_add (&step, &tall, &params, &error));
  g_assert_true (y10_step_add (&step, &wide, &params, &error));
  y10_step_end (&step);
  y10_engine_unref (engine);
}

/* A backend whose programs cannot share weights. */
static void
test_backend (void)
{
  Y10TestTensors *tensors = test_tensors ("pico-nc3", 0);
  g_autoptr (Y10Model) model = test_model (tensors, NULL);
  Y10BackendClass class = y10_backend_ref;
  Y10EngineConfig config;
  GError *error = NULL;

  class.name = "other";
  class.compile_size = NULL;
  pico_config_init (&config, Y10_BACKEND_REF);
  config.head = Y10_HEAD_ONE2ONE;
  config.auto_size = TRUE;
  g_assert_null (
      y10_engine_create (model, &config, &class, NULL, NULL, &error));
  test_expect_error (error, Y10_ERROR_UNSUPPORTED, "backend other", "auto",
      "expected a size such as 640, or another backend", NULL);
  y10_test_tensors_free (tensors);
}

/* A camera that always has an image queued, and one more. */
typedef struct
{
  Y10EngineStream *stream;
  Y10EngineRequest requests[2];
  Y10Image image;
  Y10HeadParams params;
  Y10Detection rows[2][MAX_ROWS];
  guint n_rows;
  guint n_inferred;
} Camera;

static void
submit (Camera *self, guint i)
{
  Y10EngineRequest *request = &self->requests[i];
  GError *error = NULL;

  request->size = sizeof *request;
  request->image = &self->image;
  request->params = &self->params;
  request->detections = self->rows[i];
  request->max_detections = MAX_ROWS;
  y10_engine_stream_submit (self->stream, request, &error);
  g_assert_no_error (error);
}

static void
collect (Camera *self, guint i)
{
  g_assert_true (y10_engine_request_wait (&self->requests[i], -1));
  g_assert_no_error (self->requests[i].error);
  g_assert_cmpint (self->requests[i].n_detections, ==, (gint) self->n_rows);
  self->n_inferred++;
}

/* Three wide ones and one of 4:3 in one engine, with steps of up to two images. */
static void
test_cameras (void)
{
  static const guint sizes[][2] = { { 128, 60 }, { 128, 96 }, { 128, 60 },
    { 128, 60 } };
  Y10TestTensors *tensors = test_tensors ("pico-nc3", 0);
  g_autoptr (Y10Model) model = test_model (tensors, NULL);
  Y10EngineStreamStats stats = { .size = sizeof stats };
  Camera cameras[4] = { { 0 } };
  Y10EngineConfig config;
  GError *error = NULL;

  pico_config_init (&config, backend);
  config.precision = Y10_PRECISION_FP32;
  config.width = config.height = SIZE;
  config.auto_size = TRUE;
  config.max_batch = 2;
  config.threads = 1;
  for (guint i = 0; i < 4; i++) {
    Camera *camera = &cameras[i];

    camera->stream = y10_engine_stream_new (model, &config, NULL, 0, NULL,
        &error);
    g_assert_no_error (error);
    g_assert_true (y10_engine_stream_get_engine (camera->stream)
        == y10_engine_stream_get_engine (cameras[0].stream));
    y10_engine_stream_reserve (camera->stream, Y10_PIXEL_RGB, sizes[i][0],
        sizes[i][1]);
    init_image (&camera->image, sizes[i][0], sizes[i][1]);
    init_params (&camera->params);
    camera->n_rows = MAX_ROWS;
  }
  /* The square, and what was reserved. */
  g_assert_cmpuint (y10_engine_count_shapes (
                        y10_engine_stream_get_engine (cameras[0].stream)),
      ==, 3);
  for (guint j = 0; j < 2; j++)
    for (guint i = 0; i < 4; i++)
      submit (&cameras[i], j);
  /* Whoever has a result asks for the next one; nobody waits for the others. */
  for (guint n = 0; n < 400;)
    for (guint i = 0; i < 4; i++)
      for (guint j = 0; j < 2; j++)
        if (y10_engine_request_wait (&cameras[i].requests[j], 0)) {
          collect (&cameras[i], j);
          submit (&cameras[i], j);
          n++;
        }
  for (guint i = 0; i < 4; i++)
    for (guint j = 0; j < 2; j++)
      collect (&cameras[i], j);
  for (guint i = 0; i < 4; i++) {
    g_test_message ("camera %u: %u inferences", i, cameras[i].n_inferred);
    g_assert_cmpuint (cameras[i].n_inferred, >=, 95);
    g_assert_cmpuint (cameras[i].n_inferred, <=, 110);
  }
  y10_engine_stream_get_stats (cameras[0].stream, &stats);
  g_assert_cmpuint (stats.n_failed, ==, 0);
  g_assert_cmpuint (stats.fill[2], >, 0);
  for (guint i = 0; i < 4; i++)
    y10_engine_stream_unref (cameras[i].stream);
  y10_test_tensors_free (tensors);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (argc == 3 && !strcmp (argv[1], "--backend"))
    backend = !strcmp (argv[2], "cuda") ? Y10_BACKEND_CUDA
        : !strcmp (argv[2], "cpu")      ? Y10_BACKEND_CPU
                                        : Y10_BACKEND_REF;
  for (gsize i = 0; i < sizeof noise; i++)
    noise[i] = (guint8) ((i * 2654435761u) >> 13);
  g_test_add_func ("/shapes/sizes", test_sizes);
  g_test_add_func ("/shapes/parts", test_parts);
  g_test_add_func ("/shapes/rows", test_rows);
  g_test_add_func ("/shapes/held", test_held);
  g_test_add_func ("/shapes/refused", test_refused);
  g_test_add_func ("/shapes/backend", test_backend);
  g_test_add_func ("/shapes/cameras", test_cameras);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
