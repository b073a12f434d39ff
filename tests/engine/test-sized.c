/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A program that was compiled against another version of the library has
 * shorter or longer structs: the fields that both versions have must be passed
 * on. */

#include "config.h"

#include <string.h>

#include <y10/y10.h>

#include "base/sized.h"
#include "util.h"

typedef struct
{
  gsize size;
  guint a, b;
  gpointer c;
} Ours;

/* The struct of the first version. */
typedef struct
{
  gsize size;
  guint a, b;
} Older;

typedef struct
{
  Ours ours;
  guint64 d;
} Newer;

#define READ(to, from, error) \
  y10_sized_read (to, sizeof (Ours), from, sizeof (Older), "Ours", error)

static void
sized_read (void)
{
  const Older older = { sizeof older, 1, 2 };
  const Newer newer = { { sizeof newer, 3, 4, "c" }, 0 };
  const Newer beyond = { { sizeof beyond, 3, 4, "c" }, 5 };
  const Older none = { 0, 1, 2 };
  Ours ours = { sizeof ours, 7, 8, "default" };
  GError *error = NULL;

  g_assert_true (READ (&ours, &older, &error));
  g_assert_cmpuint (ours.size, ==, sizeof ours);
  g_assert_cmpuint (ours.a, ==, 1);
  g_assert_cmpuint (ours.b, ==, 2);
  g_assert_cmpstr (ours.c, ==, "default");

  g_assert_true (READ (&ours, &newer, &error));
  g_assert_cmpuint (ours.size, ==, sizeof ours);
  g_assert_cmpuint (ours.a, ==, 3);
  g_assert_cmpstr (ours.c, ==, "c");

  g_assert_false (READ (&ours, &beyond, &error));
  test_expect_error (error, Y10_ERROR_UNSUPPORTED, "Ours.size", NULL);
  error = NULL;
  g_assert_false (READ (&ours, &none, &error));
  test_expect_error (error, Y10_ERROR_INVALID_ARGUMENT, "Ours.size is 0", NULL);
}

static void
sized_write (void)
{
  const Ours ours = { sizeof ours, 1, 2, "c" };
  struct
  {
    Older older;
    guint guard;
  } small = { { sizeof (Older), 0, 0 }, 77 };
  Newer newer = { { sizeof newer, 0, 0, NULL }, 9 };

  y10_sized_write (&small, &ours, sizeof ours, sizeof (Older), "Ours");
  g_assert_cmpuint (small.older.size, ==, sizeof (Older));
  g_assert_cmpuint (small.older.b, ==, 2);
  g_assert_cmpuint (small.guard, ==, 77);

  y10_sized_write (&newer, &ours, sizeof ours, sizeof (Older), "Ours");
  g_assert_cmpuint (newer.ours.size, ==, sizeof newer);
  g_assert_cmpstr (newer.ours.c, ==, "c");
  g_assert_cmpuint (newer.d, ==, 9);
}

/* The library's functions reject a struct whose size is 0. */
static void
sized_unset (void)
{
  const Y10Image image = { .format = Y10_PIXEL_RGB, .width = 1, .height = 1 };
  const Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  const Y10EngineConfig unset = { .max_batch = 1 };
  Y10TestTensors *tensors = test_tensors ("pico-nc3", 1);
  g_autoptr (Y10Model) model = test_model (tensors, NULL);
  g_autoptr (Y10Engine) engine = NULL;
  Y10EngineConfig config;
  GError *error = NULL;
  Y10Step step;

  g_assert_null (y10_engine_new (model, &unset, NULL, &error));
  test_expect_error (error, Y10_ERROR_INVALID_ARGUMENT,
      "Y10EngineConfig.size is 0", NULL);
  error = NULL;
  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_REF;
  config.width = config.height = 32;
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  g_assert_false (y10_step_add (&step, &image, &params, &error));
  test_expect_error (error, Y10_ERROR_INVALID_ARGUMENT, "Y10Image.size is 0",
      NULL);
  y10_step_end (&step);
  y10_test_tensors_free (tensors);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sized/read", sized_read);
  g_test_add_func ("/sized/write", sized_write);
  g_test_add_func ("/sized/unset", sized_unset);
  return g_test_run ();
}
