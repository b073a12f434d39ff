/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A frame allocates nothing. malloc and its kin are replaced by functions of
 * this program that, while steps run, look who called: a call from inside
 * oneDNN or the OpenMP runtime is theirs, any other fails the test and is
 * printed with its callers. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

#if defined (__has_feature)
#if __has_feature (address_sanitizer) || __has_feature (thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined (SANITIZED) || !defined (__GLIBC__)

int
main (void)
{
  puts ("SKIP: malloc cannot be replaced: it is the sanitizer's, or the C "
      "library is not glibc");
  return 77;
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>

#define MAX_FRAMES 32
#define MAX_PRINTED 5

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *p, size_t size);
extern void *__libc_memalign (size_t align, size_t size);

static atomic_bool counting;
static atomic_uint n_ours, n_theirs;
static __thread gboolean inside;        /* looking may itself allocate */

static gboolean
is_theirs (const char *object)
{
  return strstr (object, "libdnnl") || strstr (object, "libgomp")
      || strstr (object, "libomp") || strstr (object, "libiomp");
}

static void
note (const char *what, size_t size)
{
  void *frames[MAX_FRAMES];
  int n;

  if (!counting || inside)
    return;
  inside = TRUE;
  n = backtrace (frames, MAX_FRAMES);
  for (int i = 0; i < n; i++) {
    Dl_info info;

    if (dladdr (frames[i], &info) && info.dli_fname
        && is_theirs (info.dli_fname)) {
      n_theirs++;
      inside = FALSE;
      return;
    }
  }
  if (n_ours++ < MAX_PRINTED) {
    fprintf (stderr, "%s of %zu bytes by\n", what, size);
    backtrace_symbols_fd (frames, n, 2);
  }
  inside = FALSE;
}

void *
malloc (size_t size)
{
  note ("malloc", size);
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  note ("calloc", n * size);
  return __libc_calloc (n, size);
}

void *
realloc (void *p, size_t size)
{
  note ("realloc", size);
  return __libc_realloc (p, size);
}

void *
memalign (size_t align, size_t size)
{
  note ("memalign", size);
  return __libc_memalign (align, size);
}

void *
aligned_alloc (size_t align, size_t size)
{
  note ("aligned_alloc", size);
  return __libc_memalign (align, size);
}

int
posix_memalign (void **p, size_t align, size_t size)
{
  note ("posix_memalign", size);
  *p = __libc_memalign (align, size);
  return *p ? 0 : ENOMEM;
}

#define WIDTH 50                /* of the pictures, unlike the network's */
#define HEIGHT 38

/* One step with a picture of every kind: RGB, NV12, I420. */
static void
run_step (Y10Engine *engine, const guint8 *pixels)
{
  const Y10Image images[3] = {
    {.format = Y10_PIXEL_RGB,.width = WIDTH,.height = HEIGHT,
        .plane = {pixels},.stride = {3 * WIDTH}},
    {.format = Y10_PIXEL_NV12,.width = WIDTH,.height = HEIGHT,
        .plane = {pixels, pixels + WIDTH * HEIGHT},.stride = {WIDTH, WIDTH}},
    {.format = Y10_PIXEL_I420,.width = WIDTH,.height = HEIGHT,
          .plane = {pixels, pixels + WIDTH * HEIGHT,
              pixels + WIDTH * HEIGHT * 5 / 4},
        .stride = {WIDTH, WIDTH / 2, WIDTH / 2}},
  };
  static const guint8 classes[3] = { 1, 0, 1 };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Detection rows[300];
  Y10StepTimes times;
  GError *error = NULL;
  Y10Step step;

  params.confidence = 0.01f;
  params.classes = classes;
  g_assert_true (y10_engine_begin (engine, -1, &step, &error));
  for (guint i = 0; i < 3; i++)
    g_assert_true (y10_step_add (&step, &images[i], &params, &error));
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_true (y10_step_wait_input (&step, -1, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (y10_step_read (&step, i, rows, 300, &error), >, 0);
  g_assert_true (y10_step_get_times (&step, &times, &error));
  y10_step_end (&step);
}

static void
check (Y10Model *model, Y10BackendKind backend, Y10Precision precision,
    Y10Head head)
{
  guint8 *pixels = g_malloc (3 * WIDTH * HEIGHT);
  char *what = g_strdup_printf ("%s %s %s", y10_backend_get_name (backend),
      y10_precision_get_name (precision), y10_head_get_name (head));
  Y10EngineConfig config;
  GError *error = NULL;
  Y10Engine *engine;

  for (guint i = 0; i < 3 * WIDTH * HEIGHT; i++)
    pixels[i] = (guint8) (i * 2654435761u >> 24);
  y10_engine_config_init (&config);
  config.backend = backend;
  config.precision = precision;
  config.head = head;
  config.width = 96;
  config.height = 64;
  config.max_batch = 3;
  config.n_slots = 2;
  config.threads = 2;
  engine = y10_engine_new (model, &config, NULL, &error);
  if (!engine) {
    printf ("%s left out: %s\n", what, error->message);
    g_assert_true (precision != Y10_PRECISION_FP32
        || g_error_matches (error, Y10_ERROR, Y10_ERROR_NO_BACKEND));
    g_error_free (error);
    goto done;
  }
  for (guint i = 0; i < 3; i++)
    run_step (engine, pixels);
  n_ours = n_theirs = 0;
  counting = TRUE;
  for (guint i = 0; i < 30; i++)
    run_step (engine, pixels);
  counting = FALSE;
  printf ("%s: 30 steps, %u allocations of ours, %u inside oneDNN and OpenMP\n",
      what, n_ours, n_theirs);
  g_assert_cmpuint (n_ours, ==, 0);
  y10_engine_unref (engine);
done:
  g_free (what);
  g_free (pixels);
}

int
main (void)
{
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  Y10Model *model = test_model (tensors, NULL);
  void *frames[4];
  char *volatile probe;

  backtrace (frames, 4);        /* loads what it needs */
  counting = TRUE;
  probe = g_strdup ("this is seen");
  counting = FALSE;
  g_assert_cmpuint (n_ours, ==, 1);
  g_free (probe);
  fputs ("(the one above was to see whether it is seen)\n", stderr);

  for (guint many = 0; many < 2; many++) {
    Y10Head head = many ? Y10_HEAD_ONE2MANY : Y10_HEAD_ONE2ONE;

    check (model, Y10_BACKEND_REF, Y10_PRECISION_FP32, head);
    check (model, Y10_BACKEND_CPU, Y10_PRECISION_FP32, head);
    check (model, Y10_BACKEND_CPU, Y10_PRECISION_BF16, head);
  }
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
  test_dir_remove ();
  return 0;
}

#endif
