/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The head of a backend, from logits written into a tiny network's last
 * tensors to rows in pixels of a picture, against the plain arithmetic of
 * tests/common/decode.c. Which rows, and in what order, must be exact; scores
 * and places are floats that come from expf or an approximation of it. */

#include <math.h>
#include <string.h>

#include "checkop.h"
#include "decode.h"
#include "seeded.h"

#define SCORE_TOLERANCE 2e-6
#define BOX_TOLERANCE 2e-3 /* pixels of the picture, up to 1920 */
#define ROUNDING 2.5e-7    /* of a score */

/* Rows beyond the requested number: one of these may replace the last row if
 * their scores differ by rounding only. */
#define SPARE_ROWS 8

typedef struct
{
  float *box[3], *cls[3];
  TestLogits logits;
} HeadLogits;

static float *
seeded_plane (const char *what, guint level, guint64 seed, gsize n, float scale,
    float offset, float step)
{
  char name[32];
  float *values = g_new (float, n);

  g_snprintf (name, sizeof name, "%s %u", what, level);
  y10_seeded_fill (name, seed, n, values);
  for (gsize i = 0; i < n; i++) {
    values[i] = values[i] * scale + offset;
    if (step > 0) /* few values: ties everywhere */
      values[i] = roundf (values[i] / step) * step;
  }
  return values;
}

static void
make_logits (const HeadCase *c, const Y10Graph *graph, guint64 seed,
    HeadLogits *l)
{
  l->logits.n_classes = c->n_classes;
  l->logits.n_bins = c->n_bins;
  for (guint i = 0; i < 3; i++) {
    const Y10Tensor *t = &graph->tensors[graph->box[i].tensor];
    gsize area = (gsize) t->height * t->width;

    l->box[i] = seeded_plane ("box", i, seed, 4 * c->n_bins * area, 3, 0, 0);
    l->cls[i] = seeded_plane ("cls", i, seed, c->n_classes * area, 5, -1,
        c->ties ? 0.75f : 0);
    /* Where an activation overflows, all classes of that cell are NaN. */
    for (gsize j = 0; c->nan && j < c->n_classes * area; j++)
      if (j % area % 17 == 0)
        l->cls[i][j] = NAN;
    l->logits.height[i] = t->height;
    l->logits.width[i] = t->width;
    l->logits.stride[i] = 8u << i;
    l->logits.box[i] = l->box[i];
    l->logits.cls[i] = l->cls[i];
  }
}

/* NaN is never a detection: minus infinity sorts it last. */
static void
bury_nan (const HeadCase *c, HeadLogits *l)
{
  for (guint i = 0; i < 3; i++) {
    gsize n = (gsize) c->n_classes * l->logits.height[i] * l->logits.width[i];

    for (gsize j = 0; j < n; j++)
      if (isnan (l->cls[i][j]))
        l->cls[i][j] = -INFINITY;
  }
}

/* Undoes the training code's letterbox, then clips. */
static void
to_source (const HeadCase *c, double box[4])
{
  double scale = fmin ((double) c->width / c->src_width,
      (double) c->height / c->src_height);
  double left = (c->width - rint (c->src_width * scale)) / 2;
  double top = (c->height - rint (c->src_height * scale)) / 2;

  left = rint (left - 0.1);
  top = rint (top - 0.1);
  for (guint i = 0; i < 4; i++) {
    double limit = i & 1 ? c->src_height : c->src_width;

    box[i] = (box[i] - (i & 1 ? top : left)) / scale;
    box[i] = CLAMP (box[i], 0, limit);
  }
}

/* Rows whose scores differ by rounding only may come in either order if their
 * logits differ, and may also move the rows between them. Among equal logits
 * the order is fixed. */
static gboolean
may_stand_at (const GArray *expected, guint i, const TestRow *row)
{
  const TestRow *here = &g_array_index (expected, TestRow, i);

  if (row == here)
    return TRUE;
  if (fabs (row->score - here->score) > ROUNDING)
    return FALSE;
  for (guint j = 0; j < expected->len; j++) {
    const TestRow *other = &g_array_index (expected, TestRow, j);

    if (other->logit != here->logit
        && fabs (other->score - here->score) <= ROUNDING)
      return TRUE;
  }
  return FALSE;
}

static const TestRow *
find_row (const GArray *expected, const Y10Detection *got)
{
  for (guint j = 0; j < expected->len; j++) {
    const TestRow *row = &g_array_index (expected, TestRow, j);

    if (row->anchor == got->anchor && row->class_id == (guint) got->class_id)
      return row;
  }
  return NULL;
}

static void
compare_rows (const HeadCase *c, const GArray *expected, const Y10Rows *rows,
    Result *result)
{
  guint n = MIN (expected->len, c->max_detections);

  if (rows->n != n)
    result_fail (result, "%u rows, expected %u", rows->n, n);
  for (guint i = 0; i < MIN (rows->n, n); i++) {
    const Y10Detection *got = &rows->rows[i];
    const TestRow *e = find_row (expected, got);
    const TestRow *here = &g_array_index (expected, TestRow, i);
    const float edges[4] = { got->x0, got->y0, got->x1, got->y1 };
    double box[4], off, box_off = 0;

    if (!e || !may_stand_at (expected, i, e)) {
      result_fail (result,
          "row %u is anchor %u class %d score %.9g, expected "
          "anchor %u class %u score %.9g",
          i, got->anchor, got->class_id, got->confidence, here->anchor,
          here->class_id, here->score);
      continue;
    }
    box[0] = e->x0;
    box[1] = e->y0;
    box[2] = e->x1;
    box[3] = e->y1;
    to_source (c, box);
    off = fabs (got->confidence - e->score);
    for (guint j = 0; j < 4; j++)
      if (!(fabs (edges[j] - box[j]) <= box_off))
        box_off = fabs (edges[j] - box[j]);
    if (!(off <= SCORE_TOLERANCE) || !(box_off <= BOX_TOLERANCE))
      result_fail (result,
          "row %u, anchor %u: score off by %.3g, box by %.3g "
          "px",
          i, e->anchor, off, box_off);
    result->largest = MAX (result->largest, MAX (off, box_off));
  }
  for (guint i = 1; i < rows->n; i++) {
    const Y10Detection *p = &rows->rows[i - 1], *q = p + 1;

    if (p->confidence < q->confidence
        || (p->confidence == q->confidence
            && (p->anchor > q->anchor
                || (p->anchor == q->anchor && p->class_id >= q->class_id))))
      result_fail (result,
          "rows %u and %u are not ordered by score, anchor, "
          "class",
          i - 1, i);
  }
}

static gboolean
run_head (const Instance *instance, const HeadCase *c, const Y10Graph *graph,
    const HeadLogits *l, const guint8 *wanted, GError **error)
{
  const Y10BackendClass *class = instance->runner->class;
  g_autofree guint8 *pixels = g_malloc0 ((gsize) c->src_width * c->src_height);
  Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_GRAY8,
    .width = c->src_width,
    .height = c->src_height,
    .plane = { pixels },
    .stride = { c->src_width },
  };
  Y10HeadParams params = {
    .size = sizeof (Y10HeadParams),
    .confidence = c->confidence,
    .iou = c->iou,
    .class_agnostic = c->agnostic,
    .max_detections = c->max_detections,
    .classes = wanted,
  };
  Y10Letterbox letterbox;
  gboolean ok;

  y10_letterbox_init (&letterbox, c->src_width, c->src_height, c->width,
      c->height);
  ok = class->load (instance->slot, 0, &image, &letterbox, &params, error)
      && (!class->wait_input || class->wait_input (instance->slot, error));
  for (guint i = 0; ok && i < 3; i++)
    ok = class->write_tensor (instance->slot, 0, graph->box[i], l->box[i],
             error)
        && class->write_tensor (instance->slot, 0, graph->cls[i], l->cls[i],
            error);
  ok = ok
      && class->submit (instance->slot, 1, graph->n_ops, graph->n_ops, error)
      && (!class->wait || class->wait (instance->slot, error));
  return ok;
}

void
run_head_case (const Case *cs, const Runner *runner, const Runner *reference,
    const Options *options, Result *result)
{
  const HeadCase *c = &cs->head;
  Y10Graph *graph = tiny_graph_new (c->width, c->height, c->n_classes,
      c->n_bins, c->head);
  g_autofree guint8 *wanted = c->unwanted ? g_new (guint8, c->n_classes) : NULL;
  GArray *expected = NULL;
  HeadLogits l = {
    { 0 },
  };
  Instance instance;
  GError *error = NULL;

  result->ok = TRUE;
  g_strlcpy (result->impl, runner->class->name, sizeof result->impl);
  for (guint i = 0; wanted && i < c->n_classes; i++)
    wanted[i] = i % c->unwanted != 0;
  graph->multi_label = c->multi_label;
  if (instance_init (&instance, runner, graph, 1, 300, &error)) {
    make_logits (c, graph, options->seed, &l);
    if (run_head (&instance, c, graph, &l, wanted, &error)) {
      bury_nan (c, &l);
      expected = c->head == Y10_HEAD_ONE2ONE
          ? test_one2one (&l.logits, c->confidence, wanted,
              c->max_detections + SPARE_ROWS)
          : (c->multi_label ? test_pairs : test_one2many) (&l.logits,
              c->confidence, wanted, c->iou, c->agnostic,
              c->max_detections + SPARE_ROWS);
      compare_rows (c, expected, runner->class->rows (instance.slot, 0),
          result);
      g_array_unref (expected);
    }
    instance_clear (&instance);
  }
  if (error)
    result_fail (result, "%s", error->message);
  g_clear_error (&error);
  for (guint i = 0; i < 3; i++) {
    g_free (l.box[i]);
    g_free (l.cls[i]);
  }
  y10_graph_free (graph);
}
