/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whether a backend computes correctly on this machine: one drawn picture and the
 * bundled model, through an engine like any other, compared with the reference
 * backend's logits and detections. auto takes a backend that requests the check
 * only after it passed on this combination of device, driver, libraries and
 * build; the verdict is stored on disk. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "base/verdict.h"
#include "model/model.h"
#include "run/engine.h"
#include "run/profile.h"
#include "run/registry.h"
#include "run/selfcheck.h"

/* Of the network's input: small, and the letterbox has bars. */
#define SIZE 160
#define PICTURE_WIDTH 200
#define PICTURE_HEIGHT 150
#define MODULE 4                /* pixels of a code's module */
#define N_MODULES 25
#define MAX_ROWS 64
#define MIN_CONFIDENCE 0.1f

/* Root mean square of the difference over that of the values, for each tensor of
 * logits: the limit of the golden files for half precision. Measured: 0.0005 if
 * all is well, 0.19 without one kernel. */
#define MAX_RMS 0.004
#define MAX_SCORE_DIFFERENCE 0.05f
#define MAX_BOX_DIFFERENCE 3.0f /* source pixels */

/* What one backend computes. */
typedef struct
{
  gfloat *logits[2 * Y10_MAX_LEVELS];
  gsize n_logits[2 * Y10_MAX_LEVELS];
  guint n_tensors, n_rows;
  Y10Detection rows[MAX_ROWS];
  char *device;
} Result;

static void
result_clear (Result *r)
{
  for (guint i = 0; i < r->n_tensors; i++)
    g_free (r->logits[i]);
  g_free (r->device);
}

static gboolean
is_finder (guint x, guint y)
{
  const guint dx = x < 7 ? x : N_MODULES - 1 - x;
  const guint dy = y < 7 ? y : N_MODULES - 1 - y;
  const guint ring = MAX (ABS ((int) dx - 3), ABS ((int) dy - 3));

  return ring == 3 || ring <= 1;
}

/* Draws something like a QR code: three finder patterns and seeded modules. */
static void
draw (guint8 *rgb)
{
  const guint left = (PICTURE_WIDTH - MODULE * N_MODULES) / 2;
  const guint top = (PICTURE_HEIGHT - MODULE * N_MODULES) / 2;
  guint32 seed = 1;

  for (guint y = 0; y < PICTURE_HEIGHT; y++)
    for (guint x = 0; x < PICTURE_WIDTH; x++) {
      guint8 *p = rgb + 3 * (y * PICTURE_WIDTH + x);

      p[0] = (guint8) (230 - y / 8);
      p[1] = (guint8) (225 - x / 16);
      p[2] = (guint8) (215 + y / 16);
    }
  for (guint y = 0; y < N_MODULES; y++)
    for (guint x = 0; x < N_MODULES; x++) {
      const gboolean finder = (x < 8 || x >= N_MODULES - 8) && y < 8;
      const gboolean lower = x < 8 && y >= N_MODULES - 8;
      gboolean dark;

      seed = seed * 1664525 + 1013904223;
      if (finder || lower)
        dark = x != 7 && x != N_MODULES - 8 && y != 7 && y != N_MODULES - 8
            && is_finder (x, y);
      else
        dark = seed >> 31;
      for (guint i = 0; dark && i < MODULE * MODULE; i++)
        memset (rgb + 3 * ((top + y * MODULE + i / MODULE) * PICTURE_WIDTH
                + left + x * MODULE + i % MODULE), 25, 3);
    }
}

static gboolean
read_logits (Y10Engine *engine, const Y10Step *step, Result *r,
    GError **error)
{
  const Y10Graph *graph = y10_engine_get_graph (engine);

  for (guint i = 0; i < 2 * graph->n_levels; i++) {
    const Y10View view = i % 2 ? graph->cls[i / 2] : graph->box[i / 2];
    const Y10Tensor *t = &graph->tensors[view.tensor];

    r->n_logits[i] = (gsize) y10_graph_view_channels (graph, view) * t->height
        * t->width;
    r->logits[i] = g_new (gfloat, r->n_logits[i]);
    r->n_tensors++;
    if (!y10_step_read_tensor (step, 0, view, r->logits[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
infer (Y10Engine *engine, Result *r, GError **error)
{
  g_autofree guint8 *rgb = g_malloc (3 * PICTURE_WIDTH * PICTURE_HEIGHT);
  const Y10Image image = {.size = sizeof image,.format = Y10_PIXEL_RGB,
    .width = PICTURE_WIDTH,.height = PICTURE_HEIGHT,.plane = {rgb},
    .stride = {3 * PICTURE_WIDTH}
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Step step;
  gboolean ok;
  int n;

  draw (rgb);
  params.confidence = MIN_CONFIDENCE;
  params.max_detections = MAX_ROWS;
  r->device = g_strdup (y10_engine_get_device (engine));
  if (!y10_step_begin (engine, -1, &step, error))
    return FALSE;
  ok = y10_step_add (&step, &image, &params, error)
      && y10_step_run (&step, 0, y10_engine_get_graph (engine)->n_ops, error)
      && y10_step_wait (&step, -1, error)
      && (n = y10_step_read (&step, 0, r->rows, MAX_ROWS, error)) >= 0
      && read_logits (engine, &step, r, error);
  r->n_rows = ok ? (guint) n : 0;
  y10_step_end (&step);
  return ok;
}

static gboolean
run (Y10Model *model, Y10BackendKind backend, const Y10EngineConfig *asked,
    Result *r, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10BackendClass *class = y10_backend_find (backend, why);
  Y10EngineConfig config;
  Y10Engine *engine;
  gboolean ok;

  g_return_val_if_fail (class != NULL, FALSE);
  y10_engine_config_init (&config, sizeof config);
  config.backend = backend;
  config.device_id = asked->device_id;
  config.cuda_context = backend == Y10_BACKEND_CUDA ? asked->cuda_context
      : NULL;
  config.width = config.height = SIZE;
  config.max_detections = MAX_ROWS;
  config.tune = FALSE;          /* the tuner verifies each plan itself */
  if (!y10_engine_config_resolve (model, &config, error))
    return FALSE;
  engine = y10_engine_create (model, &config, class, NULL, NULL, error);
  if (!engine)
    return FALSE;
  ok = infer (engine, r, error);
  y10_engine_unref (engine);
  return ok;
}

static gboolean
same_logits (const Result *got, const Result *expected, GError **error)
{
  for (guint i = 0; i < expected->n_tensors; i++) {
    double difference = 0, values = 0, rms;

    for (gsize k = 0; k < expected->n_logits[i]; k++) {
      const double e = expected->logits[i][k], d = got->logits[i][k] - e;

      difference += d * d;
      values += e * e;
    }
    rms = sqrt (difference / values);
    if (!(rms <= MAX_RMS)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "the %s logits "
          "of level %u differ from the reference by %.3g of their root mean "
          "square; expected at most %g", i % 2 ? "class" : "box", i / 2, rms,
          MAX_RMS);
      return FALSE;
    }
    g_debug ("self-check: %s logits of level %u: %.3g", i % 2 ? "class" : "box",
        i / 2, rms);
  }
  return TRUE;
}

static gboolean
matches (const Y10Detection *a, const Y10Detection *b)
{
  return a->class_id == b->class_id
      && fabsf (a->confidence - b->confidence) <= MAX_SCORE_DIFFERENCE
      && fabsf (a->x0 - b->x0) <= MAX_BOX_DIFFERENCE
      && fabsf (a->y0 - b->y0) <= MAX_BOX_DIFFERENCE
      && fabsf (a->x0 - b->x0) <= MAX_BOX_DIFFERENCE
      && fabsf (a->y0 - b->y0) <= MAX_BOX_DIFFERENCE;
}

/* Detections of @a that are well above the limit must be among those of @b. */
static gboolean
all_in (const Result *a, const Result *b, const char *what, GError **error)
{
  for (guint i = 0; i < a->n_rows; i++) {
    const Y10Detection *row = &a->rows[i];
    gboolean found = row->confidence
        < MIN_CONFIDENCE + MAX_SCORE_DIFFERENCE;

    for (guint k = 0; k < b->n_rows && !found; k++)
      found = matches (row, &b->rows[k]);
    if (!found) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "%s: class %d, "
          "confidence %.2f, %.1f,%.1f to %.1f,%.1f", what, row->class_id,
          row->confidence, row->x0, row->y0, row->x0, row->y0);
      return FALSE;
    }
  }
  return TRUE;
}

/* *@wrong: both backends ran, and their results differ. */
static gboolean
check (Y10BackendKind backend, const Y10EngineConfig *asked, char **device,
    gboolean *wrong, GError **error)
{
  Result got = { {NULL} }, expected = { {NULL} };
  Y10Model *model = y10_model_load (NULL, NULL, error);
  gboolean ok;

  if (!model)
    return FALSE;
  ok = run (model, backend, asked, &got, error)
      && run (model, Y10_BACKEND_REF, asked, &expected, error);
  *wrong = ok;
  ok = ok && same_logits (&got, &expected, error)
      && all_in (&expected, &got, "a detection of the reference is missing",
      error)
      && all_in (&got, &expected, "the reference has no such detection",
      error);
  *wrong = *wrong && !ok;
  if (ok)
    g_debug ("self-check: passed with %u detections, the first with confidence "
        "%.2f", got.n_rows, got.n_rows ? got.rows[0].confidence : 0);
  if (device)
    *device = g_steal_pointer (&got.device);
  result_clear (&got);
  result_clear (&expected);
  y10_model_unref (model);
  return ok;
}

/* Everything that decides whether an earlier verdict holds; FALSE where this
 * build cannot be told from another one. */
static gboolean
append_key (const Y10BackendClass *class, gint device_id, GString *key)
{
  gboolean ok;

  g_string_append_printf (key, "backend %s\n", class->name);
  class->identify (device_id, key);
  g_string_append (key, "library ");
  ok = y10_build_id_append ((const void *) y10_backend_check, key);
  g_string_append (key, "\nmodule ");
  ok = y10_build_id_append (class, key) && ok;
  g_string_append_c (key, '\n');
  return ok;
}

/* Verdicts of this process, by key: also where nothing can be stored. */
static GMutex lock;
static GHashTable *verdicts;    /* lock; key to reason, or to NULL if passed */

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
  on_disk = append_key (class, config->device_id, key);
  g_mutex_lock (&lock);
  verdict = look_up (key->str, on_disk, why);
  if (verdict == Y10_VERDICT_UNKNOWN || again) {
    g_debug ("backend %s is checked against the reference", class->name);
    check (class->kind, config, device, &wrong, &failure);
    /* Other errors, such as a lack of memory, can be gone the next time. */
    if (wrong || !failure)
      remember (key->str, on_disk, failure);
  } else if (verdict == Y10_VERDICT_FAILED) {
    failure = g_error_new_literal (Y10_ERROR, Y10_ERROR_BACKEND,
        why->str);
  }
  g_mutex_unlock (&lock);
  if (!failure)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

/**
 * y10_backend_check:
 * @backend: a backend, not %Y10_BACKEND_AUTO
 * @device_id: index of the GPU, -1 for the first usable one
 * @again: whether to ignore and replace a verdict from earlier
 * @device: (out) (optional) (nullable) (transfer full): description of the device
 *   that was opened, as y10_engine_get_device() returns it; %NULL if none was,
 *   also where an earlier verdict holds
 * @error: location of an error
 *
 * Checks a backend as %Y10_BACKEND_AUTO does before it takes it: one picture
 * through an engine with the bundled model, compared with the reference backend.
 * Takes seconds the first time; the verdict is stored in the user's cache folder
 * for this combination of GPU, driver, libraries and build. Backends that run on
 * the CPU pass without a check. Any thread; one check at a time runs.
 *
 * Returns: %TRUE if @backend computes correctly, else %FALSE with
 *   %Y10_ERROR_BACKEND for wrong results, or the error that prevented the check
 *
 * Since: 0.2
 */
gboolean
y10_backend_check (Y10BackendKind backend, gint device_id, gboolean again,
    char **device, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10BackendClass *class = y10_backend_find (backend, why);
  Y10EngineConfig config;

  if (device)
    *device = NULL;
  if (!class || class->probe (why) == 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_BACKEND,
        "backend %s cannot run here: %s", y10_backend_get_name (backend),
        why->str);
    return FALSE;
  }
  y10_engine_config_init (&config, sizeof config);
  config.device_id = device_id;
  return y10_backend_check_with (class, &config, again, device, error);
}
