/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Captured steps on the simulated GPU: captures that another thread invalidates,
 * graphs that compute something else, and launches that fail for a while. Each time
 * steps run on with right results, and what can be mended later is. */

#include <string.h>

#include "rig.h"

/* Runs steps until one is launched as a graph; fails after @most steps. */
static guint
count_uncaptured (Rig *rig, guint most)
{
  for (guint i = 0; i < most; i++) {
    guint64 before = sim->n_graph_launches ();

    expect_same (rig, i, 1);
    if (sim->n_graph_launches () > before)
      return i;
  }
  g_assert_not_reached ();
}

/* No capture succeeds: the engine starts and runs kernel by kernel. Once they
 * succeed again, the graph is captured within as many steps as have run; done
 * twice. */
static void
test_invalidated (void)
{
  guint64 before, launches;
  Rig rig;

  y10_engine_unref (make_engine (1)); /* loads the simulator */
  sim->do_break (Y10_SIM_BREAK_INVALIDATE_CAPTURE, 1);
  before = sim->n_invalidated ();
  launches = sim->n_graph_launches ();
  rig_init (&rig, 2);
  for (guint i = 0; i < 20; i++)
    expect_same (&rig, i, 1 + i % 2);
  g_assert_cmpuint (sim->n_graph_launches (), ==, launches);
  g_test_message ("%" G_GUINT64_FORMAT " captures were invalidated in 23 steps",
      sim->n_invalidated () - before);
  g_assert_cmpuint (sim->n_invalidated () - before, >=, 6);
  g_assert_cmpuint (sim->n_invalidated () - before, <=, 12);
  sim->do_break (Y10_SIM_BREAK_NOTHING, 0);
  g_test_message ("captured %u steps later", count_uncaptured (&rig, 46));
  rig_clear (&rig);
}

typedef struct
{
  CUcontext context;
  int quit; /* atomic */
  guint n_calls, n_refused;
} Application;

/* Synchronizes the context again and again, as PyTorch does in its own thread. */
static gpointer
synchronize (gpointer data)
{
  Application *application = data;
  CUcontext popped;

  OK (ctx_push (application->context));
  while (!g_atomic_int_get (&application->quit)) {
    g_usleep (10);
    application->n_refused += sim->ctx_synchronize () != 0;
    application->n_calls++;
  }
  OK (ctx_pop (&popped));
  return NULL;
}

static void
test_foreign_synchronize (void)
{
  Application application = { 0 };
  guint64 before;
  GThread *thread;
  Rig rig;

  y10_engine_unref (make_engine (1));
  OK (primary_ctx_retain (&application.context, 0));
  before = sim->n_invalidated ();
  sim->set_slow_captures (TRUE);
  thread = g_thread_new ("application", synchronize, &application);
  rig_init (&rig, 2);
  for (guint i = 0; i < 20; i++)
    expect_same (&rig, i, 1 + i % 2);
  g_atomic_int_set (&application.quit, TRUE);
  g_thread_join (thread);
  sim->set_slow_captures (FALSE);
  g_test_message ("%" G_GUINT64_FORMAT " captures were invalidated; %u of %u "
                  "calls of cuCtxSynchronize failed",
      sim->n_invalidated () - before, application.n_refused,
      application.n_calls);
  g_assert_cmpuint (sim->n_invalidated () - before, >=, 4);
  count_uncaptured (&rig, 46);
  OK (primary_ctx_release (0));
  rig_clear (&rig);
}

static guint
count_fused (Y10Engine *engine)
{
  guint n = 0;

  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    n += strcmp (op.impl, "cuda:plain,fused") == 0;
  }
  return n;
}

/* Faster plans whose capture fails: the slot keeps its graph and takes them over
 * later. */
static void
test_invalidated_take_over (void)
{
  Y10Detection rows[1][MAX_ROWS];
  Y10Engine *engine;
  guint8 *pictures[N_PICTURES] = { make_picture (0) };

  g_setenv ("Y10_SIM_FUSE", "", TRUE);
  engine = make_engine (1);
  g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
  sim->do_break (Y10_SIM_BREAK_INVALIDATE_CAPTURE, 1);
  for (guint i = 0; i < 4; i++) {
    guint64 before = sim->n_graph_launches ();

    run (engine, pictures, 0, 1, rows);
    g_assert_cmpuint (sim->n_graph_launches () - before, ==, 1);
    g_assert_cmpuint (count_fused (engine), ==, 0);
  }
  sim->do_break (Y10_SIM_BREAK_NOTHING, 0);
  for (guint i = 0; i < 8; i++)
    run (engine, pictures, 0, 1, rows);
  g_assert_cmpuint (count_fused (engine), >, 0);
  y10_engine_unref (engine);
  g_unsetenv ("Y10_SIM_FUSE");
  g_free (pictures[0]);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

/* All graphs compute something else. The engine starts, warns, and runs kernel by
 * kernel for good. */
static void
test_wrong_graph (void)
{
  guint64 launches;
  Rig rig;

  y10_engine_unref (make_engine (1)); /* loads the simulator */
  rig_init (&rig, 2);
  y10_engine_unref (rig.engine); /* its rows are right */
  sim->do_break (Y10_SIM_BREAK_GRAPH, 1);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING,
      "*run without a graph: the captured network gives other results *");
  rig.engine = make_engine (2);
  g_test_assert_expected_messages ();
  launches = sim->n_graph_launches ();
  for (guint i = 0; i < 20; i++)
    expect_same (&rig, i, 1 + i % 2);
  sim->do_break (Y10_SIM_BREAK_NOTHING, 0);
  for (guint i = 0; i < 20; i++)
    expect_same (&rig, i, 1 + i % 2);
  g_assert_cmpuint (sim->n_graph_launches (), ==, launches);
  rig_clear (&rig);
}

/* Faster plans whose graph computes something else are rejected for good: the slot
 * keeps the plans and the graph that it has. */
static void
test_wrong_graph_take_over (void)
{
  Rig rig;

  rig_init (&rig, 1);
  y10_engine_unref (rig.engine);
  g_setenv ("Y10_SIM_FUSE", "", TRUE);
  rig.engine = make_engine (1);
  g_assert_true (y10_engine_wait_tuned (rig.engine, -1, NULL, NULL));
  sim->do_break (Y10_SIM_BREAK_GRAPH, 1);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING,
      "*new plans for 1 images are not used: the captured network *");
  count_uncaptured (&rig, 1);
  g_test_assert_expected_messages ();
  sim->do_break (Y10_SIM_BREAK_NOTHING, 0);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpuint (count_uncaptured (&rig, 1), ==, 0);
  g_assert_cmpuint (count_fused (rig.engine), ==, 0);
  g_unsetenv ("Y10_SIM_FUSE");
  rig_clear (&rig);
}

/* Faster plans that cannot run, or whose graph cannot, for lack of memory: steps run
 * as before, and the plans are taken over once there is memory. */
static void
test_refused_take_over (void)
{
  Y10Detection rows[1][MAX_ROWS];
  guint8 *pictures[N_PICTURES] = { make_picture (0) };

  g_setenv ("Y10_SIM_FUSE", "", TRUE);
  for (guint graphs = 0; graphs < 2; graphs++) {
    Y10Engine *engine = make_engine (1);

    g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
    sim->refuse (!graphs, graphs);
    if (!graphs)
      g_test_expect_message (NULL, G_LOG_LEVEL_WARNING,
          "*new plans for 1 images are not used for now: *out of memory*");
    run (engine, pictures, 0, 1, rows);
    g_test_assert_expected_messages ();
    g_assert_cmpuint (count_fused (engine), ==, 0);
    for (guint i = 0; i < 8; i++)
      run (engine, pictures, 0, 1, rows);
    g_assert_cmpuint (count_fused (engine), >, 0);
    y10_engine_unref (engine);
  }
  g_unsetenv ("Y10_SIM_FUSE");
  g_free (pictures[0]);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

static void
add_tests (void)
{
  g_test_add_func ("/graphs/invalidated", test_invalidated);
  g_test_add_func ("/graphs/foreign-synchronize", test_foreign_synchronize);
  g_test_add_func ("/graphs/invalidated-take-over", test_invalidated_take_over);
  g_test_add_func ("/graphs/wrong-graph", test_wrong_graph);
  g_test_add_func ("/graphs/wrong-graph-take-over", test_wrong_graph_take_over);
  g_test_add_func ("/graphs/refused-take-over", test_refused_take_over);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, add_tests);
}
