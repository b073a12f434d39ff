/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The memory plan: no two live tensors share a byte, none lies outside the
 * arena, and sharing saves enough memory. The test computes each tensor's
 * lifetime independently, op by op; the plan may keep a tensor longer, never
 * shorter. */

#include <string.h>

#include "model/model.h"
#include "core/plan.h"
#include "util.h"

/* clang-format off */
#define LAYOUT(n, size, in_n, in_size, alignment, ...) { .block = n, .elem_size = size, \
  .input_block = in_n, .input_elem_size = in_size, .align = alignment, .max_run = 1, __VA_ARGS__ }
static const Y10Layout layouts[] = {
  LAYOUT (1, 4, 1, 4, 64),
  LAYOUT (8, 4, 1, 4, 64),
  LAYOUT (16, 4, 1, 4, 4096),
  LAYOUT (16, 2, 1, 4, 64),
  LAYOUT (8, 2, 4, 2, 256, .channels_last = TRUE),
  LAYOUT (8, 2, 8, 2, 256, .channels_last = TRUE, .parallel = TRUE),
  LAYOUT (8, 2, 8, 2, 256, .channels_last = TRUE, .parallel = TRUE, .pairs = TRUE),
};
/* clang-format on */

static Y10Graph *
graph_of (const char *shapes, guint width, guint height)
{
  const Y10TestFormat hollow = { .hollow = TRUE };
  Y10TestTensors *tensors = test_tensors (shapes, 0);
  g_autoptr (Y10Model) model = test_model (tensors, &hollow);
  GError *error = NULL;
  Y10Graph *graph = y10_model_build_graph (model, width, height,
      Y10_HEAD_ONE2ONE, &error);

  g_assert_no_error (error);
  y10_test_tensors_free (tensors);
  return graph;
}

/* First op that touches each tensor, and the last. */
static void
find_use (const Y10Graph *graph, guint *first, guint *last)
{
  for (guint i = 0; i < graph->n_tensors; i++) {
    first[i] = G_MAXUINT;
    last[i] = 0;
  }
  for (guint k = 0; k < graph->n_ops; k++) {
    const Y10Op *op = &graph->ops[k];
    const Y10View views[3] = { op->in, op->out, op->add };

    for (guint v = 0; v < 3; v++)
      if (views[v].n) {
        first[views[v].tensor] = MIN (first[views[v].tensor], k);
        last[views[v].tensor] = MAX (last[views[v].tensor], k);
      }
  }
  first[graph->input.tensor] = 0; /* written before the first op */
  for (guint i = 0; i < graph->n_levels; i++) {
    last[graph->box[i].tensor] = graph->n_ops; /* read by the head */
    last[graph->cls[i].tensor] = graph->n_ops;
  }
}

static gboolean
meet (Y10View a, Y10View b)
{
  return a.n && b.n && a.tensor == b.tensor && a.first < b.first + b.n
      && b.first < a.first + a.n;
}

/* By op and earlier op: whether data or memory of the one comes from the other. */
static gboolean *
find_order (const Y10Graph *graph)
{
  guint n = graph->n_ops;
  gboolean *before = g_new0 (gboolean, (gsize) n * n);

  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < k; i++) {
      const Y10Op *op = &graph->ops[k], *o = &graph->ops[i];

      if (!meet (o->out, op->in) && !meet (o->out, op->add)
          && !meet (o->in, op->out) && !meet (o->add, op->out)
          && !meet (o->out, op->out))
        continue;
      before[k * n + i] = TRUE;
      for (guint j = 0; j < i; j++)
        before[k * n + j] |= before[i * n + j];
    }
  return before;
}

/* Where ops run at the same time, tensors share memory only if every op that uses the
 * one has to run before each that uses the other. */
static void
check_parallel (const Y10Graph *graph, const Y10Plan *plan)
{
  guint n = graph->n_ops;
  g_autofree gboolean *before = find_order (graph);

  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < k; i++) {
      const Y10Op *a = &graph->ops[k], *b = &graph->ops[i];
      const Y10View of[] = { a->in, a->out, a->add };
      const Y10View to[] = { b->in, b->out, b->add };

      for (guint v = 0; v < 9 && !before[k * n + i]; v++) {
        Y10View x = of[v / 3], y = to[v % 3];
        const Y10Storage *s = &plan->storage[x.tensor];
        const Y10Storage *t = &plan->storage[y.tensor];

        if (x.n && y.n && x.tensor != y.tensor)
          g_assert_true (s->offset + s->size <= t->offset
              || t->offset + t->size <= s->offset);
      }
    }
}

static void
check_plan (const Y10Graph *graph, const Y10Layout *layout)
{
  g_autofree guint *first = g_new (guint, graph->n_tensors);
  g_autofree guint *last = g_new (guint, graph->n_tensors);
  GError *error = NULL;
  Y10Plan *plan = y10_plan_new (graph, layout, &error);
  gsize sum = 0, most = 0;

  g_assert_no_error (error);
  find_use (graph, first, last);
  for (guint i = 0; i < graph->n_tensors; i++) {
    const Y10Storage *s = &plan->storage[i];
    const Y10Tensor *t = &graph->tensors[i];
    gsize channels = 0,
          elem = t->role == Y10_ROLE_LOGITS ? 4
        : t->role == Y10_ROLE_INPUT         ? layout->input_elem_size
                                            : layout->elem_size;
    guint block = t->role == Y10_ROLE_INPUT ? layout->input_block
                                            : layout->block;

    for (guint j = 0; j < t->n_segs; j++)
      channels += (t->seg_channels[j] + block - 1) / block * block;
    g_assert_cmpuint (s->size, >=, channels * t->height * t->width * elem);
    g_assert_cmpuint (s->offset % layout->align, ==, 0);
    g_assert_cmpuint (s->first_op, <=, first[i]);
    g_assert_cmpuint (s->last_op, >=, last[i]);
    g_assert_cmpuint (s->offset + s->size, <=, plan->arena_size);
    sum += s->size;
    for (guint j = 0; j < i; j++) {
      const Y10Storage *o = &plan->storage[j];

      if (first[i] > last[j] || first[j] > last[i])
        continue; /* never both live */
      g_assert_true (
          s->offset + s->size <= o->offset || o->offset + o->size <= s->offset);
    }
  }
  if (layout->parallel)
    check_parallel (graph, plan);
  for (guint k = 0; k <= graph->n_ops; k++) {
    gsize live = 0;

    for (guint i = 0; i < graph->n_tensors; i++)
      if (plan->storage[i].first_op <= k && k <= plan->storage[i].last_op)
        live += plan->storage[i].size;
    most = MAX (most, live);
  }
  g_test_message ("block %u, %u bytes%s: arena %.2f MB, all tensors %.2f, most "
                  "at once %.2f",
      layout->block, layout->elem_size, layout->parallel ? ", parallel" : "",
      (double) plan->arena_size / 1e6, (double) sum / 1e6, (double) most / 1e6);
  g_assert_cmpuint (plan->arena_size, >=, most);
  g_assert_cmpuint (plan->arena_size, <=, most + most / 4);
  g_assert_cmpuint (plan->arena_size, <, sum / 2);
  y10_plan_free (plan);
}

static void
test_variants (void)
{
  for (const char *v = "nsmblx"; *v; v++) {
    char shapes[] = "yolov10?-nc80";
    Y10Graph *graph;

    *strchr (shapes, '?') = *v;
    graph = graph_of (shapes, 640, 640);
    for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
      check_plan (graph, &layouts[i]);
    y10_graph_free (graph);
  }
}

static void
test_sizes (void)
{
  static const guint sizes[][2] = { { 32, 32 }, { 640, 384 }, { 96, 1280 } };

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    Y10Graph *graph = graph_of ("tiny-x-nc3", sizes[k][0], sizes[k][1]);

    for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
      check_plan (graph, &layouts[i]);
    y10_graph_free (graph);
  }
}

/* In every layout, each view reads back from the arena unchanged, and writing
 * it changes no byte of other views or of padding. */
static void
test_import_export (void)
{
  Y10Graph *graph = graph_of ("tiny-nc3", 64, 32);

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++) {
    Y10Plan *plan = y10_plan_new (graph, &layouts[i], NULL);
    guint8 *arena = g_malloc (plan->arena_size);
    guint8 *before = g_malloc (plan->arena_size);

    for (guint k = 0; k < graph->n_ops; k++) {
      Y10View view = graph->ops[k].out;
      const Y10Tensor *t = &graph->tensors[view.tensor];
      gsize n = (gsize) y10_graph_view_channels (graph, view) * t->height
          * t->width,
            changed = 0;
      float *in = g_new (float, n), *out = g_new (float, n);

      for (gsize j = 0; j < n; j++)
        in[j] = (float) (j % 251 + 1); /* exact in 8 bits */
      memset (arena, 0xA5, plan->arena_size);
      memcpy (before, arena, plan->arena_size);
      y10_plan_view_import (plan, view, arena, in);
      y10_plan_view_export (plan, view, arena, out);
      g_assert_cmpmem (in, n * sizeof *in, out, n * sizeof *out);
      for (gsize j = 0; j < plan->arena_size; j++)
        changed += arena[j] != before[j];
      g_assert_cmpuint (changed, <=, n * plan->storage[view.tensor].elem_size);
      g_free (in);
      g_free (out);
    }
    g_free (arena);
    g_free (before);
    y10_plan_free (plan);
  }
  y10_graph_free (graph);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/variants", test_variants);
  g_test_add_func ("/plan/sizes", test_sizes);
  g_test_add_func ("/plan/import-export", test_import_export);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
