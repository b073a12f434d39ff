/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Frames in device memory, which a producer's stream writes until the last
 * moment, and overwrites as soon as their pixels are no longer needed, on the
 * simulated GPU, which runs queued work in any allowed order. The same runs
 * again with one synchronization removed: waiting for the producer, waiting
 * until the pixels have been read, waiting for the end, the check of the slot.
 * The test must notice each removal by the expected symptom. */

#include <string.h>

#include "control.h"
#include "pico.h"
#include "run/engine.h"

#define MAX_ROWS PICO_MAX_ROWS
#define N_PICTURES 4
#define N_STEPS 60
#define MAX_BROKEN_STEPS (20 * N_STEPS)
#define WIDTH 50
#define HEIGHT 40
#define PITCH 256
#define BYTES (PITCH * HEIGHT)

static const Y10SimControl *sim;
static const Y10CudaDriver *d;

#define OK(call) g_assert_cmpint (d->call, ==, 0)

/* A producer: pictures in pinned memory, and a frame that it writes. */
typedef struct
{
  Y10Engine *engine;
  CUcontext context;
  CUstream stream, other;
  CUdeviceptr frame;
  guint8 *pictures;                        /* N_PICTURES of BYTES, pinned */
  Y10Detection rows[N_PICTURES][MAX_ROWS]; /* expected detections in each */
} Rig;

/* Submits a step with one frame. */
static void
submit (Y10Engine *engine, Y10Memory memory, const void *frame, gpointer stream,
    Y10Step *step)
{
  const Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_RGB,
    .memory = memory,
    .width = WIDTH,
    .height = HEIGHT,
    .plane = { frame },
    .stride = { PITCH },
    .cuda_stream = stream,
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;

  params.confidence = 0;
  params.max_detections = MAX_ROWS;
  y10_step_begin (engine, -1, step, &error);
  g_assert_no_error (error);
  y10_step_add (step, &image, &params, &error);
  g_assert_no_error (error);
  y10_step_submit (step, &error);
  g_assert_no_error (error);
}

static void
rig_init (Rig *rig)
{
  GRand *rand = g_rand_new_with_seed (7);
  Y10EngineConfig config;
  GError *error = NULL;
  Y10Step step;

  memset (rig, 0, sizeof *rig);
  pico_config_init (&config, Y10_BACKEND_CUDA);
  rig->engine = pico_engine (&config, NULL);
  sim = y10_sim_control_get ();
  d = sim->driver (NULL);
  OK (primary_ctx_retain (&rig->context, 0));
  OK (ctx_push (rig->context));
  OK (stream_create (&rig->stream, Y10_CU_STREAM_NON_BLOCKING, 0));
  OK (stream_create (&rig->other, Y10_CU_STREAM_NON_BLOCKING, 0));
  OK (mem_alloc (&rig->frame, BYTES));
  OK (mem_host_alloc ((void **) &rig->pictures, N_PICTURES * BYTES, 0));
  for (guint i = 0; i < N_PICTURES * BYTES; i++)
    rig->pictures[i] = (guint8) g_rand_int (rand);
  g_rand_free (rand);
  /* Computes the expected detections of all pictures, from host memory. */
  for (guint i = 0; i < N_PICTURES; i++) {
    submit (rig->engine, Y10_MEMORY_HOST, rig->pictures + i * BYTES, NULL,
        &step);
    y10_step_wait (&step, -1, &error);
    g_assert_no_error (error);
    g_assert_cmpint (y10_step_read (&step, 0, rig->rows[i], MAX_ROWS, NULL), ==,
        MAX_ROWS);
    y10_step_end (&step);
    for (guint k = 0; k < i; k++)
      g_assert_cmpint (memcmp (rig->rows[i], rig->rows[k], sizeof rig->rows[i]),
          !=, 0);
  }
}

static void
rig_clear (Rig *rig)
{
  CUcontext popped;

  y10_engine_unref (rig->engine);
  OK (mem_free (rig->frame));
  OK (mem_free_host (rig->pictures));
  OK (stream_destroy (rig->stream));
  OK (stream_destroy (rig->other));
  OK (ctx_pop (&popped));
  OK (primary_ctx_release (0));
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

/* Runs one picture through the frame. As soon as the engine reports that the
 * pixels have been read, the producer overwrites them. Returns whether the
 * detections are right. */
static gboolean
run_frame (Rig *rig, guint which)
{
  Y10Detection rows[MAX_ROWS];
  GError *error = NULL;
  Y10Step step;
  gint n;

  OK (memcpy_htod_async (rig->frame, rig->pictures + which * BYTES, BYTES,
      rig->stream));
  submit (rig->engine, Y10_MEMORY_CUDA, GSIZE_TO_POINTER (rig->frame),
      rig->stream, &step);
  y10_step_wait_input (&step, -1, &error);
  g_assert_no_error (error);
  OK (memset_d8_async (rig->frame, 0x80, BYTES, rig->other));
  OK (stream_synchronize (rig->other));
  y10_step_wait (&step, -1, &error);
  g_assert_no_error (error);
  n = y10_step_read (&step, 0, rows, MAX_ROWS, &error);
  g_assert_no_error (error);
  y10_step_end (&step);
  return n == MAX_ROWS && memcmp (rows, rig->rows[which], sizeof rows) == 0;
}

static guint
count_wrong (Rig *rig)
{
  guint n = 0;

  for (guint i = 0; i < N_STEPS; i++)
    n += !run_frame (rig, i % N_PICTURES);
  return n;
}

static void
test_right (void)
{
  Rig rig;

  rig_init (&rig);
  g_assert_cmpuint (count_wrong (&rig), ==, 0);
  rig_clear (&rig);
}

/* Symptom: wrong results, because a frame was read too early or too late. How
 * many depends on how threads are scheduled. */
static void
test_without_wait (gconstpointer kind)
{
  guint wrong = 0, n = 0;
  Rig rig;

  rig_init (&rig);
  sim->do_break (GPOINTER_TO_INT (kind), 1);
  for (; !wrong && n < MAX_BROKEN_STEPS; n += N_STEPS)
    wrong = count_wrong (&rig);
  sim->do_break (Y10_SIM_BREAK_NOTHING, 0);
  g_test_message ("%u of %u frames were not read as they were written", wrong,
      n);
  g_assert_cmpuint (wrong, >, 0);
  rig_clear (&rig);
}

/* Symptom: the duration of a step that has not ended. */
static void
test_without_end (void)
{
  guint n_noticed = 0;
  Rig rig;

  rig_init (&rig);
  sim->do_break (Y10_SIM_BREAK_SYNCHRONIZE, 1);
  for (guint i = 0; !n_noticed && i < MAX_BROKEN_STEPS; i++) {
    GError *error = NULL;
    Y10Step step;

    submit (rig.engine, Y10_MEMORY_HOST, rig.pictures, NULL, &step);
    if (!y10_step_wait (&step, -1, &error)) {
      test_expect_error (error, Y10_ERROR_BACKEND, "timing the network",
          "NOT_READY", NULL);
      n_noticed++;
    }
    y10_step_end (&step);
  }
  sim->do_break (Y10_SIM_BREAK_NOTHING, 0);
  g_assert_cmpuint (n_noticed, >, 0);
  rig_clear (&rig);
}

/* Symptom: the results of another picture, for the step that holds the slot. */
static void
test_without_slot_check (void)
{
  Y10Detection rows[MAX_ROWS];
  GError *error = NULL;
  Y10Step mine, theirs;
  Rig rig;

  rig_init (&rig);
  submit (rig.engine, Y10_MEMORY_HOST, rig.pictures, NULL, &mine);
  g_assert_true (y10_step_wait (&mine, -1, &error));
  g_assert_false (y10_step_begin (rig.engine, 0, &theirs, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_BUSY, NULL);
  g_assert_cmpint (y10_step_read (&mine, 0, rows, MAX_ROWS, NULL), ==,
      MAX_ROWS);
  g_assert_cmpmem (rows, sizeof rows, rig.rows[0], sizeof rig.rows[0]);

  y10_test_skip_slot_check = TRUE;
  submit (rig.engine, Y10_MEMORY_HOST, rig.pictures + BYTES, NULL, &theirs);
  g_assert_true (y10_step_wait (&theirs, -1, &error));
  g_assert_cmpint (y10_step_read (&mine, 0, rows, MAX_ROWS, NULL), ==,
      MAX_ROWS);
  g_assert_cmpmem (rows, sizeof rows, rig.rows[1], sizeof rig.rows[1]);
  y10_test_skip_slot_check = FALSE;
  y10_step_end (&theirs);
  g_assert_cmpint (y10_step_read (&mine, 0, rows, MAX_ROWS, &error), ==, -1);
  test_expect_error (error, Y10_ERROR_STALE, NULL);
  rig_clear (&rig);
}

int
main (int argc, char **argv)
{
  g_autoptr (GString) why = g_string_new (NULL);
  int status;

  if (!y10_backend_probe (Y10_BACKEND_CUDA, why) || !y10_sim_control_get ()) {
    g_print ("1..0 # SKIP no simulated GPU: %s\n", why->str);
    return 77;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frames/right", test_right);
  g_test_add_data_func ("/frames/without-producer-wait",
      GINT_TO_POINTER (Y10_SIM_BREAK_WAIT_EVENT), test_without_wait);
  g_test_add_data_func ("/frames/without-input-wait",
      GINT_TO_POINTER (Y10_SIM_BREAK_UNTIMED), test_without_wait);
  g_test_add_func ("/frames/without-end", test_without_end);
  g_test_add_func ("/frames/without-slot-check", test_without_slot_check);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
