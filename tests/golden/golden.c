/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* golden [--backend B] [--precision P] [--threads N] X.golden.json…
 *
 * Compares the engine with what PyTorch computed from the same seeded weights
 * and input: every module's output, looked at in the production plan right
 * after the op that completes it; the predictions, decoded here from the
 * head's logits; the detections. A layer's error is its largest difference
 * over the layer's standard deviation. Exits 1 when anything is out of
 * tolerance, 2 when something could not be compared, 77 when this machine has
 * not got the backend or the precision. */

#define STATUS_SKIP 77

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <y10/y10.h>

#include "decode.h"
#include "engine-private.h"
#include "expected.h"
#include "seeded.h"

/* What PyTorch in fp32 itself varies by, with room for another order of
 * summation: 1e-5 of a layer's deviation was the worst seen. bf16 has 8 bits
 * of mantissa; over 23 layers single values stray far but the mass does not,
 * hence a loose largest and a tight root mean square. fp16 and TF32 have three
 * bits more than bf16. */
static const struct Tolerance
{
  Y10Precision precision;
  double largest;               /* |difference| / standard deviation */
  double rms;                   /* of the difference over that of the values */
} tolerances[] = {
  {Y10_PRECISION_FP32, 1e-4, 1e-5},
  {Y10_PRECISION_TF32, 0.05, 0.004},
  {Y10_PRECISION_FP16, 0.05, 0.004},
  {Y10_PRECISION_BF16, 0.4, 0.03},
};

#define SCORE_TOLERANCE 1e-4
#define BOX_TOLERANCE 0.05      /* pixels */
#define MAX_ROWS 300

typedef struct
{
  double largest, rms;
} Difference;

/* One golden file on one engine. */
typedef struct
{
  const Expected *expected;
  const struct Tolerance *tolerance;
  Y10Engine *engine;
  const Y10Graph *graph;
  Y10Step step;
  float *logits[2 * Y10_N_LEVELS];
  TestLogits decoded;
  Difference worst;             /* of all layers and the predictions */
  int worst_layer;
  double worst_score, worst_box;        /* of the detections */
  guint n_matched, n_rows;
  guint misses;
} Comparison;

static char *backend_name, *precision_name;
static int n_threads;
static gboolean quiet;

G_GNUC_PRINTF (2, 3)
static void
miss (Comparison *c, const char *format, ...)
{
  va_list args;

  if (c->misses++ >= 20)
    return;
  va_start (args, format);
  printf ("  MISS ");
  vprintf (format, args);
  printf ("\n");
  va_end (args);
}

static Difference
compare_sample (Comparison *c, const char *what, const Sample *sample,
    const float *got, gsize n)
{
  Difference d = { 0, 0 };
  double sum = 0, sum_of_squares = 0, mean, std, norm;
  double diff2 = 0, value2 = 0;

  if (n != sample->n_elements) {
    miss (c, "%s: %" G_GSIZE_FORMAT " values, expected %" G_GSIZE_FORMAT,
        what, n, sample->n_elements);
    return (Difference) { INFINITY, INFINITY };
  }
  for (guint i = 0; i < sample->n; i++) {
    double difference = fabs (got[sample->index[i]] - sample->value[i]);

    diff2 += difference * difference;
    value2 += sample->value[i] * sample->value[i];
    /* Written so that NaN counts as the largest. */
    if (!(difference / sample->std <= d.largest))
      d.largest = difference / sample->std;
  }
  d.rms = sqrt (diff2 / value2);

  /* The samples are few; the sums see every element. */
  for (gsize i = 0; i < n; i++)
    sum += got[i];
  mean = sum / (double) n;
  for (gsize i = 0; i < n; i++)
    sum_of_squares += (got[i] - mean) * (got[i] - mean);
  std = sqrt (sum_of_squares / (double) (n - 1));        /* as torch.std */
  norm = sqrt (sum_of_squares + (double) n * mean * mean);
  if (!(fabs (mean - sample->mean) / sample->std <= c->tolerance->rms)
      || !(fabs (std / sample->std - 1) <= c->tolerance->rms)
      || !(fabs (norm / sample->norm - 1) <= c->tolerance->rms))
    miss (c, "%s: mean %.7g std %.7g norm %.7g, expected %.7g %.7g %.7g",
        what, mean, std, norm, sample->mean, sample->std, sample->norm);
  if (!(d.largest <= c->tolerance->largest) || !(d.rms <= c->tolerance->rms))
    miss (c, "%s: largest %.3g of a standard deviation, relative RMS %.3g; "
        "tolerance %.3g and %.3g", what, d.largest, d.rms,
        c->tolerance->largest, c->tolerance->rms);
  return d;
}

static void
note_worst (Comparison *c, Difference d, int layer)
{
  if (!(d.largest <= c->worst.largest)) {
    c->worst.largest = d.largest;
    c->worst_layer = layer;
  }
  if (!(d.rms <= c->worst.rms))
    c->worst.rms = d.rms;
}

static float *
peek (Comparison *c, Y10View view, gsize *n, GError **error)
{
  const Y10Tensor *t = &c->graph->tensors[view.tensor];
  float *values;

  *n = (gsize) y10_graph_view_channels (c->graph, view) * t->height * t->width;
  values = g_new (float, *n);
  if (y10_step_peek (&c->step, 0, view, values, error))
    return values;
  g_free (values);
  return NULL;
}

/* The op after which nothing writes to @view any more. */
static guint
completed_by (const Y10Graph *graph, Y10View view)
{
  guint last = 0;

  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10View *out = &graph->ops[i].out;

    if (out->tensor == view.tensor && out->first < view.first + view.n
        && view.first < out->first + out->n)
      last = i;
  }
  return last;
}

static gboolean
run_layers (Comparison *c, GError **error)
{
  const Expected *e = c->expected;
  guint done = 0;

  for (;;) {
    guint end = c->graph->n_ops;

    /* Concats complete out of order: look at whatever is due next. */
    for (guint i = 0; i < e->n_layers; i++) {
      guint op = completed_by (c->graph, c->graph->layer[i]) + 1;

      if (op > done && op < end)
        end = op;
    }
    if (!y10_step_run (&c->step, done, end, error))
      return FALSE;
    for (guint i = 0; i < e->n_layers; i++) {
      const Y10View view = c->graph->layer[i];
      const Y10Tensor *t = &c->graph->tensors[view.tensor];
      char what[64];
      Difference d;
      float *values;
      gsize n;

      if (completed_by (c->graph, view) + 1 != end)
        continue;
      values = peek (c, view, &n, error);
      if (!values)
        return FALSE;
      g_snprintf (what, sizeof what, "layer %2u %4ux%ux%u", i,
          y10_graph_view_channels (c->graph, view), t->height, t->width);
      d = compare_sample (c, what, &e->layers[i], values, n);
      g_free (values);
      note_worst (c, d, (int) i);
      if (!quiet)
        printf ("  %-26s %9.2e  rms %9.2e\n", what, d.largest, d.rms);
    }
    if (end == c->graph->n_ops)
      return TRUE;
    done = end;
  }
}

static gboolean
peek_logits (Comparison *c, GError **error)
{
  const Y10Graph *graph = c->graph;

  c->decoded.n_classes = graph->n_classes;
  c->decoded.n_bins = graph->n_bins;
  for (guint i = 0; i < Y10_N_LEVELS; i++) {
    const Y10Tensor *t = &graph->tensors[graph->box[i].tensor];
    gsize n;

    c->logits[2 * i] = peek (c, graph->box[i], &n, error);
    if (!c->logits[2 * i])
      return FALSE;
    c->logits[2 * i + 1] = peek (c, graph->cls[i], &n, error);
    if (!c->logits[2 * i + 1])
      return FALSE;
    c->decoded.height[i] = t->height;
    c->decoded.width[i] = t->width;
    c->decoded.stride[i] = 8u << i;
    c->decoded.box[i] = c->logits[2 * i];
    c->decoded.cls[i] = c->logits[2 * i + 1];
  }
  return TRUE;
}

static void
compare_predictions (Comparison *c)
{
  const Sample *sample = &c->expected->pred;
  guint n_classes = c->expected->n_classes, row = 4 + n_classes;
  guint n_anchors = test_logits_n_anchors (&c->decoded);
  float *pred = g_new (float, (gsize) n_anchors * row), *p = pred;
  double score = 0, box = 0;
  Difference d;

  for (guint a = 0; a < n_anchors; a++) {
    double b[4];

    test_logits_decode (&c->decoded, a, b);
    *p++ = (float) ((b[0] + b[2]) / 2);
    *p++ = (float) ((b[1] + b[3]) / 2);
    *p++ = (float) (b[2] - b[0]);
    *p++ = (float) (b[3] - b[1]);
    for (guint i = 0; i < n_classes; i++)
      *p++ = (float) test_sigmoid (test_logits_class (&c->decoded, a, i));
  }
  d = compare_sample (c, "predictions", sample, pred,
      (gsize) n_anchors * row);
  note_worst (c, d, -1);
  for (guint i = 0; isfinite (d.largest) && i < sample->n; i++) {
    double difference = fabs (pred[sample->index[i]] - sample->value[i]);
    double *worst = sample->index[i] % row < 4 ? &box : &score;

    *worst = MAX (*worst, difference);
  }
  if (!quiet)
    printf ("  %-26s %9.2e  rms %9.2e  score %.2e, box %.2e px\n",
        "predictions", d.largest, d.rms, score, box);
  if (c->tolerance->precision == Y10_PRECISION_FP32
      && (!(score <= SCORE_TOLERANCE) || !(box <= BOX_TOLERANCE)))
    miss (c, "predictions: score off by %.3g, box by %.3g px", score, box);
  g_free (pred);
}

static double
clip (double value, guint limit)
{
  return CLAMP (value, 0, (double) limit);
}

/* Distance of a detection from an expected box, which is clipped as the
 * engine's are. */
static double
box_distance (const Comparison *c, const Y10Detection *got,
    const double box[4])
{
  const float edge[4] = { got->x0, got->y0, got->x1, got->y1 };
  double worst = 0;

  for (guint i = 0; i < 4; i++) {
    guint limit = i & 1 ? c->expected->height : c->expected->width;
    double difference = fabs (edge[i] - clip (box[i], limit));

    if (!(difference <= worst))
      worst = difference;
  }
  return worst;
}

static void
check_order (Comparison *c, const Y10Detection *got, guint n)
{
  for (guint i = 1; i < n; i++) {
    const Y10Detection *p = &got[i - 1], *q = &got[i];

    if (!(p->score > q->score || (p->score == q->score
                && (p->anchor < q->anchor || (p->anchor == q->anchor
                        && p->class_id < q->class_id)))))
      miss (c, "rows %u and %u are not ordered by score, anchor, class", i - 1,
          i);
  }
}

/* Each expected row must be there once: same class, score and place. Where
 * the list was cut at 300, rows within the tolerance of the last score may
 * have been cut the other way; in the middle, order among such rows is
 * free. */
static void
compare_detections (Comparison *c, const char *what, const GArray *rows,
    const Y10Detection *got, guint n)
{
  gboolean *used = g_new0 (gboolean, n + 1);
  double floor = rows->len == MAX_ROWS
      ? g_array_index (rows, ExpectedRow, rows->len - 1).score : 0;

  if (n != rows->len)
    miss (c, "%s: %u rows, expected %u", what, n, rows->len);
  check_order (c, got, n);
  for (guint i = 0; i < rows->len; i++) {
    const ExpectedRow *row = &g_array_index (rows, ExpectedRow, i);
    double nearest = INFINITY;
    guint match = n;

    for (guint j = 0; j < n; j++)
      if (!used[j] && got[j].class_id == (gint) row->class_id
          && fabs (got[j].score - row->score) <= SCORE_TOLERANCE
          && box_distance (c, &got[j], row->box) < nearest) {
        nearest = box_distance (c, &got[j], row->box);
        match = j;
      }
    if (match == n || nearest > BOX_TOLERANCE) {
      if (row->score - floor > SCORE_TOLERANCE)
        miss (c, "%s: row %u, class %u score %.6f at %.2f %.2f %.2f %.2f, "
            "nearest is %.3g px away", what, i, row->class_id, row->score,
            row->box[0], row->box[1], row->box[2], row->box[3], nearest);
      continue;
    }
    used[match] = TRUE;
    c->n_matched++;
    c->worst_box = MAX (c->worst_box, nearest);
    c->worst_score = MAX (c->worst_score,
        fabs (got[match].score - row->score));
  }
  c->n_rows += rows->len;
  for (guint j = 0; j < n; j++)
    if (!used[j] && got[j].score - floor > SCORE_TOLERANCE)
      miss (c, "%s: unexpected class %d score %.6f at %.2f %.2f %.2f %.2f",
          what, got[j].class_id, got[j].score, got[j].x0, got[j].y0,
          got[j].x1, got[j].y1);
  g_free (used);
}

/* In fewer bits than fp32 the best 300 of thousands of close scores are other
 * ones, so PyTorch's list says nothing about the head. What must still hold,
 * for logits are fp32 in every precision, is that the rows are the best 300 of
 * the logits this very run gave; and those were judged above. */
static GArray *
rows_of_logits (Comparison *c, gboolean agnostic)
{
  const Expected *e = c->expected;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (ExpectedRow));
  GArray *own = e->one2many
      ? test_one2many (&c->decoded, e->confidence, NULL, e->iou, agnostic,
      MAX_ROWS) : test_one2one (&c->decoded, 0, NULL, MAX_ROWS);

  for (guint i = 0; i < own->len; i++) {
    const TestRow *from = &g_array_index (own, TestRow, i);
    ExpectedRow row = { {from->x0, from->y0, from->x1, from->y1},
      from->score, from->class_id
    };

    g_array_append_val (rows, row);
  }
  g_array_unref (own);
  return rows;
}

/* Opens a step with the image in it. */
static gboolean
begin_step (Comparison *c, const float *pixels, gboolean agnostic,
    GError **error)
{
  const Expected *e = c->expected;
  gsize plane = (gsize) e->width * e->height;
  Y10Image image = {.format = Y10_PIXEL_TENSOR,.width = e->width,
    .height = e->height
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  for (guint i = 0; i < 3; i++) {
    image.plane[i] = (const guint8 *) (pixels + i * plane);
    image.stride[i] = e->width * sizeof *pixels;
  }
  params.confidence = (float) e->confidence;
  params.max_detections = MAX_ROWS;
  params.class_agnostic = agnostic;
  if (e->one2many)
    params.iou = (float) e->iou;
  return y10_engine_begin (c->engine, -1, &c->step, error)
      && y10_step_add (&c->step, &image, &params, error);
}

/* Runs the network piece by piece, then at once as everybody does; with
 * @agnostic only the detections are new. */
static gboolean
run_step (Comparison *c, const float *pixels, gboolean agnostic,
    GError **error)
{
  const Expected *e = c->expected;
  Y10Detection got[MAX_ROWS], at_once[MAX_ROWS];
  GArray *own, *rows;
  int n, n_at_once;

  if (!begin_step (c, pixels, agnostic, error) || !run_layers (c, error))
    return FALSE;
  if (!agnostic) {
    if (!peek_logits (c, error))
      return FALSE;
    compare_predictions (c);
  }
  n = y10_step_read (&c->step, 0, got, MAX_ROWS, error);
  if (n < 0)
    return FALSE;
  rows = agnostic ? e->agnostic : e->rows;
  own = rows_of_logits (c, agnostic);
  if (c->tolerance->precision == Y10_PRECISION_FP32)
    compare_detections (c, agnostic ? "class-agnostic rows" : "rows", rows,
        got, (guint) n);
  else
    compare_detections (c, "rows of its own logits", own, got, (guint) n);
  g_array_unref (own);
  y10_step_end (&c->step);

  if (!begin_step (c, pixels, agnostic, error)
      || !y10_step_submit (&c->step, error)
      || !y10_step_wait (&c->step, -1, error)
      || (n_at_once = y10_step_read (&c->step, 0, at_once, MAX_ROWS,
              error)) < 0)
    return FALSE;
  if (n_at_once != n || memcmp (got, at_once, (gsize) n * sizeof *got))
    miss (c, "run at once the network gives other rows than in pieces");
  y10_step_end (&c->step);
  return TRUE;
}

static gboolean
make_engine (Comparison *c, Y10BackendKind backend, Y10Precision precision,
    GError **error)
{
  const Expected *e = c->expected;
  char *shapes = expected_shapes_path (e);
  char *weights = g_build_filename (g_get_tmp_dir (), "golden-XXXXXX", NULL);
  int fd = g_mkstemp (weights);
  Y10EngineConfig config;
  Y10Model *model = NULL;

  if (fd >= 0)
    close (fd);
  if (y10_seeded_write (shapes, e->seed, weights, error))
    model = y10_model_load (weights, NULL, error);
  if (model) {
    y10_engine_config_init (&config);
    config.backend = backend;
    config.precision = precision;
    config.head = e->one2many ? Y10_HEAD_ONE2MANY : Y10_HEAD_ONE2ONE;
    config.width = e->width;
    config.height = e->height;
    config.n_slots = 1;
    config.max_batch = 1;
    config.max_rows = MAX_ROWS;
    config.threads = (guint) n_threads;
    c->engine = y10_engine_new (model, &config, NULL, error);
    y10_model_unref (model);
  }
  g_unlink (weights);
  g_free (weights);
  g_free (shapes);
  return c->engine != NULL;
}

/* Returns the exit status. */
static int
compare_file (const char *path, Y10BackendKind backend,
    Y10Precision precision)
{
  GError *error = NULL;
  Expected *e = expected_load (path, &error);
  Comparison c = {.expected = e,.worst_layer = -1 };
  float *pixels = NULL;
  char where[16];
  int status = 2;
  gsize n;

  if (!e)
    goto done;
  printf ("%s\n", e->name);
  if (!make_engine (&c, backend, precision, &error)) {
    if (g_error_matches (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED)
        || g_error_matches (error, Y10_ERROR, Y10_ERROR_NO_BACKEND))
      status = STATUS_SKIP;
    goto done;
  }
  c.graph = y10_engine_get_graph (c.engine);
  for (guint i = 0; i < G_N_ELEMENTS (tolerances); i++)
    if (tolerances[i].precision == y10_engine_get_precision (c.engine))
      c.tolerance = &tolerances[i];
  n = 3 * (gsize) e->width * e->height;
  pixels = g_new (float, n);
  y10_seeded_images (n, e->seed, pixels);
  if (!run_step (&c, pixels, FALSE, &error)
      || (e->one2many && !run_step (&c, pixels, TRUE, &error)))
    goto done;
  status = c.misses ? 1 : 0;
  if (c.worst_layer < 0)
    g_strlcpy (where, "predictions", sizeof where);
  else
    g_snprintf (where, sizeof where, "layer %d", c.worst_layer);
  printf ("%s: %s, %s %s (%s), worst %.2e at %s, rms %.2e, %u of %u rows, "
      "score %.2e, box %.2e px\n", e->name, c.misses ? "FAILED" : "ok",
      y10_backend_get_name (y10_engine_get_backend (c.engine)),
      y10_precision_get_name (y10_engine_get_precision (c.engine)),
      y10_engine_get_device (c.engine), c.worst.largest,
      where, c.worst.rms, c.n_matched, c.n_rows, c.worst_score, c.worst_box);
done:
  if (error)
    printf ("%s: %s %s\n", e ? e->name : path,
        status == STATUS_SKIP ? "SKIP" : "ERROR", error->message);
  g_clear_error (&error);
  for (guint i = 0; i < G_N_ELEMENTS (c.logits); i++)
    g_free (c.logits[i]);
  g_free (pixels);
  if (c.engine) {
    if (c.step.engine)
      y10_step_end (&c.step);   /* after an error; else it has ended */
    y10_engine_unref (c.engine);
  }
  expected_free (e);
  return status;
}

/* cuda-sim is the CUDA backend on a simulated GPU: another module. */
static gboolean
parse_backend (const char *name, Y10BackendKind *backend)
{
  if (strcmp (name, "cuda-sim") == 0) {
    g_setenv ("Y10_BACKEND_PATH", Y10_SIM_DIR, TRUE);
    name = "cuda";
  }
  for (*backend = Y10_BACKEND_AUTO; *backend <= Y10_BACKEND_CUDA; ++*backend)
    if (strcmp (name, y10_backend_get_name (*backend)) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
parse_precision (const char *name, Y10Precision *precision)
{
  for (*precision = Y10_PRECISION_AUTO; *precision <= Y10_PRECISION_BF16;
      ++*precision)
    if (strcmp (name, y10_precision_get_name (*precision)) == 0)
      return TRUE;
  return FALSE;
}

int
main (int argc, char **argv)
{
  const GOptionEntry entries[] = {
    {"backend", 'b', 0, G_OPTION_ARG_STRING, &backend_name,
        "auto (default), ref, cpu, cuda, cuda-sim", "B"},
    {"precision", 'p', 0, G_OPTION_ARG_STRING, &precision_name,
        "fp32 (default), bf16, …", "P"},
    {"threads", 't', 0, G_OPTION_ARG_INT, &n_threads, "CPU threads", "N"},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "no table of layers", NULL},
    {NULL}
  };
  GOptionContext *context = g_option_context_new ("X.golden.json…");
  Y10BackendKind backend = Y10_BACKEND_AUTO;
  Y10Precision precision = Y10_PRECISION_FP32;
  GError *error = NULL;
  int n_ok = 0, status = 0;

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "golden: %s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  if (argc < 2 || n_threads < 0
      || (backend_name && !parse_backend (backend_name, &backend))
      || (precision_name && !parse_precision (precision_name, &precision))) {
    fputs ("usage: golden [--backend auto|ref|cpu|cuda|cuda-sim] [--precision "
        "fp32|tf32|fp16|bf16|auto] [--threads N] X.golden.json…\n", stderr);
    return 2;
  }
  for (int i = 1; i < argc; i++) {
    int result = compare_file (argv[i], backend, precision);

    n_ok += result == 0;
    status = MAX (status, result);
    fflush (stdout);
  }
  printf ("golden: %d of %d files within tolerance\n", n_ok, argc - 1);
  return status;
}
