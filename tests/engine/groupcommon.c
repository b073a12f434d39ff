/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#include "groupcommon.h"

#include <string.h>

#include "util.h"

#define SIZE 32

static char *backend_option;
static Y10BackendKind backend = Y10_BACKEND_REF;
static Y10TestTensors *tensors;
static Y10Model *model;
static const Y10SimControl *sim; /* NULL: another backend */

static float *pictures[N_PICTURES];
static Y10Detection wanted[N_PICTURES][SHARED_MAX_ROWS];
static guint n_wanted[N_PICTURES];

const Y10SimControl *
shared_sim (void)
{
  return sim;
}

Y10Model *
shared_model (void)
{
  return model;
}

void
shared_init_config (Y10EngineConfig *config)
{
  y10_engine_config_init (config, sizeof *config);
  config->backend = backend;
  config->precision = Y10_PRECISION_FP32;
  config->width = config->height = SIZE;
  config->max_detections = SHARED_MAX_ROWS;
  config->threads = 1;
  config->max_batch = SHARED_MAX_BATCH;
  config->tune = FALSE;
}

Y10EngineStream *
shared_open_as (const Y10EngineConfig *config, const char *group)
{
  GError *error = NULL;
  Y10EngineStream *stream = y10_engine_stream_new (model, config, group, 0,
      NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (stream);
  return stream;
}

Y10EngineStream *
shared_open (void)
{
  Y10EngineConfig config;

  shared_init_config (&config);
  return shared_open_as (&config, NULL);
}

/* Sets the expected results: those of a separate engine in steps of one
 * image. */
static void
find_wanted (void)
{
  Y10EngineConfig config;
  GError *error = NULL;
  g_autoptr (Y10Engine) engine = NULL;

  shared_init_config (&config);
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_PICTURES; i++) {
    pictures[i] = test_pixels (engine, i);
    n_wanted[i] = test_detect (engine, pictures[i], wanted[i], SHARED_MAX_ROWS);
    g_assert_cmpuint (n_wanted[i], >, 0);
  }
}

void
shot_submit (Shot *shot, Y10EngineStream *stream, guint picture)
{
  const Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;

  shot->request.size = sizeof shot->request;
  shot->request.image = &shot->image;
  shot->request.params = &shot->params;
  shot->params = params;
  shot->params.confidence = 0;
  shot->params.max_detections = SHARED_MAX_ROWS;
  shot->request.detections = shot->rows;
  shot->request.max_detections = SHARED_MAX_ROWS;
  shot->picture = picture;
  test_tensor_image (y10_engine_stream_get_engine (stream), pictures[picture],
      &shot->image);
  y10_engine_stream_submit (stream, &shot->request, &error);
  g_assert_no_error (error);
}

void
shot_assert_right (const Shot *shot)
{
  g_assert_no_error (shot->request.error);
  g_assert_cmpint (shot->request.n_detections, ==,
      (gint) n_wanted[shot->picture]);
  /* A real GPU may compute another batch size with other kernels; rows of
   * nearly equal confidence may then swap. */
  if (backend == Y10_BACKEND_CUDA && !sim) {
    for (guint i = 0; i < n_wanted[shot->picture]; i++)
      g_assert_cmpfloat_with_epsilon (shot->rows[i].confidence,
          wanted[shot->picture][i].confidence, 1e-3);
    return;
  }
  g_assert_cmpmem (shot->rows, n_wanted[shot->picture] * sizeof *shot->rows,
      wanted[shot->picture], n_wanted[shot->picture] * sizeof *shot->rows);
}

void
shot_infer (Y10EngineStream *stream, guint picture)
{
  Shot shot = { 0 };

  shot_submit (&shot, stream, picture);
  g_assert_true (y10_engine_request_wait (&shot.request, -1));
  shot_assert_right (&shot);
}

/* Submits an invalid request and asserts that none of it is queued. */
void
shot_assert_refused (Y10EngineStream *stream)
{
  Shot shot = { 0 };
  GError *error = NULL;

  shot.request.size = sizeof shot.request;
  shot.request.image = &shot.image;
  shot.request.params = &shot.params;
  shot.params.size = sizeof shot.params;
  shot.params.confidence = -1;
  test_tensor_image (y10_engine_stream_get_engine (stream), pictures[0],
      &shot.image);
  g_assert_false (y10_engine_stream_submit (stream, &shot.request, &error));
  /* test_expect_error() would print each of thousands of errors. */
  g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "confidence is -1"));
  g_error_free (error);
}

static gboolean
parse (int *argc, char ***argv, const GOptionEntry *more)
{
  const GOptionEntry entries[] = { { "backend", 0, 0, G_OPTION_ARG_STRING,
                                       &backend_option, "ref, cpu or cuda",
                                       "B" },
    { NULL } };
  GOptionContext *options = g_option_context_new (NULL);
  gboolean ok;

  g_option_context_add_main_entries (options, entries, NULL);
  if (more)
    g_option_context_add_main_entries (options, more, NULL);
  ok = g_option_context_parse (options, argc, argv, NULL);
  g_option_context_free (options);
  for (guint i = Y10_BACKEND_REF; backend_option && i <= Y10_BACKEND_CUDA; i++)
    if (!strcmp (y10_backend_get_name (i), backend_option))
      backend = i;
  return ok;
}

gboolean
shared_begin (int *argc, char ***argv, const GOptionEntry *more)
{
  if (!parse (argc, argv, more))
    return FALSE;
  tensors = test_tensors ("pico-nc3", 0);
  model = test_model (tensors, NULL);
  find_wanted ();
  sim = backend == Y10_BACKEND_CUDA ? y10_sim_control_get () : NULL;
  return TRUE;
}

void
shared_end (void)
{
  for (guint i = 0; i < N_PICTURES; i++)
    g_free (pictures[i]);
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
  test_dir_remove ();
  g_free (backend_option);
}
