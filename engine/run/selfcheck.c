/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whether a backend computes correctly on this machine: drawn pictures and the
 * bundled model, through engines like any other, compared with the reference
 * backend's logits and detections. auto takes a backend that requests the check
 * only after it passed in the precision that was asked for, on this combination of
 * device, driver, libraries and build; the verdict is stored on disk. */

#include "config.h"

#include <math.h>
#include <pthread.h>

#include "base/verdict.h"
#include "model/model.h"
#include "run/engine.h"
#include "run/registry.h"
#include "run/selfcheck.h"
#include "run/shape.h"
#include "run/stepops.h"
#include "run/testpicture.h"

/* Of the network's input: small, and the letterbox has bars. */
#define SIZE 160
#define MAX_IMAGES 3
#define MAX_ROWS 64
#define MIN_CONFIDENCE 0.1f

/* What is compared. An image alone, and three in a batch of four, which has a size
 * of its own on a GPU: a stride from image to image, and a fourth image that
 * nobody asked for. The two engines differ in the head's last kernel, too: with
 * NMS, as the bundled model wants it, and without, as most others do. The third has an
 * input of the picture's shape beside the square one whose weights it uses. */
typedef struct
{
  Y10Head head;
  gboolean auto_size;
  guint max_batch, n_images;
  guint pictures[MAX_IMAGES];
} Round;

static const Round rounds[] = {
  { Y10_HEAD_ONE2ONE_NMS, FALSE, 1, 1, { 0 } },
  { Y10_HEAD_ONE2ONE, FALSE, 4, 3, { 1, 0, 1 } },
  { Y10_HEAD_ONE2ONE, TRUE, 1, 1, { 1 } },
};

/* What rounding may change. rms: the root mean square of the difference over that
 * of the values, for each tensor of logits: the limits of the golden files, but for
 * single precision, where whatever order a GPU's library sums in has to pass. The
 * golden files compare scores and boxes in single precision only. Measured on the
 * simulated GPU: 7e-7 in single precision, 0.0005 in half, 0.005 in bf16; 0.19
 * without one kernel. */
typedef struct
{
  Y10Precision precision;
  double rms;
  gfloat score;
  gfloat box; /* source pixels */
} Limits;

static const Limits limits[] = {
  { Y10_PRECISION_FP32, 0.001, 0.01f, 0.5f },
  { Y10_PRECISION_TF32, 0.004, 0.05f, 3 },
  { Y10_PRECISION_FP16, 0.004, 0.05f, 3 },
  { Y10_PRECISION_BF16, 0.03, 0.1f, 6 },
};

typedef struct
{
  gfloat *logits[2 * Y10_MAX_LEVELS];
  guint n_rows;
  Y10Detection rows[MAX_ROWS];
} Image;

/* What one backend computes in a round. */
typedef struct
{
  gsize n_logits[2 * Y10_MAX_LEVELS];
  guint n_tensors;
  Image images[MAX_IMAGES];
  Y10Precision precision;
  char *device;
} Result;

static void
result_clear (Result *r)
{
  for (guint i = 0; i < MAX_IMAGES; i++)
    for (guint k = 0; k < r->n_tensors; k++)
      g_free (r->images[i].logits[k]);
  g_free (r->device);
}

static gboolean
read_logits (const Y10Step *step, guint image, Result *r, GError **error)
{
  const Y10Graph *graph = y10_step_get_graph (step);

  r->n_tensors = 2 * graph->n_levels;
  for (guint i = 0; i < r->n_tensors; i++) {
    const Y10View view = i % 2 ? graph->cls[i / 2] : graph->box[i / 2];
    const Y10Tensor *t = &graph->tensors[view.tensor];

    r->n_logits[i] = (gsize) y10_graph_view_channels (graph, view) * t->height
        * t->width;
    r->images[image].logits[i] = g_new (gfloat, r->n_logits[i]);
    if (!y10_step_read_tensor (step, image, view, r->images[image].logits[i],
            error))
      return FALSE;
  }
  return TRUE;
}

#define STRIDE (3 * Y10_TEST_PICTURE_WIDTH)
#define PICTURE_SIZE (STRIDE * Y10_TEST_PICTURE_HEIGHT)

static gboolean
add_picture (const Y10Step *step, const guint8 *rgb, GError **error)
{
  const Y10Image image = {
    .size = sizeof image,
    .format = Y10_PIXEL_RGB,
    .width = Y10_TEST_PICTURE_WIDTH,
    .height = Y10_TEST_PICTURE_HEIGHT,
    .plane = { rgb },
    .stride = { STRIDE },
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  params.confidence = MIN_CONFIDENCE;
  params.max_detections = MAX_ROWS;
  return y10_step_add (step, &image, &params, error);
}

static gboolean
read_image (const Y10Step *step, guint i, Result *r, GError **error)
{
  const int n = y10_step_read (step, i, r->images[i].rows, MAX_ROWS, error);

  r->images[i].n_rows = (guint) MAX (n, 0);
  return n >= 0 && read_logits (step, i, r, error);
}

static gboolean
infer (Y10Engine *engine, const Round *round, Result *r, GError **error)
{
  g_autofree guint8 *rgb = g_malloc (Y10_TEST_PICTURES * PICTURE_SIZE);
  gboolean ok = TRUE;
  Y10Step step;

  for (guint i = 0; i < Y10_TEST_PICTURES; i++)
    y10_test_picture_draw (i, rgb + i * PICTURE_SIZE);
  if (!y10_step_begin (engine, -1, &step, error))
    return FALSE;
  for (guint i = 0; ok && i < round->n_images; i++)
    ok = add_picture (&step, rgb + round->pictures[i] * PICTURE_SIZE, error);
  ok = ok
      && y10_step_run (&step, 0, y10_engine_get_graph (engine)->n_ops, error)
      && y10_step_wait (&step, -1, error);
  for (guint i = 0; ok && i < round->n_images; i++)
    ok = read_image (&step, i, r, error);
  y10_step_end (&step);
  return ok;
}

/* @asked: the device and the precision; NULL: the defaults. */
static gboolean
run (Y10Model *model, const Y10BackendClass *class,
    const Y10EngineConfig *asked, const Round *round, Result *r, GError **error)
{
  Y10EngineConfig config;
  Y10Engine *engine;
  gboolean ok;

  y10_engine_config_init (&config, sizeof config);
  config.backend = class->kind;
  if (asked) {
    config.precision = asked->precision;
    config.device_id = asked->device_id;
    config.cuda_context = asked->cuda_context;
  }
  config.head = round->head;
  config.auto_size = round->auto_size;
  config.max_batch = round->max_batch;
  config.n_slots = 1;
  config.width = config.height = SIZE;
  config.max_detections = MAX_ROWS;
  config.tune = FALSE; /* the tuner verifies each plan itself */
  if (!y10_engine_config_resolve (model, &config, error))
    return FALSE;
  engine = y10_engine_create (model, &config, class, NULL, NULL, error);
  if (!engine)
    return FALSE;
  r->device = g_strdup (y10_engine_get_device (engine));
  r->precision = y10_engine_get_precision (engine);
  ok = infer (engine, round, r, error);
  y10_engine_unref (engine);
  return ok;
}

static gboolean
same_logits (const Result *got, const Result *expected, guint image,
    const Limits *limit, GError **error)
{
  for (guint i = 0; i < expected->n_tensors; i++) {
    const gfloat *e = expected->images[image].logits[i];
    const gfloat *g = got->images[image].logits[i];
    double difference = 0, values = 0, rms;

    for (gsize k = 0; k < expected->n_logits[i]; k++) {
      const double d = (double) g[k] - e[k];

      difference += d * d;
      values += (double) e[k] * e[k];
    }
    rms = sqrt (difference / values);
    if (!(rms <= limit->rms)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND,
          "the %s logits "
          "of level %u differ from the reference by %.3g of their root mean "
          "square; expected at most %g",
          i % 2 ? "class" : "box", i / 2, rms, limit->rms);
      return FALSE;
    }
    g_debug ("self-check: %s logits of level %u: %.3g", i % 2 ? "class" : "box",
        i / 2, rms);
  }
  return TRUE;
}

static gboolean
matches (const Y10Detection *a, const Y10Detection *b, const Limits *limit)
{
  return a->class_id == b->class_id
      && fabsf (a->confidence - b->confidence) <= limit->score
      && fabsf (a->x0 - b->x0) <= limit->box
      && fabsf (a->y0 - b->y0) <= limit->box
      && fabsf (a->x1 - b->x1) <= limit->box
      && fabsf (a->y1 - b->y1) <= limit->box;
}

/* Each detection of @a that is well above the limit has one of its own among those
 * of @b, so that none is there twice. */
static gboolean
check_matches (const Image *a, const Image *b, const Limits *limit,
    const char *what, GError **error)
{
  gboolean taken[MAX_ROWS] = { FALSE };

  for (guint i = 0; i < a->n_rows; i++) {
    const Y10Detection *row = &a->rows[i];
    gboolean found = row->confidence < MIN_CONFIDENCE + limit->score;

    for (guint k = 0; k < b->n_rows && !found; k++)
      if (!taken[k] && matches (row, &b->rows[k], limit))
        found = taken[k] = TRUE;
    if (!found) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND,
          "%s: class %d, "
          "confidence %.2f, %.1f,%.1f to %.1f,%.1f",
          what, row->class_id, row->confidence, row->x0, row->y0, row->x1,
          row->y1);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
same_image (const Result *got, const Result *expected, guint i,
    const Limits *limit, GError **error)
{
  const Image *g = &got->images[i], *e = &expected->images[i];

  if (!same_logits (got, expected, i, limit, error)
      || !check_matches (e, g, limit, "a detection of the reference is missing",
          error)
      || !check_matches (g, e, limit, "the reference has no such detection",
          error))
    return FALSE;
  g_debug ("self-check: image %u has %u detections, the first of class %d with "
           "confidence %.2f",
      i, g->n_rows, g->n_rows ? g->rows[0].class_id : -1,
      g->n_rows ? g->rows[0].confidence : 0);
  return TRUE;
}

/* NULL: none were measured. */
static const Limits *
find_limits (Y10Precision precision)
{
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    if (limits[i].precision == precision)
      return &limits[i];
  return NULL;
}

static gboolean
check_precision (Y10Precision precision, GError **error)
{
  if (find_limits (precision))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "there is no self-check in %s; expected fp32, tf32, fp16 or bf16",
      y10_precision_get_name (precision));
  return FALSE;
}

static gboolean
same (const Result *got, const Result *expected, const Round *round,
    GError **error)
{
  const Limits *limit = find_limits (got->precision);

  for (guint i = 0; i < round->n_images; i++)
    if (!same_image (got, expected, i, limit, error)) {
      if (round->auto_size)
        g_prefix_error (error, "an input of the image's shape: ");
      else if (round->n_images > 1)
        g_prefix_error (error, "image %u of %u in a batch of %u: ", i,
            round->n_images, round->max_batch);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_round (Y10Model *model, const Y10BackendClass *class,
    const Y10EngineConfig *asked, const Round *round, char **device,
    gboolean *wrong, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  Result got = { { 0 } }, expected = { { 0 } };
  gboolean ok;

  ok = run (model, class, asked, round, &got, error)
      && check_precision (got.precision, error)
      && run (model, y10_backend_find (Y10_BACKEND_REF, why), NULL, round,
          &expected, error);
  *wrong = ok && !same (&got, &expected, round, error);
  if (device && !*device)
    *device = g_steal_pointer (&got.device);
  result_clear (&got);
  result_clear (&expected);
  return ok && !*wrong;
}

/* *@wrong: both backends ran, and their results differ. */
static gboolean
check (const Y10BackendClass *class, const Y10EngineConfig *asked,
    char **device, gboolean *wrong, GError **error)
{
  Y10Model *model = y10_model_load (NULL, NULL, error);
  gboolean ok = model != NULL;

  for (guint i = 0; ok && i < G_N_ELEMENTS (rounds); i++)
    if (!rounds[i].auto_size || class->compile_size)
      ok = check_round (model, class, asked, &rounds[i], device, wrong, error);
  if (model)
    y10_model_unref (model);
  return ok;
}

/* Everything that decides whether an earlier verdict holds; FALSE where this
 * build cannot be told from another one. */
static gboolean
append_key (const Y10BackendClass *class, const Y10EngineConfig *asked,
    GString *key)
{
  const Y10DeviceConfig device = {
    .device_id = asked->device_id,
    .cuda_context = asked->cuda_context,
  };
  gboolean ok;

  g_string_append_printf (key, "backend %s\nprecision %s\n", class->name,
      y10_precision_get_name (asked->precision));
  class->identify (&device, key);
  g_string_append (key, "library ");
  ok = y10_build_id_append ((const void *) y10_backend_check, key);
  g_string_append (key, "\nmodule ");
  ok = y10_build_id_append (class, key) && ok;
  g_string_append_c (key, '\n');
  return ok;
}

/* Verdicts of this process, by key: also where nothing can be stored. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *verdicts; /* lock; key to reason, or to NULL if passed */

static Y10Verdict
look_up (const char *key, gboolean on_disk, GString *why)
{
  gpointer reason;
  Y10Verdict verdict;

  if (!verdicts)
    verdicts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (g_hash_table_lookup_extended (verdicts, key, NULL, &reason)) {
    g_string_append (why, reason ? reason : "");
    return reason ? Y10_VERDICT_FAILED : Y10_VERDICT_PASSED;
  }
  verdict = on_disk ? y10_verdict_load (key, why) : Y10_VERDICT_UNKNOWN;
  if (verdict != Y10_VERDICT_UNKNOWN)
    g_hash_table_insert (verdicts, g_strdup (key),
        verdict == Y10_VERDICT_FAILED ? g_strdup (why->str) : NULL);
  return verdict;
}

static void
remember (const char *key, gboolean to_disk, const GError *error)
{
  g_hash_table_replace (verdicts, g_strdup (key),
      error ? g_strdup (error->message) : NULL);
  if (to_disk)
    y10_verdict_store (key, error ? Y10_VERDICT_FAILED : Y10_VERDICT_PASSED,
        error ? error->message : NULL);
}

gboolean
y10_backend_check_with (const Y10BackendClass *class,
    const Y10EngineConfig *config, gboolean again, char **device,
    GError **error)
{
  g_autoptr (GString) key = g_string_new (NULL), why = g_string_new (NULL);
  GError *failure = NULL;
  Y10Verdict verdict = Y10_VERDICT_UNKNOWN;
  gboolean on_disk, wrong = FALSE;

  if (!class->identify)
    return TRUE;
  on_disk = append_key (class, config, key);
  pthread_mutex_lock (&lock);
  verdict = look_up (key->str, on_disk, why);
  if (verdict == Y10_VERDICT_UNKNOWN || again) {
    g_debug ("backend %s is checked against the reference", class->name);
    check (class, config, device, &wrong, &failure);
    /* Other errors, such as a lack of memory, can be gone the next time. */
    if (wrong || !failure)
      remember (key->str, on_disk, failure);
  } else if (verdict == Y10_VERDICT_FAILED) {
    failure = g_error_new_literal (Y10_ERROR, Y10_ERROR_BACKEND, why->str);
  }
  pthread_mutex_unlock (&lock);
  if (!failure)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

/**
 * y10_backend_check:
 * @config: the backend, which is not %Y10_BACKEND_AUTO, the precision and the
 *   device; the other fields are ignored
 * @again: whether to ignore and replace a verdict from earlier
 * @device: (out) (optional) (nullable) (transfer full): description of the device
 *   that was opened, as y10_engine_get_device() returns it; %NULL if none was,
 *   also where an earlier verdict holds
 * @error: location of an error
 *
 * Checks a backend as %Y10_BACKEND_AUTO does before it takes it: pictures through
 * engines with the bundled model, alone and in a batch, compared with the reference
 * backend. Takes seconds the first time; the verdict is stored in the user's cache
 * folder for this precision and this combination of GPU, driver, libraries and
 * build. Backends that run on the CPU pass without a check. Any thread; one check
 * at a time runs.
 *
 * Returns: %TRUE if the backend computes correctly, else %FALSE with
 *   %Y10_ERROR_BACKEND for wrong results, or the error that prevented the check:
 *   %Y10_ERROR_UNSUPPORTED if the device lacks the precision
 *
 * Since: 0.2
 */
gboolean
y10_backend_check (const Y10EngineConfig *config, gboolean again, char **device,
    GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10BackendClass *class;
  Y10EngineConfig own;

  g_return_val_if_fail (config != NULL, FALSE);
  if (device)
    *device = NULL;
  y10_engine_config_init (&own, sizeof own);
  if (!y10_engine_config_read (&own, config, error))
    return FALSE;
  class = y10_backend_find (own.backend, why);
  if (!class || class->probe (why) == 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_BACKEND,
        "backend %s cannot run here: %s", y10_backend_get_name (own.backend),
        why->str);
    return FALSE;
  }
  return y10_backend_check_with (class, &own, again, device, error);
}
