/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Steps on the simulated GPU: their number of calls, batch sizes that are not
 * prepared yet, frames that are freed before the next step runs. */

#include <string.h>

#include "rig.h"
#include "run/reserve.h"
#include "run/tuning.h"

static gboolean
is_prepared (Rig *rig)
{
  Y10TuningProgress progress = { .size = sizeof progress };

  y10_engine_get_tuning_progress (rig->engine, &progress);
  return progress.finished;
}

/* Preparing one batch size takes 40 convolutions times 100 ms. No step waits for
 * that: it runs as a larger size, with the same results. */
static void
test_unprepared (void)
{
  Rig rig;

  g_setenv ("Y10_SIM_PLAN_MS", "100", TRUE);
  rig_init (&rig, MOST);
  for (guint n = 1; n <= MOST; n++) {
    g_assert_false (is_prepared (&rig));
    expect_same (&rig, n, n);
  }
  g_unsetenv ("Y10_SIM_PLAN_MS");
  /* 3 images then run as 4, or as 3 if that size was requested. */
  y10_engine_request_batch_size (rig.engine, 3);
  y10_engine_request_batch_size (rig.engine, 3);
  y10_engine_request_batch_size (rig.engine, MOST + 1);
  g_assert_true (y10_engine_wait_tuned (rig.engine, -1, NULL, NULL));
  for (guint n = 1; n <= MOST; n++)
    expect_same (&rig, n, n);
  rig_clear (&rig);
}

/* An engine ends while batch sizes are prepared. */
static void
test_quit (void)
{
  Rig rig;

  g_setenv ("Y10_SIM_PLAN_MS", "20", TRUE);
  rig_init (&rig, MOST);
  g_assert_false (is_prepared (&rig));
  rig_clear (&rig);
  g_unsetenv ("Y10_SIM_PLAN_MS");
}

/* The surplus images of a step are computed without a frame: the previous
 * step's frames are freed, so the simulator would report a read. */
static void
test_surplus (void)
{
  static const guint sizes[] = { MOST, 3, 5, 1 };
  CUdeviceptr frames[MOST];
  Y10Detection rows[MOST][MAX_ROWS];
  CUcontext context, popped;
  CUstream stream;
  Y10Step step;
  Rig rig;

  rig_init (&rig, MOST);
  OK (primary_ctx_retain (&context, 0));
  OK (ctx_push (context));
  OK (stream_create (&stream, Y10_CU_STREAM_NON_BLOCKING, 0));
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    guint n = sizes[k];

    g_assert_true (y10_step_begin (rig.engine, -1, &step, NULL));
    for (guint i = 0; i < n; i++) {
      OK (mem_alloc (&frames[i], BYTES));
      OK (memcpy_htod_async (frames[i], rig.pictures[i % N_PICTURES], BYTES,
          stream));
      add (&step, Y10_MEMORY_CUDA, GSIZE_TO_POINTER (frames[i]), stream);
    }
    finish (&step, n, rows);
    for (guint i = 0; i < n; i++) {
      g_assert_cmpmem (rows[i], sizeof rows[i], rig.rows[i % N_PICTURES],
          sizeof rows[i]);
      OK (mem_free (frames[i]));
    }
  }
  expect_same (&rig, 1, 3);
  OK (stream_destroy (stream));
  OK (ctx_pop (&popped));
  OK (primary_ctx_release (0));
  rig_clear (&rig);
}

/* A captured step of any number of images: one kernel reads them, behind one
 * copy of their descriptions and one copy of each frame in host memory. The
 * letterbox's tables are copied when the frame's size changes, and the head's parameters
 * when one of them does: with the number of images, but not in the next such step. */
static void
test_launches (void)
{
  guint64 launches, copies;
  Rig rig;

  rig_init (&rig, MOST);
  g_assert_true (y10_engine_wait_tuned (rig.engine, -1, NULL, NULL));
  for (guint i = 0; i < 4; i++)
    expect_same (&rig, 0, MOST);
  for (guint n = 1; n <= MOST; n++) {
    copies = sim->n_copies ();
    expect_same (&rig, n, n);
    g_assert_cmpuint (sim->n_copies () - copies, <=, n + 2);
    launches = sim->n_launches ();
    copies = sim->n_copies ();
    expect_same (&rig, n, n);
    g_test_message ("a step of %u images: %" G_GUINT64_FORMAT
                    " launches and %" G_GUINT64_FORMAT
                    " copies besides the graph",
        n, sim->n_launches () - launches, sim->n_copies () - copies);
    g_assert_cmpuint (sim->n_launches () - launches, ==, 1);
    g_assert_cmpuint (sim->n_copies () - copies, ==, n + 1);
  }
  rig_clear (&rig);
}

/* The thread that adds a frame in host memory copies it: the frame may change
 * before the step is submitted. */
static void
test_staged (void)
{
  Y10Detection rows[2][MAX_ROWS];
  guint8 *frame;
  Y10Step step;
  Rig rig;

  rig_init (&rig, 2);
  frame = g_memdup2 (rig.pictures[1], BYTES);
  g_assert_true (y10_step_begin (rig.engine, -1, &step, NULL));
  add (&step, Y10_MEMORY_HOST, rig.pictures[0], NULL);
  add (&step, Y10_MEMORY_HOST, frame, NULL);
  memset (frame, 0, BYTES);
  finish (&step, 2, rows);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpmem (rows[i], sizeof rows[i], rig.rows[i], sizeof rows[i]);
  /* A frame that is added and never submitted does not appear in the next
   * step. */
  g_assert_true (y10_step_begin (rig.engine, -1, &step, NULL));
  add (&step, Y10_MEMORY_HOST, frame, NULL);
  y10_step_end (&step);
  expect_same (&rig, 1, 1);
  g_free (frame);
  rig_clear (&rig);
}

/* Memory that is reserved before the first frame is enough for a full step; a
 * larger frame makes it grow, in the thread that adds it. */
static void
test_reserved (void)
{
  Y10Detection rows[MOST][MAX_ROWS];
  guint8 *pictures[N_PICTURES];
  guint8 *large = g_malloc0 (2 * BYTES);
  const Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_RGB,
    .width = WIDTH,
    .height = 2 * HEIGHT,
    .plane = { large },
    .stride = { PITCH },
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Engine *engine = make_engine (MOST);
  GError *error = NULL;
  Y10Step step;

  for (guint i = 0; i < N_PICTURES; i++)
    pictures[i] = make_picture (i);
  params.max_detections = MAX_ROWS;
  y10_engine_reserve (engine, Y10_PIXEL_RGB, WIDTH, HEIGHT, MOST);
  sim->mark_started (); /* this thread may not allocate from now on */
  for (guint n = 1; n <= MOST; n++)
    run (engine, pictures, n, n, rows);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
  sim->mark_stopped ();
  g_assert_true (y10_step_begin (engine, -1, &step, NULL));
  g_assert_true (y10_step_add (&step, &image, &params, &error));
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  y10_step_end (&step);
  for (guint i = 0; i < N_PICTURES; i++)
    g_free (pictures[i]);
  g_free (large);
  y10_engine_unref (engine);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

/* No thread busy-waits for the GPU, and no kernel reads unwritten memory. */
static void
test_waits (void)
{
  guint64 spins, unset;
  Rig rig;

  y10_engine_unref (make_engine (1));
  spins = sim->n_spins ();
  unset = sim->n_unset ();
  rig_init (&rig, 2);
  for (guint i = 0; i < 10; i++)
    expect_same (&rig, i, 1 + i % 2);
  g_test_message ("%" G_GUINT64_FORMAT
                  " waits keep a core busy; %" G_GUINT64_FORMAT
                  " allocations are read before they are written",
      sim->n_spins () - spins, sim->n_unset () - unset);
  g_assert_cmpuint (sim->n_spins () - spins, ==, 0);
  g_assert_cmpuint (sim->n_unset () - unset, ==, 0);
  rig_clear (&rig);
}

static void
add_tests (void)
{
  g_test_add_func ("/steps/unprepared", test_unprepared);
  g_test_add_func ("/steps/quit", test_quit);
  g_test_add_func ("/steps/surplus", test_surplus);
  g_test_add_func ("/steps/launches", test_launches);
  g_test_add_func ("/steps/staged", test_staged);
  g_test_add_func ("/steps/reserved", test_reserved);
  g_test_add_func ("/steps/waits", test_waits);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, add_tests);
}
