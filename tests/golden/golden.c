/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* golden [--backend B] [--precision P] [--threads N] [--largest L --rms R]
 *     X.golden.json…
 * golden --weights FILE X.golden.json…
 * golden --reference WxH [--head one2many] […] X.shapes.json…
 *
 * Compares the engine with PyTorch's results for the same seeded weights and
 * input: every module's output, read in the production memory plan right after
 * the op that completes it; the predictions, decoded here from the head's
 * logits; the detections. A layer's error is its largest difference over the
 * layer's standard deviation. --reference compares with the plain C backend
 * instead, at any size, for networks so small that a sanitizer takes seconds;
 * that backend is compared with PyTorch. Exits with 1 if anything is out of
 * tolerance, 2 if something could not be compared, 77 if this machine does not
 * support the backend or the precision. */

#define STATUS_SKIP 77

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <y10/y10.h>

#include "compare.h"
#include "seeded.h"

static gboolean quiet;
static char *backend_name, *precision_name, *head_name, *reference;
static char *weights_path;  /* NULL: generate them */
static guint width, height; /* of --reference; 0: golden files */
static int n_threads;
/* Limits other than the precision's; 0: none. */
static double largest, rms;
static gboolean tuned, own_rows;
static Tolerance limits;

static float *
read_tensor (Comparison *c, Y10View view, gsize *n, GError **error)
{
  const Y10Tensor *t = &c->graph->tensors[view.tensor];
  float *values;

  *n = (gsize) y10_graph_view_channels (c->graph, view) * t->height * t->width;
  values = g_new (float, *n);
  if (y10_step_read_tensor (&c->step, 0, view, values, error))
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
  Expected *e = c->expected;
  guint done = 0;

  for (;;) {
    guint end = c->graph->n_ops;

    /* Concats complete out of order: compares the tensor that is complete
     * next. */
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
      values = read_tensor (c, view, &n, error);
      if (!values)
        return FALSE;
      g_snprintf (what, sizeof what, "layer %2u %4ux%ux%u", i,
          y10_graph_view_channels (c->graph, view), t->height, t->width);
      d = compare_sample (c, what, &e->layers[i], values, n);
      g_free (values);
      note_worst (c, d, (int) i);
      if (!c->quiet && !c->recording)
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

  c->expected->n_classes = c->decoded.n_classes = graph->n_classes;
  c->decoded.n_bins = graph->n_bins;
  for (guint i = 0; i < graph->n_levels; i++) {
    const Y10Tensor *t = &graph->tensors[graph->box[i].tensor];
    gsize n;

    g_free (c->logits[2 * i]);
    g_free (c->logits[2 * i + 1]);
    c->logits[2 * i + 1] = NULL;
    c->logits[2 * i] = read_tensor (c, graph->box[i], &n, error);
    if (!c->logits[2 * i])
      return FALSE;
    c->logits[2 * i + 1] = read_tensor (c, graph->cls[i], &n, error);
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

/* In lower precisions the best 300 of thousands of close scores differ from
 * PyTorch's, so its list does not test the head. Logits are fp32 in every
 * precision, so the rows must still be the best 300 of this run's own logits,
 * and those were compared above. */
static GArray *
rows_of_logits (Comparison *c, gboolean agnostic)
{
  const Expected *e = c->expected;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (ExpectedRow));
  GArray *own = e->one2many ? test_one2many (&c->decoded, e->confidence, NULL,
                    e->iou, agnostic, MAX_ROWS)
                            : test_one2one (&c->decoded, 0, NULL, MAX_ROWS);

  for (guint i = 0; i < own->len; i++) {
    const TestRow *from = &g_array_index (own, TestRow, i);
    ExpectedRow row = { { from->x0, from->y0, from->x1, from->y1 }, from->score,
      from->class_id };

    g_array_append_val (rows, row);
  }
  g_array_unref (own);
  return rows;
}

/* Begins a step and adds the image. */
static gboolean
begin_step (Comparison *c, const float *pixels, gboolean agnostic,
    GError **error)
{
  const Expected *e = c->expected;
  gsize plane = (gsize) e->width * e->height;
  Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_TENSOR,
    .width = e->width,
    .height = e->height,
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
  return y10_step_begin (c->engine, -1, &c->step, error)
      && y10_step_add (&c->step, &image, &params, error);
}

/* In pieces two convolutions that run as one kernel otherwise are two, and 16-bit numbers
 * between them are rounded elsewhere. What the network gives at once must then be as near
 * to PyTorch's, and have the rows of its own logits. */
static gboolean
compare_at_once (Comparison *c, const Y10Detection *got, guint n,
    gboolean agnostic, GError **error)
{
  GArray *own;

  if (!peek_logits (c, error))
    return FALSE;
  compare_predictions (c);
  own = rows_of_logits (c, agnostic);
  compare_detections (c, "rows at once of its own logits", own, got, n);
  g_array_unref (own);
  return TRUE;
}

/* Runs the network op by op, then in one go as applications do; with @agnostic
 * only the detections differ. */
static gboolean
run_step (Comparison *c, const float *pixels, gboolean agnostic, GError **error)
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
  if (c->recording) {
    *(agnostic ? &c->expected->agnostic : &c->expected->rows) = own;
    y10_step_end (&c->step);
    return TRUE;
  }
  if (c->tolerance->precision == Y10_PRECISION_FP32 && !own_rows)
    compare_detections (c, agnostic ? "class-agnostic rows" : "rows", rows, got,
        (guint) n);
  else
    compare_detections (c, "rows of its own logits", own, got, (guint) n);
  g_array_unref (own);
  y10_step_end (&c->step);

  if (!begin_step (c, pixels, agnostic, error)
      || !y10_step_submit (&c->step, error)
      || !y10_step_wait (&c->step, -1, error)
      || (n_at_once = y10_step_read (&c->step, 0, at_once, MAX_ROWS, error))
          < 0)
    return FALSE;
  if (n_at_once != n || memcmp (got, at_once, (gsize) n * sizeof *got)) {
    if (c->tolerance->precision == Y10_PRECISION_FP32)
      miss (c, "run at once the network gives other rows than in pieces");
    else if (!compare_at_once (c, at_once, (guint) n_at_once, agnostic, error))
      return FALSE;
  }
  y10_step_end (&c->step);
  return TRUE;
}

/* Generates the weights unless the user gave a file of the same weights. */
static Y10Model *
load_model (const Expected *e, GError **error)
{
  char *shapes, *path;
  Y10Model *model = NULL;
  int fd;

  if (weights_path)
    return y10_model_load (weights_path, NULL, error);
  shapes = expected_shapes_path (e);
  path = g_build_filename (g_get_tmp_dir (), "golden-XXXXXX", NULL);
  fd = g_mkstemp (path);
  if (fd >= 0)
    close (fd);
  if (y10_seeded_write (shapes, e->seed, path, error))
    model = y10_model_load (path, NULL, error);
  g_unlink (path);
  g_free (path);
  g_free (shapes);
  return model;
}

static gboolean
make_engine (Comparison *c, Y10BackendKind backend, Y10Precision precision,
    GError **error)
{
  const Expected *e = c->expected;
  Y10Model *model = load_model (e, error);
  Y10EngineConfig config;

  if (model) {
    y10_engine_config_init (&config, sizeof config);
    config.backend = backend;
    config.precision = precision;
    config.head = e->one2many ? Y10_HEAD_ONE2MANY : Y10_HEAD_ONE2ONE;
    config.width = e->width;
    config.height = e->height;
    config.n_slots = 1;
    config.max_batch = 1;
    config.max_detections = MAX_ROWS;
    config.threads = (guint) n_threads;
    config.tune = tuned;
    c->engine = y10_engine_new (model, &config, NULL, error);
    y10_model_unref (model);
  }
  return c->engine != NULL;
}

static gboolean
run (Comparison *c, Y10BackendKind backend, Y10Precision precision,
    GError **error)
{
  const Expected *e = c->expected;
  gsize n = 3 * (gsize) e->width * e->height;
  float *pixels;
  gboolean ok;

  c->quiet = quiet;
  if (!make_engine (c, backend, precision, error)
      || (tuned && !y10_engine_wait_tuned (c->engine, -1, NULL, error)))
    return FALSE;
  c->graph = y10_engine_get_graph (c->engine);
  if (c->recording)
    c->expected->n_layers = c->graph->n_layers;
  else if (e->n_layers && e->n_layers != c->graph->n_layers)
    miss (c, "%u layers, expected %u", c->graph->n_layers, e->n_layers);
  c->tolerance = tolerance_of (y10_engine_get_precision (c->engine));
  if (c->tolerance && (largest > 0 || rms > 0)) {
    limits = *c->tolerance;
    limits.largest = largest > 0 ? largest : limits.largest;
    limits.rms = rms > 0 ? rms : limits.rms;
    c->tolerance = &limits;
  }
  pixels = g_new (float, n);
  y10_seeded_images (n, e->seed, pixels);
  ok = run_step (c, pixels, FALSE, error)
      && (!e->one2many || run_step (c, pixels, TRUE, error));
  g_free (pixels);
  return ok;
}

static void
comparison_clear (Comparison *c)
{
  for (guint i = 0; i < G_N_ELEMENTS (c->logits); i++)
    g_free (c->logits[i]);
  if (!c->engine)
    return;
  if (c->step.engine)
    y10_step_end (&c->step); /* after an error; otherwise it has ended */
  y10_engine_unref (c->engine);
}

static void
print_result (const Comparison *c)
{
  char where[16];

  if (c->worst_layer < 0)
    g_strlcpy (where, "predictions", sizeof where);
  else
    g_snprintf (where, sizeof where, "layer %d", c->worst_layer);
  printf ("%s: %s, %s %s (%s), worst %.2e at %s, rms %.2e, %u of %u rows, "
          "score %.2e, box %.2e px\n",
      c->expected->name, c->misses ? "FAILED" : "ok",
      y10_backend_get_name (y10_engine_get_backend (c->engine)),
      y10_precision_get_name (y10_engine_get_precision (c->engine)),
      y10_engine_get_device (c->engine), c->worst.largest, where, c->worst.rms,
      c->n_matched, c->n_rows, c->worst_score, c->worst_box);
}

/* Returns the results of the plain C backend. */
static Expected *
expect_reference (const char *shapes, GError **error)
{
  Expected *e = expected_of_reference (shapes, width, height,
      g_strcmp0 (head_name, "one2many") == 0);
  Comparison c = { .expected = e, .recording = TRUE };
  gboolean ok = run (&c, Y10_BACKEND_REF, Y10_PRECISION_FP32, error);

  comparison_clear (&c);
  if (!ok)
    g_clear_pointer (&e, expected_free);
  return e;
}

/* Returns the exit status. */
static int
compare_file (const char *path, Y10BackendKind backend, Y10Precision precision)
{
  GError *error = NULL;
  Expected *e = width ? expect_reference (path, &error)
                      : expected_load (path, &error);
  Comparison c = { .expected = e, .worst_layer = -1 };
  int status = 2;

  if (e) {
    printf ("%s\n", e->name);
    if (run (&c, backend, precision, &error)) {
      status = c.misses ? 1 : 0;
      print_result (&c);
    } else if (!c.engine
        && (g_error_matches (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED)
            || g_error_matches (error, Y10_ERROR, Y10_ERROR_NO_BACKEND))) {
      status = STATUS_SKIP;
    }
  }
  if (error)
    printf ("%s: %s %s\n", e ? e->name : path,
        status == STATUS_SKIP ? "SKIP" : "ERROR", error->message);
  g_clear_error (&error);
  comparison_clear (&c);
  expected_free (e);
  return status;
}

/* cuda-sim is another module: the CUDA backend on the simulated GPU. */
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
parse_reference (void)
{
  char *end = NULL;

  if (!reference)
    return !head_name;
  width = (guint) g_ascii_strtoull (reference, &end, 10);
  height = *end == 'x' ? (guint) g_ascii_strtoull (end + 1, &end, 10) : 0;
  return width && height && !*end
      && (!head_name || strcmp (head_name, "one2many") == 0
          || strcmp (head_name, "one2one") == 0);
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
    { "backend", 'b', 0, G_OPTION_ARG_STRING, &backend_name,
        "auto (default), ref, cpu, cuda, cuda-sim", "B" },
    { "precision", 'p', 0, G_OPTION_ARG_STRING, &precision_name,
        "fp32 (default), bf16, …", "P" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &n_threads, "CPU threads", "N" },
    { "weights", 'w', 0, G_OPTION_ARG_FILENAME, &weights_path,
        "a file with the weights, of any format", "FILE" },
    { "reference", 'r', 0, G_OPTION_ARG_STRING, &reference,
        "with the plain C backend at this size", "WxH" },
    { "head", 0, 0, G_OPTION_ARG_STRING, &head_name,
        "with --reference: one2one (default) or one2many", "H" },
    { "tuned", 0, 0, G_OPTION_ARG_NONE, &tuned,
        "in the fastest ways that the backend finds", NULL },
    { "own-rows", 0, 0, G_OPTION_ARG_NONE, &own_rows,
        "compare rows with this run's logits, also in fp32", NULL },
    { "largest", 0, 0, G_OPTION_ARG_DOUBLE, &largest,
        "limit of a difference, in deviations", "L" },
    { "rms", 0, 0, G_OPTION_ARG_DOUBLE, &rms, "limit of the relative RMS",
        "R" },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "no table of layers", NULL },
    { NULL }
  };
  GOptionContext *context = g_option_context_new ("X.golden.json… | "
                                                  "X.shapes.json…");
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
  if (argc < 2 || n_threads < 0 || !parse_reference ()
      || (backend_name && !parse_backend (backend_name, &backend))
      || (precision_name && !parse_precision (precision_name, &precision))) {
    fputs ("usage: golden [--backend auto|ref|cpu|cuda|cuda-sim] [--precision "
           "fp32|tf32|fp16|bf16|auto] [--threads N] [--weights FILE] "
           "X.golden.json…\n"
           "       golden --reference WxH [--head one2one|one2many] […] "
           "X.shapes.json…\n",
        stderr);
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
