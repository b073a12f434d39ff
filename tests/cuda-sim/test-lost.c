/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A GPU that fails while steps run: all of them, and all later ones, fail at
 * once with the reason; nothing hangs, nothing is freed twice, and a new engine
 * works. The simulated GPU loses its context on request; a real one gets a
 * picture at an invalid address. */

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "control.h"
#include "pico.h"
#include "run/engine.h"

#define SIZE PICO_SIZE
#define N_SLOTS 3
#define N_THREADS 4
#define MAX_ROWS PICO_MAX_ROWS

static const Y10SimControl *sim;

static Y10Engine *
make_engine_in (gpointer context, guint n_slots, GError **error)
{
  Y10EngineConfig config;

  pico_config_init (&config, Y10_BACKEND_CUDA);
  config.cuda_context = context;
  config.n_slots = n_slots;
  config.tune = sim != NULL; /* the same plans, the same bits */
  return pico_engine (&config, error);
}

static Y10Engine *
make_engine (guint n_slots, GError **error)
{
  return make_engine_in (NULL, n_slots, error);
}

/* FALSE: the step has ended. */
static gboolean
submit (Y10Engine *engine, const float *pixels, Y10Step *step, GError **error)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Image image;

  params.confidence = 0;
  params.max_detections = MAX_ROWS;
  test_tensor_image (engine, pixels, &image);
  if (!y10_step_begin (engine, -1, step, error))
    return FALSE;
  if (y10_step_add (step, &image, &params, error)
      && y10_step_submit (step, error))
    return TRUE;
  y10_step_end (step);
  return FALSE;
}

static void
assert_lost (GError **error, const char *code)
{
  test_expect_error (g_steal_pointer (error), Y10_ERROR_DEVICE_LOST, code,
      NULL);
}

/* Every call of a lost engine fails. */
static void
assert_all_fails (Y10Engine *engine, const char *code)
{
  g_autofree gint64 *ns = g_new (gint64, y10_engine_get_n_ops (engine));
  GError *error = NULL;
  Y10Step step;

  g_assert_false (y10_step_begin (engine, -1, &step, &error));
  assert_lost (&error, code);
  g_assert_false (y10_step_begin (engine, 0, &step, &error));
  assert_lost (&error, code);
  g_assert_false (y10_engine_profile (engine, 1, ns, &error));
  assert_lost (&error, code);
}

/* The first kernel, one in the middle or the last one fails, with different
 * errors. */
static void
test_under_way (void)
{
  static const struct
  {
    guint kernel;
    int code;
    const char *text;
  } losses[] = {
    { 1, 700, "ILLEGAL_ADDRESS" },
    { 2, 719, "LAUNCH_FAILED" },
    { 25, 700, "700" },
    { 60, 702, "702" },
    { 90, 714, "714" },
    { 140, 999, "999" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (losses); i++) {
    GError *error = NULL;
    Y10Engine *engine = make_engine (N_SLOTS, &error);
    Y10Detection rows[MAX_ROWS];
    guint n_failed = 0;
    float *pixels;

    g_assert_no_error (error);
    pixels = test_pixels (engine, 1);
    sim->lose (losses[i].kernel, losses[i].code);
    for (guint round = 0; round < 4 && !n_failed; round++) {
      Y10Step steps[N_SLOTS];
      guint n = 0;

      while (n < N_SLOTS && submit (engine, pixels, &steps[n], &error))
        n++;
      if (n < N_SLOTS) /* an earlier step has failed already */
        assert_lost (&error, losses[i].text);
      for (guint k = 0; k < n; k++) {
        g_assert_true (y10_step_wait_input (&steps[k], -1, NULL));
        if (y10_step_wait (&steps[k], -1, &error)) {
          g_assert_cmpint (y10_step_read (&steps[k], 0, rows, MAX_ROWS, NULL),
              ==, MAX_ROWS);
        } else {
          assert_lost (&error, losses[i].text);
          g_assert_cmpint (y10_step_read (&steps[k], 0, rows, MAX_ROWS, &error),
              ==, -1);
          assert_lost (&error, losses[i].text);
          n_failed++;
        }
        y10_step_end (&steps[k]);
      }
    }
    g_assert_cmpuint (n_failed, >, 0);
    assert_all_fails (engine, losses[i].text);
    g_free (pixels);
    y10_engine_unref (engine);
    g_assert_cmpuint (sim->n_reports (), ==, 0);
  }
}

typedef struct
{
  Y10Engine *engine;
  float *pixels;
  atomic_uint n_done, n_failed;
} Shared;

static void *
run_until_lost (void *data)
{
  Shared *s = data;
  GError *error = NULL;
  Y10Step step;

  while (!error && submit (s->engine, s->pixels, &step, &error)) {
    s->n_done += y10_step_wait (&step, -1, &error);
    y10_step_end (&step);
  }
  assert_lost (&error, "700");
  s->n_failed++;
  return NULL;
}

/* What runs outside of steps loses the device for them, too. */
static void
test_profile (void)
{
  GError *error = NULL;
  Y10Engine *engine = make_engine (N_SLOTS, &error);
  g_autofree gint64 *ns = NULL;

  g_assert_no_error (error);
  ns = g_new (gint64, y10_engine_get_n_ops (engine) + 2);
  sim->lose (2, 719);
  g_assert_false (y10_engine_profile (engine, 1, ns, &error));
  assert_lost (&error, "LAUNCH_FAILED");
  assert_all_fails (engine, "LAUNCH_FAILED");
  y10_engine_unref (engine);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

/* Threads that wait for a slot, for their pixels or for results all get the
 * error. */
static void
test_threads (void)
{
  guint n_done = 0;

  /* On a busy machine the tuner's threads may make all the calls up to the
   * loss. */
  for (guint round = 0; round < 8 || (!n_done && round < 64); round++) {
    GError *error = NULL;
    Shared s = { .engine = make_engine (2, &error) };
    pthread_t threads[N_THREADS];

    g_assert_no_error (error);
    s.pixels = test_pixels (s.engine, round);
    sim->lose (200 + 37 * round, 700);
    for (guint i = 0; i < N_THREADS; i++)
      pthread_create (&threads[i], NULL, run_until_lost, &s);
    for (guint i = 0; i < N_THREADS; i++)
      pthread_join (threads[i], NULL);
    g_assert_cmpuint (s.n_failed, ==, N_THREADS);
    n_done += s.n_done;
    assert_all_fails (s.engine, "700");
    g_free (s.pixels);
    y10_engine_unref (s.engine);
    g_assert_cmpuint (sim->n_reports (), ==, 0);
  }
  g_assert_cmpuint (n_done, >, 0);
}

/* The GPU is lost at any point while an engine is created; then a new one
 * works. */
static void
test_making (void)
{
  GError *error = NULL;
  Y10Engine *engine = NULL;
  guint n = 1;

  for (;; n += n / 4 + 1) {
    sim->lose (n, 719);
    engine = make_engine (1, &error);
    if (engine)
      break;
    assert_lost (&error, "719");
  }
  g_assert_cmpuint (n, >, 20);
  sim->lose (0, 0);
  y10_engine_unref (engine);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

static void
assert_step_fails (Y10Engine *engine, const float *pixels, const char *code)
{
  GError *error = NULL;
  Y10Step step;

  g_assert_true (submit (engine, pixels, &step, &error));
  g_assert_false (y10_step_wait (&step, -1, &error));
  assert_lost (&error, code);
  y10_step_end (&step);
}

/* A new engine gives the same results as the lost one. Two engines share the
 * primary context; a new engine works before the second one is freed. */
static void
test_again (void)
{
  Y10Detection before[MAX_ROWS], after[MAX_ROWS];
  GError *error = NULL;
  Y10Engine *first = make_engine (1, &error), *second = make_engine (1, &error);
  float *pixels = test_pixels (first, 3);

  g_assert_no_error (error);
  g_assert_cmpuint (test_detect (first, pixels, before, MAX_ROWS), ==,
      MAX_ROWS);
  sim->lose (5, 700);
  assert_step_fails (first, pixels, "700");
  y10_engine_unref (first);
  first = make_engine (1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (test_detect (first, pixels, after, MAX_ROWS), ==, MAX_ROWS);
  g_assert_cmpmem (after, sizeof after, before, sizeof before);
  assert_step_fails (second, pixels, "700");
  y10_engine_unref (first);
  y10_engine_unref (second);

  sim->set_gone (TRUE);
  g_assert_null (make_engine (1, &error));
  assert_lost (&error, "46");
  sim->set_gone (FALSE);
  first = make_engine (1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (test_detect (first, pixels, after, MAX_ROWS), ==, MAX_ROWS);
  g_assert_cmpmem (after, sizeof after, before, sizeof before);
  g_free (pixels);
  y10_engine_unref (first);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

/* Other code's allocation in the primary context of the first GPU. */
typedef struct
{
  const Y10CudaDriver *d;
  CUcontext context;
  CUdeviceptr memory;
  guint8 written[64];
} Foreign;

static void
foreign_begin (Foreign *f)
{
  CUcontext popped;
  CUstream stream;

  f->d = sim->driver (NULL);
  for (guint i = 0; i < sizeof f->written; i++)
    f->written[i] = (guint8) (7 * i + 1);
  g_assert_cmpint (f->d->primary_ctx_retain (&f->context, 0), ==, 0);
  g_assert_cmpint (f->d->ctx_push (f->context), ==, 0);
  g_assert_cmpint (f->d->mem_alloc (&f->memory, sizeof f->written), ==, 0);
  g_assert_cmpint (f->d->stream_create (&stream, Y10_CU_STREAM_NON_BLOCKING, 0),
      ==, 0);
  g_assert_cmpint (f->d->memcpy_htod_async (f->memory, f->written,
                       sizeof f->written, stream),
      ==, 0);
  g_assert_cmpint (f->d->stream_synchronize (stream), ==, 0);
  g_assert_cmpint (f->d->stream_destroy (stream), ==, 0);
  f->d->ctx_pop (&popped);
}

/* Returns the result of freeing the allocation. */
static int
foreign_end (Foreign *f)
{
  CUcontext popped;
  int result;

  g_assert_cmpint (f->d->ctx_push (f->context), ==, 0);
  result = f->d->mem_free (f->memory);
  f->d->ctx_pop (&popped);
  g_assert_cmpint (f->d->primary_ctx_release (0), ==, 0);
  return result;
}

static void
assert_foreign_intact (Foreign *f)
{
  guint8 read[sizeof f->written];
  CUcontext popped;
  CUstream stream;

  g_assert_cmpint (f->d->ctx_push (f->context), ==, 0);
  g_assert_cmpint (f->d->stream_create (&stream, Y10_CU_STREAM_NON_BLOCKING, 0),
      ==, 0);
  g_assert_cmpint (f->d->memcpy_dtoh_async (read, f->memory, sizeof read,
                       stream),
      ==, 0);
  g_assert_cmpint (f->d->stream_synchronize (stream), ==, 0);
  g_assert_cmpint (f->d->stream_destroy (stream), ==, 0);
  f->d->ctx_pop (&popped);
  g_assert_cmpmem (read, sizeof read, f->written, sizeof f->written);
}

/* Other code that uses the primary context keeps its reference and its
 * allocation: the replacement is another context. An allocation in a primary
 * context that is not the lost one keeps its contents, too. */
static void
test_foreign (void)
{
  Y10Detection before[MAX_ROWS], after[MAX_ROWS];
  Foreign old = { NULL }, new = { NULL };
  GError *error = NULL;
  Y10Engine *engine = make_engine (1, &error);
  float *pixels = test_pixels (engine, 3);

  g_assert_no_error (error);
  foreign_begin (&old);
  test_detect (engine, pixels, before, MAX_ROWS);
  sim->lose (5, 700);
  assert_step_fails (engine, pixels, "700");
  y10_engine_unref (engine);
  engine = make_engine (1, &error);
  g_assert_no_error (error);
  test_detect (engine, pixels, after, MAX_ROWS);
  g_assert_cmpmem (after, sizeof after, before, sizeof before);
  /* The address is still known: the allocation remains in the lost context. */
  g_assert_cmpint (foreign_end (&old), ==, 700);

  foreign_begin (&new);
  sim->lose (5, 719);
  assert_step_fails (engine, pixels, "719");
  assert_foreign_intact (&new);
  y10_engine_unref (engine);
  assert_foreign_intact (&new);
  engine = make_engine (1, &error);
  g_assert_no_error (error);
  test_detect (engine, pixels, after, MAX_ROWS);
  g_assert_cmpmem (after, sizeof after, before, sizeof before);
  assert_foreign_intact (&new);
  g_assert_cmpint (foreign_end (&new), ==, 0);
  g_free (pixels);
  y10_engine_unref (engine);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

/* A foreign context whose owner destroys it, lost or not, while the engine
 * still has objects in it: they are destroyed with it, and the engine does not
 * free them again. */
static void
test_destroyed (void)
{
  for (guint lost_before = 0; lost_before < 2; lost_before++) {
    struct CUctx_st *context = sim->context_new ();
    GError *error = NULL;
    Y10Engine *engine = make_engine_in (context, 2, &error);
    Y10Detection rows[MAX_ROWS];
    float *pixels;

    g_assert_no_error (error);
    pixels = test_pixels (engine, 3);
    g_assert_cmpuint (test_detect (engine, pixels, rows, MAX_ROWS), ==,
        MAX_ROWS);
    if (lost_before) {
      sim->lose (1, 700);
      assert_step_fails (engine, pixels, "700");
    }
    sim->set_quiet (TRUE); /* expected reports of objects left in it */
    sim->context_free (context);
    sim->reset_reports ();
    sim->set_quiet (FALSE);
    if (!lost_before)
      assert_step_fails (engine, pixels, "709");
    assert_all_fails (engine, lost_before ? "700" : "709");
    g_free (pixels);
    y10_engine_unref (engine);
    g_assert_cmpuint (sim->n_reports (), ==, 0);
  }
}

/* Needs a real GPU: the simulated one would end this process. NVIDIA's driver
 * 580 then refuses every context, new or primary, until the process ends: the
 * error says so at once. */
static void
test_bad_address (void)
{
  Y10Detection before[MAX_ROWS], after[MAX_ROWS];
  const Y10Image nowhere = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_RGB,
    .memory = Y10_MEMORY_CUDA,
    .width = SIZE,
    .height = SIZE,
    .plane = { GSIZE_TO_POINTER (0x10000) },
    .stride = { 3 * SIZE },
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;
  Y10Engine *engine = make_engine (2, &error);
  float *pixels;
  Y10Step step;

  g_assert_no_error (error);
  pixels = test_pixels (engine, 3);
  g_assert_cmpuint (test_detect (engine, pixels, before, MAX_ROWS), ==,
      MAX_ROWS);
  for (guint round = 0; round < 3; round++) {
    g_assert_true (y10_step_begin (engine, -1, &step, &error));
    params.max_detections = MAX_ROWS;
    g_assert_true (y10_step_add (&step, &nowhere, &params, &error));
    g_assert_true (y10_step_submit (&step, &error));
    g_assert_false (y10_step_wait (&step, -1, &error));
    assert_lost (&error, "700");
    y10_step_end (&step);
    assert_all_fails (engine, "700");
    y10_engine_unref (engine);
    engine = make_engine (2, &error);
    if (!engine) {
      assert_lost (&error, "700");
      g_test_message ("the driver gives this process no other context");
      break;
    }
    g_assert_no_error (error);
    g_assert_cmpuint (test_detect (engine, pixels, after, MAX_ROWS), ==,
        MAX_ROWS);
    g_assert_cmpmem (after, sizeof after, before, sizeof before);
  }
  g_free (pixels);
  g_clear_pointer (&engine, y10_engine_unref);
}

int
main (int argc, char **argv)
{
  g_autoptr (GString) why = g_string_new (NULL);
  int status;

  if (!y10_backend_probe (Y10_BACKEND_CUDA, why)) {
    g_print ("1..0 # SKIP no GPU: %s\n", why->str);
    return 77;
  }
  sim = y10_sim_control_get ();
  g_test_init (&argc, &argv, NULL);
  if (sim) {
    g_test_add_func ("/lost/under-way", test_under_way);
    g_test_add_func ("/lost/profile", test_profile);
    g_test_add_func ("/lost/threads", test_threads);
    g_test_add_func ("/lost/making", test_making);
    g_test_add_func ("/lost/again", test_again);
    g_test_add_func ("/lost/foreign", test_foreign);
    g_test_add_func ("/lost/destroyed", test_destroyed);
  } else {
    g_test_add_func ("/lost/bad-address", test_bad_address);
  }
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
