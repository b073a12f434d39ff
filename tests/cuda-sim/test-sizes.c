/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Inputs of several sizes in one engine on the simulated GPU, beyond what test-shapes.c has
 * for every backend: pictures that are staged before their size is known, batch sizes,
 * tuning while sizes come and go, a GPU that is lost or has no memory left in one of them.
 * Rows are compared with those of an engine of that size alone. */

#include <string.h>

#include "../engine/pico.h"
#include "control.h"
#include "plans.h"
#include "run/shape.h"

#define SIDE 96
#define MAX_ROWS 63
#define N_SIZES 6
#define MOST 4             /* images of a step */
#define MEMORY (96u << 20) /* of the GPU */

/* Of pictures; one more shape than an engine keeps, and the square. */
static const guint sizes[N_SIZES][2] = { { 96, 60 }, { 60, 96 }, { 96, 30 },
  { 30, 96 }, { 96, 96 }, { 48, 30 } };

static const Y10SimControl *sim;
static guint8 noise[SIDE * SIDE * 3];
static Y10Detection expected[N_SIZES][MAX_ROWS]; /* untuned */

static Y10Engine *
make_engine (guint width, guint height, guint max_batch, gboolean tune,
    gpointer context)
{
  Y10EngineConfig config;

  pico_config_init (&config, Y10_BACKEND_CUDA);
  config.precision = Y10_PRECISION_FP32;
  config.width = width ? width : SIDE;
  config.height = height ? height : SIDE;
  config.auto_size = !width;
  config.max_batch = max_batch;
  config.n_slots = 2;
  config.tune = tune;
  config.cuda_context = context;
  return pico_engine (&config, NULL);
}

static void
add (const Y10Step *step, guint which, Y10Memory memory, const guint8 *pixels)
{
  const Y10Image image = {
    .size = sizeof image,
    .format = Y10_PIXEL_RGB,
    .memory = memory,
    .width = sizes[which][0],
    .height = sizes[which][1],
    .plane = { pixels },
    .stride = { (gsize) sizes[which][0] * 3 },
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;

  params.confidence = 0;
  params.max_detections = MAX_ROWS;
  y10_step_add (step, &image, &params, &error);
  g_assert_no_error (error);
}

/* @n equal images in one step; FALSE: it failed. */
static gboolean
run (Y10Engine *engine, guint which, guint n, Y10Detection (*rows)[MAX_ROWS],
    GError **error)
{
  gboolean ok;
  Y10Step step;

  if (!y10_step_begin (engine, -1, &step, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    add (&step, which, Y10_MEMORY_HOST, noise);
  ok = y10_step_submit (&step, error) && y10_step_wait (&step, -1, error);
  for (guint i = 0; ok && i < n; i++)
    ok = y10_step_read (&step, i, rows[i], MAX_ROWS, error) == MAX_ROWS;
  y10_step_end (&step);
  return ok;
}

static void
expect_same (Y10Engine *engine, guint which, guint n)
{
  Y10Detection rows[MOST][MAX_ROWS];
  GError *error = NULL;

  g_assert_true (run (engine, which, n, rows, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    g_assert_cmpmem (rows[i], sizeof rows[i], expected[which],
        sizeof expected[which]);
}

/* Tuned plans round in another order. */
static void
expect_near (Y10Engine *engine, guint which)
{
  Y10Detection rows[1][MAX_ROWS];
  gboolean taken[MAX_ROWS] = { FALSE };
  GError *error = NULL;

  g_assert_true (run (engine, which, 1, rows, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < MAX_ROWS
       && expected[which][i].confidence
           > expected[which][MAX_ROWS - 1].confidence + 1e-4f;
       i++) {
    guint k = 0;

    while (k < MAX_ROWS
        && (taken[k]
            || !pico_row_is_near (&rows[0][k], &expected[which][i], 1e-4,
                0.05)))
      k++;
    g_assert_cmpuint (k, <, MAX_ROWS);
    taken[k] = TRUE;
  }
}

static guint
round_up (guint size)
{
  return (size + 31) / 32 * 32;
}

static void
compute_expected (void)
{
  for (guint i = 0; i < N_SIZES; i++) {
    const guint scale = SIDE / MAX (sizes[i][0], sizes[i][1]);
    Y10Engine *alone = make_engine (round_up (sizes[i][0] * scale),
        round_up (sizes[i][1] * scale), 1, FALSE, NULL);
    Y10Detection rows[1][MAX_ROWS];
    GError *error = NULL;

    g_assert_true (run (alone, i, 1, rows, &error));
    g_assert_no_error (error);
    memcpy (expected[i], rows[0], sizeof rows[0]);
    y10_engine_unref (alone);
  }
}

static void
end (Y10Engine *engine)
{
  y10_engine_unref (engine);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

/* Steps of one to four images, of which two are under way at once: a slot has a picture
 * before the engine knows its size. */
static void
test_batches (void)
{
  Y10Engine *engine = make_engine (0, 0, MOST, FALSE, NULL);
  Y10TuningProgress progress = { .size = sizeof progress };
  GError *error = NULL;

  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < 3 * N_SIZES; i++)
      expect_same (engine, (i * (round + 1)) % N_SIZES, 1 + i % MOST);
    y10_engine_wait_tuned (engine, -1, NULL, &error);
    g_assert_no_error (error);
    y10_engine_get_tuning_progress (engine, &progress);
    g_assert_true (progress.finished);
  }
  for (guint i = 0; i < 40; i++) {
    const guint which[2] = { i % N_SIZES, (i + 1 + i / 7) % N_SIZES };
    Y10Detection rows[MAX_ROWS];
    Y10Step steps[2];

    for (guint k = 0; k < 2; k++) {
      g_assert_true (y10_step_begin (engine, -1, &steps[k], NULL));
      add (&steps[k], which[k], Y10_MEMORY_HOST, noise);
      add (&steps[k], which[k], Y10_MEMORY_HOST, noise);
    }
    g_assert_true (y10_step_submit (&steps[1], NULL));
    g_assert_true (y10_step_submit (&steps[0], NULL));
    for (guint k = 0; k < 2; k++) {
      g_assert_true (y10_step_wait (&steps[k], -1, &error));
      for (guint j = 0; j < 2; j++) {
        g_assert_cmpint (y10_step_read (&steps[k], j, rows, MAX_ROWS, NULL), ==,
            MAX_ROWS);
        g_assert_cmpmem (rows, sizeof rows, expected[which[k]], sizeof rows);
      }
      y10_step_end (&steps[k]);
    }
  }
  end (engine);
}

/* Other programs' memory on the first GPU. */
typedef struct
{
  const Y10CudaDriver *d;
  CUcontext context;
  CUdeviceptr memory;
} Other;

static void
other_enter (Other *other)
{
  other->d = sim->driver (NULL);
  g_assert_cmpint (other->d->primary_ctx_retain (&other->context, 0), ==, 0);
  g_assert_cmpint (other->d->ctx_push (other->context), ==, 0);
}

static void
other_leave (Other *other)
{
  CUcontext popped;

  other->d->ctx_pop (&popped);
  g_assert_cmpint (other->d->primary_ctx_release (0), ==, 0);
}

/* Pictures in the GPU's memory and in the host's take turns in the same slot. */
static void
test_memories (void)
{
  Y10Engine *engine = make_engine (0, 0, 2, FALSE, NULL);
  Y10Detection rows[MAX_ROWS];
  Other other;
  CUstream stream;

  other_enter (&other);
  g_assert_cmpint (other.d->mem_alloc (&other.memory, sizeof noise), ==, 0);
  g_assert_cmpint (other.d->stream_create (&stream, Y10_CU_STREAM_NON_BLOCKING,
                       0),
      ==, 0);
  g_assert_cmpint (other.d->memcpy_htod_async (other.memory, noise,
                       sizeof noise, stream),
      ==, 0);
  g_assert_cmpint (other.d->stream_synchronize (stream), ==, 0);
  g_assert_cmpint (other.d->stream_destroy (stream), ==, 0);
  for (guint i = 0; i < 4 * N_SIZES; i++) {
    const guint which = (i * 5) % N_SIZES;
    Y10Step step;

    g_assert_true (y10_step_begin (engine, -1, &step, NULL));
    add (&step, which, i % 3 ? Y10_MEMORY_HOST : Y10_MEMORY_CUDA,
        i % 3 ? noise : GSIZE_TO_POINTER (other.memory));
    add (&step, which, i % 2 ? Y10_MEMORY_HOST : Y10_MEMORY_CUDA,
        i % 2 ? noise : GSIZE_TO_POINTER (other.memory));
    g_assert_true (y10_step_submit (&step, NULL));
    g_assert_true (y10_step_wait (&step, -1, NULL));
    for (guint j = 0; j < 2; j++) {
      y10_step_read (&step, j, rows, MAX_ROWS, NULL);
      g_assert_cmpmem (rows, sizeof rows, expected[which], sizeof rows);
    }
    y10_step_end (&step);
  }
  g_assert_cmpint (other.d->mem_free (other.memory), ==, 0);
  other_leave (&other);
  end (engine);
}

/* No GPU memory is left: the step of a new size fails with one error, those of sizes that
 * are there go on, and the new size works as soon as there is memory. */
static void
test_no_memory (void)
{
  Y10Engine *engine = make_engine (0, 0, 1, FALSE, NULL);
  Y10Detection rows[1][MAX_ROWS];
  size_t n_free, total;
  GError *error = NULL;
  Other other;

  expect_same (engine, 0, 1);
  other_enter (&other);
  g_assert_cmpint (other.d->mem_get_info (&n_free, &total), ==, 0);
  g_assert_cmpuint (total, ==, MEMORY);
  g_assert_cmpint (other.d->mem_alloc (&other.memory, n_free - 4096), ==, 0);
  g_assert_false (run (engine, 1, 1, rows, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_NO_MEMORY, "memory",
      NULL);
  expect_same (engine, 0, 1);
  g_assert_cmpuint (y10_engine_count_shapes (engine), ==, 2);
  g_assert_cmpint (other.d->mem_free (other.memory), ==, 0);
  other_leave (&other);
  expect_same (engine, 1, 1);
  end (engine);
}

/* Each kernel from the first on loses the GPU once, in a step of a size that is there or
 * while another one is made. */
static void
test_lost (void)
{
  Y10Detection rows[1][MAX_ROWS];
  guint n_lost = 0, n = 1;

  for (gboolean all_ran = FALSE; !all_ran; n += n / 3 + 1) {
    Y10Engine *engine = make_engine (0, 0, 1, FALSE, NULL);
    GError *error = NULL;

    expect_same (engine, 0, 1);
    sim->lose (n, 700);
    all_ran = TRUE;
    for (guint i = 0; all_ran && i < N_SIZES; i++)
      all_ran = run (engine, i, 1, rows, &error);
    sim->lose (0, 0);
    if (!all_ran) {
      test_expect_error (g_steal_pointer (&error), Y10_ERROR_DEVICE_LOST, "700",
          NULL);
      for (guint i = 0; i < N_SIZES; i++) {
        g_assert_false (run (engine, i, 1, rows, &error));
        test_expect_error (g_steal_pointer (&error), Y10_ERROR_DEVICE_LOST,
            "700", NULL);
      }
      n_lost++;
    }
    end (engine);
  }
  g_assert_cmpuint (n_lost, >, 10);
}

/* The owner of the context destroys it with all that the sizes have in it. */
static void
test_destroyed (void)
{
  struct CUctx_st *context = sim->context_new ();
  Y10Engine *engine = make_engine (0, 0, 2, TRUE, context);
  Y10Detection rows[1][MAX_ROWS];
  GError *error = NULL;

  for (guint i = 0; i < N_SIZES; i++)
    expect_near (engine, i);
  sim->set_quiet (TRUE); /* expected reports of objects left in it */
  sim->context_free (context);
  sim->reset_reports ();
  sim->set_quiet (FALSE);
  g_assert_false (run (engine, 0, 1, rows, &error));
  test_expect_error (error, Y10_ERROR_DEVICE_LOST, "709", NULL);
  end (engine);
}

static guint64
count_kernels (Y10Engine *engine, guint which)
{
  const guint64 before = sim->n_kernels ();

  expect_near (engine, which);
  return sim->n_kernels () - before;
}

/* Only sizes that steps have are tuned, each of them, and steps take that over. */
static void
test_tuned (void)
{
  Y10TuningProgress progress = { .size = sizeof progress };
  guint64 untuned[2];
  Y10Engine *engine;
  guint total;

  plans_each (plans_delete);
  g_setenv ("Y10_SIM_FUSE", "", TRUE);
  engine = make_engine (0, 0, 1, FALSE, NULL);
  for (guint i = 0; i < 2; i++) {
    expect_same (engine, i, 1);
    untuned[i] = count_kernels (engine, i);
  }
  end (engine);
  engine = make_engine (0, 0, 1, TRUE, NULL);
  g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
  y10_engine_get_tuning_progress (engine, &progress);
  g_assert_cmpuint (progress.total, ==, 0);
  for (guint i = 0; i < 2; i++) {
    total = progress.total;
    expect_near (engine, i);
    pico_wait_tuned (engine, &progress);
    g_assert_cmpuint (progress.total, >, total);
    g_assert_cmpuint (progress.faster, >, progress.total / 2);
    g_assert_cmpuint (progress.wrong, ==, 0);
  }
  /* Each slot takes over with its next step; the lowest runs them all. */
  for (guint i = 0; i < 2; i++) {
    expect_near (engine, i);
    g_assert_cmpuint (count_kernels (engine, i), <, untuned[i]);
  }
  end (engine);
}

/* More sizes than are kept come while the tuner is at work: it leaves those that go. */
static void
test_leaving (void)
{
  Y10TuningProgress progress = { .size = sizeof progress };
  Y10Engine *engine;

  plans_each (plans_delete);
  g_setenv ("Y10_SIM_FUSE", "", TRUE);
  g_setenv ("Y10_SIM_BUILD_MS", "3", TRUE);
  engine = make_engine (0, 0, 2, TRUE, NULL);
  for (guint i = 0; i < 4 * N_SIZES; i++) {
    expect_near (engine, i % (N_SIZES - 1));
    g_usleep (1000 * (i % 7) * 20);
    /* One more while the tuner leaves it. */
    g_assert_cmpuint (y10_engine_count_shapes (engine), <=, 5);
  }
  pico_wait_tuned (engine, &progress);
  g_test_message ("%u of %u tuned, %u faster", progress.done, progress.total,
      progress.faster);
  for (guint i = 0; i < N_SIZES; i++)
    expect_near (engine, i);
  pico_wait_tuned (engine, &progress);
  g_assert_cmpuint (y10_engine_count_shapes (engine), ==, 4);
  end (engine);
  /* Ends while the tuner is at work. */
  plans_each (plans_delete);
  engine = make_engine (0, 0, 2, TRUE, NULL);
  for (guint i = 0; i < 3; i++)
    expect_near (engine, i);
  end (engine);
  g_unsetenv ("Y10_SIM_BUILD_MS");
}

int
main (int argc, char **argv)
{
  g_autofree char *memory = g_strdup_printf ("%u", MEMORY);
  int status;

  g_setenv ("Y10_SIM_MEMORY", memory, TRUE);
  plans_begin ();
  g_test_init (&argc, &argv, NULL);
  if (!y10_backend_probe (Y10_BACKEND_CUDA, NULL)
      || !(sim = y10_sim_control_get ())) {
    g_print ("1..0 # SKIP no simulated GPU\n");
    plans_end ();
    return 77;
  }
  for (gsize i = 0; i < sizeof noise; i++)
    noise[i] = (guint8) ((i * 2654435761u) >> 13);
  compute_expected ();
  g_test_add_func ("/sizes/batches", test_batches);
  g_test_add_func ("/sizes/memories", test_memories);
  g_test_add_func ("/sizes/no-memory", test_no_memory);
  g_test_add_func ("/sizes/lost", test_lost);
  g_test_add_func ("/sizes/destroyed", test_destroyed);
  g_test_add_func ("/sizes/tuned", test_tuned);
  g_test_add_func ("/sizes/leaving", test_leaving);
  status = g_test_run ();
  test_dir_remove ();
  plans_end ();
  return status;
}
