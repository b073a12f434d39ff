/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#include "util.h"

#include <glib/gstdio.h>
#include <string.h>

#include "seeded.h"

static char *directory;

const char *
test_dir (void)
{
  GError *error = NULL;

  if (!directory)
    directory = g_dir_make_tmp ("y10-test-XXXXXX", &error);
  g_assert_no_error (error);
  return directory;
}

void
test_dir_remove (void)
{
  GDir *dir = directory ? g_dir_open (directory, 0, NULL) : NULL;
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    char *path = test_path (name);

    g_remove (path);
    g_free (path);
  }
  if (dir) {
    g_dir_close (dir);
    g_rmdir (directory);
  }
  g_clear_pointer (&directory, g_free);
}

char *
test_path (const char *name)
{
  return g_build_filename (test_dir (), name, NULL);
}

char *
test_write (const char *name, gconstpointer data, gsize size)
{
  char *path = test_path (name);
  GError *error = NULL;

  g_file_set_contents (path, data, (gssize) size, &error);
  g_assert_no_error (error);
  return path;
}

Y10TestTensors *
test_tensors (const char *name, guint64 seed)
{
  char *path = g_strdup_printf ("%s/%s.shapes.json", y10_test_data_dir (),
      name);
  GError *error = NULL;
  Y10TestTensors *tensors = y10_test_tensors_new (path, seed, &error);

  g_assert_no_error (error);
  g_free (path);
  return tensors;
}

Y10Model *
test_model (const Y10TestTensors *tensors, const Y10TestFormat *format)
{
  g_autofree char *path = test_path ("model.safetensors");
  GError *error = NULL;
  Y10Model *model;

  y10_test_tensors_write (tensors, path, format, &error);
  g_assert_no_error (error);
  model = y10_model_load (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (model);
  g_unlink (path);
  return model;
}

Y10Engine *
test_engine (Y10Model *model, Y10BackendKind backend, guint width, guint height)
{
  Y10EngineConfig config;
  GError *error = NULL;
  Y10Engine *engine;

  y10_engine_config_init (&config, sizeof config);
  config.backend = backend;
  config.precision = Y10_PRECISION_FP32;
  config.width = width;
  config.height = height;
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (engine);
  return engine;
}

float *
test_pixels (const Y10Engine *engine, guint64 seed)
{
  guint width, height;
  float *pixels;

  y10_engine_get_input_size (engine, &width, &height);
  pixels = g_new (float, 3 * (gsize) width * height);
  y10_seeded_images (3 * (gsize) width * height, seed, pixels);
  return pixels;
}

void
test_tensor_image (const Y10Engine *engine, const float *pixels,
    Y10Image *image)
{
  guint width, height;

  y10_engine_get_input_size (engine, &width, &height);
  *image = (Y10Image){
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_TENSOR,
    .width = width,
    .height = height,
  };
  for (guint i = 0; i < 3; i++) {
    image->plane[i] = (const guint8 *) (pixels + (gsize) i * width * height);
    image->stride[i] = width * sizeof *pixels;
  }
}

guint
test_detect (Y10Engine *engine, const float *pixels, Y10Detection *rows,
    guint max_rows)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  params.confidence = 0;
  params.max_detections = y10_engine_get_max_detections (engine);
  return test_detect_params (engine, pixels, &params, rows, max_rows);
}

guint
test_detect_params (Y10Engine *engine, const float *pixels,
    const Y10HeadParams *params, Y10Detection *rows, guint max_rows)
{
  GError *error = NULL;
  Y10Image image;
  Y10Step step;
  gint n;

  test_tensor_image (engine, pixels, &image);
  y10_step_begin (engine, -1, &step, &error);
  g_assert_no_error (error);
  y10_step_add (&step, &image, params, &error);
  g_assert_no_error (error);
  y10_step_submit (&step, &error);
  g_assert_no_error (error);
  y10_step_wait (&step, -1, &error);
  g_assert_no_error (error);
  n = y10_step_read (&step, 0, rows, max_rows, &error);
  g_assert_no_error (error);
  g_assert_cmpint (n, >=, 0);
  y10_step_end (&step);
  return (guint) n;
}

gboolean
test_parse_backend (int *argc, char ***argv, Y10BackendKind *backend)
{
  g_autofree char *name = NULL;
  const GOptionEntry entries[] = { { "backend", 0, 0, G_OPTION_ARG_STRING,
                                       &name, "ref, cpu or cuda", "NAME" },
    { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, NULL))
    return FALSE;
  for (guint i = Y10_BACKEND_REF; i <= Y10_BACKEND_CUDA; i++)
    if (name && !strcmp (y10_backend_get_name (i), name)) {
      *backend = i;
      return TRUE;
    }
  return name == NULL;
}

void
test_expect_error (GError *error, Y10Error code, ...)
{
  const char *text;
  va_list args;

  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_error (error, Y10_ERROR, (gint) code);
  va_start (args, code);
  while ((text = va_arg (args, const char *)))
    if (!strstr (error->message, text)) {
      g_test_message ("not in the message above: %s", text);
      g_test_fail ();
    }
  va_end (args);
  g_error_free (error);
}
