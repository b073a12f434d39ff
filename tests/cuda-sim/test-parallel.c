/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The lanes of captured steps on the simulated GPU, which runs the nodes of a graph in
 * any order that its edges allow. Whichever node runs as late as possible, the rows
 * are the same; and without any one of the waits they are not. */

#include <string.h>

#include "rig.h"
#include "run/engine.h"

/* Lanes cost no nodes. In one lane, each follows the one before. */
static void
test_nodes (void)
{
  guint n_nodes;

  g_setenv ("Y10_CUDA_LANES", "1", TRUE);
  y10_engine_unref (make_engine (1));
  n_nodes = sim->n_nodes ();
  g_assert_cmpuint (sim->longest_chain (), ==, n_nodes);
  g_assert_cmpuint (sim->n_waits (), ==, 0);
  g_unsetenv ("Y10_CUDA_LANES");
  y10_engine_unref (make_engine (1));
  g_test_message ("%u nodes, %u in a chain, %u waits", sim->n_nodes (),
      sim->longest_chain (), sim->n_waits ());
  g_assert_cmpuint (sim->n_nodes (), ==, n_nodes);
  g_assert_cmpuint (sim->longest_chain (), <, n_nodes * 4 / 5);
  g_assert_cmpuint (sim->n_waits (), >=, 5);
}

/* What a step reads before it is written is NaN, not what the step before left. */
static gboolean
poison (Y10Engine *engine, gpointer data, GError **error)
{
  for (guint i = 0; i < engine->config.n_slots; i++)
    engine->backend->poison (engine->slots[i].slot);
  return TRUE;
}

static void
test_delayed (void)
{
  guint n_nodes;
  Rig rig;

  rig_init (&rig, 2);
  n_nodes = sim->n_nodes ();
  for (guint node = 0; node < n_nodes; node++) {
    guint64 before;

    /* An engine learns how long steps take, and sleeps meanwhile. Here work runs only
     * while somebody waits, so it would sleep longer and longer. */
    if (node % 16 == 15) {
      y10_engine_unref (rig.engine);
      rig.engine = make_engine (2);
    }
    before = sim->n_graph_launches ();
    sim->delay_node (node);
    g_assert_true (y10_engine_call (rig.engine, poison, NULL, NULL));
    expect_same (&rig, node, 1);
    expect_same (&rig, node + 1, 2);
    g_assert_cmpuint (sim->n_graph_launches () - before, ==, 2);
  }
  sim->delay_node (G_MAXUINT);
  rig_clear (&rig);
}

static gboolean
is_wrong (Rig *rig, guint which)
{
  Y10Detection rows[1][MAX_ROWS];
  GError *error = NULL;
  Y10Step step;
  gboolean wrong;

  g_assert_true (y10_engine_call (rig->engine, poison, NULL, NULL));
  g_assert_true (y10_step_begin (rig->engine, -1, &step, NULL));
  add (&step, Y10_MEMORY_HOST, rig->pictures[which % N_PICTURES], NULL);
  y10_step_submit (&step, &error);
  g_assert_no_error (error);
  y10_step_wait (&step, -1, &error);
  g_assert_no_error (error);
  wrong = y10_step_read (&step, 0, rows[0], MAX_ROWS, &error) != MAX_ROWS
      || memcmp (rows[0], rig->rows[which % N_PICTURES], sizeof rows[0]);
  g_clear_error (&error);
  y10_step_end (&step);
  return wrong;
}

/* A graph that the warm-up refuses is noticed, too. */
static gboolean
is_noticed (Rig *rig, guint n_nodes)
{
  for (guint node = n_nodes; node-- > 0;) {
    guint64 before = sim->n_graph_launches ();

    sim->delay_node (node);
    if (is_wrong (rig, node) || sim->n_graph_launches () == before)
      return TRUE;
  }
  return FALSE;
}

static void
test_forgotten (void)
{
  GLogLevelFlags fatal;
  guint n_nodes, n_waits;
  Rig rig;

  rig_init (&rig, 1);
  n_nodes = sim->n_nodes ();
  n_waits = sim->n_waits ();
  y10_engine_unref (rig.engine);
  /* Whether the warm-up warns depends on the order in which the graph runs. */
  fatal = g_log_set_always_fatal (G_LOG_LEVEL_CRITICAL | G_LOG_FATAL_MASK);
  for (guint wait = 0; wait < n_waits; wait++) {
    sim->forget_wait (wait);
    rig.engine = make_engine (1);
    g_assert_true (is_noticed (&rig, n_nodes));
    sim->delay_node (G_MAXUINT);
    y10_engine_unref (rig.engine);
  }
  sim->forget_wait (G_MAXUINT);
  g_log_set_always_fatal (fatal);
  rig.engine = make_engine (1);
  g_assert_false (is_noticed (&rig, 8));
  sim->delay_node (G_MAXUINT);
  rig_clear (&rig);
}

static void
add_tests (void)
{
  g_test_add_func ("/parallel/nodes", test_nodes);
  g_test_add_func ("/parallel/delayed", test_delayed);
  g_test_add_func ("/parallel/forgotten", test_forgotten);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, add_tests);
}
