/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The self-check, of the reference backend under another name: it passes as it is,
 * and fails with any one thing wrong: an edge, a class, a score, a detection too
 * few or too many, logits, alone, only in a batch or only in an input of the image's
 * shape, in one precision only. The
 * verdict belongs to the precision and to the given context. */

#include "config.h"

#include <string.h>

#include "run/selfcheck.h"

#define MOST 65     /* rows */
#define SHIFT 10.0f /* pixels: more than any precision may differ */

typedef struct
{
  const char *name;
  void (*change) (Y10Detection *rows, guint *n);
  gboolean logits;
  guint first_image; /* images before it are right */
  const char *said;
  guint first_input; /* those before it are right */
} Fault;

static const Fault *fault;                     /* NULL: none */
static Y10Precision only = Y10_PRECISION_AUTO; /* the fault's; AUTO: any */
static Y10Precision opened;
/* Inputs: one of each engine, and that of the image's shape. */
static guint n_inputs;
#define ALL_INPUTS 4

static gboolean
is_wrong (guint image)
{
  return fault && image >= fault->first_image && n_inputs >= fault->first_input
      && (only == Y10_PRECISION_AUTO || only == opened);
}

static const Y10Rows *
get_rows (Y10Slot *slot, guint i)
{
  static Y10Detection rows[MOST];
  static Y10Rows changed;
  const Y10Rows *right = y10_backend_ref.rows (slot, i);

  g_assert_cmpuint (right->n, >, 0); /* something must be there to be wrong */
  g_assert_cmpfloat (right->rows[0].confidence, >, 0.25f);
  if (!is_wrong (i) || !fault->change)
    return right;
  memcpy (rows, right->rows, right->n * sizeof *rows);
  changed.n = right->n;
  changed.rows = rows;
  fault->change (rows, &changed.n);
  return &changed;
}

static gboolean
read_tensor (Y10Slot *slot, guint i, Y10View view, gfloat *nchw, GError **error)
{
  if (!y10_backend_ref.read_tensor (slot, i, view, nchw, error))
    return FALSE;
  if (is_wrong (i) && fault->logits)
    nchw[0] += 100;
  return TRUE;
}

/* Half precision unless asked for another, as on a GPU; without bf16. */
static gboolean
get_layout (Y10Device *device, Y10Precision *precision, Y10Layout *layout,
    GError **error)
{
  Y10Precision single = Y10_PRECISION_FP32;

  n_inputs++;
  if (*precision == Y10_PRECISION_AUTO)
    *precision = Y10_PRECISION_FP16;
  if (*precision == Y10_PRECISION_BF16) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED, "no bf16");
    return FALSE;
  }
  opened = *precision;
  return y10_backend_ref.layout (device, &single, layout, error);
}

static gboolean
supports (Y10Device *device, const Y10Graph *graph, const Y10Op *op,
    Y10Precision precision, GString *why)
{
  return y10_backend_ref.supports (device, graph, op, Y10_PRECISION_FP32, why);
}

static Y10Program *
compile (Y10Device *device, const Y10Plan *plan, Y10Precision precision,
    GCancellable *cancellable, GError **error)
{
  return y10_backend_ref.compile (device, plan, Y10_PRECISION_FP32, cancellable,
      error);
}

static guint n_keys;

/* A context says which GPU it is on; each test has GPUs of its own. */
static void
identify (const Y10DeviceConfig *config, GString *key)
{
  g_string_append_printf (key, "%u: GPU %d\n", n_keys,
      config->cuda_context ? *(int *) config->cuda_context : config->device_id);
}

static gboolean
check (const Y10EngineConfig *asked, GError **error)
{
  static Y10BackendClass class;
  Y10EngineConfig config;

  class = y10_backend_ref;
  class.name = "other";
  class.layout = get_layout;
  class.supports = supports;
  class.compile = compile;
  class.rows = get_rows;
  class.read_tensor = read_tensor;
  class.identify = identify;
  y10_engine_config_init (&config, sizeof config);
  return y10_backend_check_with (&class, asked ? asked : &config, FALSE, NULL,
      error);
}

static void
move_left (Y10Detection *rows, guint *n)
{
  rows[0].x0 -= SHIFT;
}

static void
move_top (Y10Detection *rows, guint *n)
{
  rows[0].y0 -= SHIFT;
}

static void
move_right (Y10Detection *rows, guint *n)
{
  rows[0].x1 += SHIFT;
}

static void
move_bottom (Y10Detection *rows, guint *n)
{
  rows[0].y1 += SHIFT;
}

static void
change_class (Y10Detection *rows, guint *n)
{
  rows[0].class_id++;
}

static void
change_score (Y10Detection *rows, guint *n)
{
  rows[0].confidence -= 0.15f;
}

static void
drop (Y10Detection *rows, guint *n)
{
  memmove (rows, rows + 1, --*n * sizeof *rows);
}

static void
repeat (Y10Detection *rows, guint *n)
{
  rows[*n] = rows[0];
  ++*n;
}

static const Fault faults[] = {
  { "left", move_left, FALSE, 0, "a detection of the reference is missing" },
  { "top", move_top, FALSE, 0, "a detection of the reference is missing" },
  { "right", move_right, FALSE, 0, "a detection of the reference is missing" },
  { "bottom", move_bottom, FALSE, 0,
      "a detection of the reference is missing" },
  { "class", change_class, FALSE, 0,
      "a detection of the reference is missing" },
  { "score", change_score, FALSE, 0,
      "a detection of the reference is missing" },
  { "missing", drop, FALSE, 0, "a detection of the reference is missing" },
  { "twice", repeat, FALSE, 0, "the reference has no such detection" },
  { "logits", NULL, TRUE, 0,
      "the box logits of level 0 differ from the reference" },
  { "batch-right", move_right, FALSE, 2,
      "image 2 of 3 in a batch of 4: a detection" },
  { "batch-twice", repeat, FALSE, 1,
      "image 1 of 3 in a batch of 4: the reference" },
  { "batch-logits", NULL, TRUE, 2,
      "image 2 of 3 in a batch of 4: the box logits" },
  { "shape-right", move_right, FALSE, 0,
      "an input of the image's shape: a detection", ALL_INPUTS },
  { "shape-logits", NULL, TRUE, 0,
      "an input of the image's shape: the box logits", ALL_INPUTS },
};

static void
expect_wrong (const Y10EngineConfig *config, const char *said)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (check (config, &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_BACKEND);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, said));
}

static void
expect_right (const Y10EngineConfig *config)
{
  GError *error = NULL;

  check (config, &error);
  g_assert_no_error (error);
}

static void
test_correct (void)
{
  n_keys++;
  fault = NULL;
  n_inputs = 0;
  expect_right (NULL);
  g_assert_cmpuint (n_inputs, ==, ALL_INPUTS);
  expect_right (NULL); /* by the verdict */
  g_assert_cmpuint (n_inputs, ==, ALL_INPUTS);
}

static void
test_fault (gconstpointer data)
{
  n_keys++;
  n_inputs = 0;
  fault = data;
  expect_wrong (NULL, fault->said);
  fault = NULL;
}

/* auto takes the precision that was asked for, so that is what is checked. */
static void
test_precision (void)
{
  g_autoptr (GError) error = NULL;
  Y10EngineConfig config;

  n_keys++;
  y10_engine_config_init (&config, sizeof config);
  fault = &faults[2];
  only = Y10_PRECISION_FP32;
  expect_right (&config);
  config.precision = Y10_PRECISION_FP32;
  expect_wrong (&config, fault->said);
  config.precision = Y10_PRECISION_FP16;
  expect_right (&config);
  fault = NULL;
  config.precision = Y10_PRECISION_FP32;
  expect_wrong (&config, faults[2].said); /* by the verdict */
  only = Y10_PRECISION_AUTO;
  /* A precision that the device lacks is no verdict. */
  config.precision = Y10_PRECISION_BF16;
  g_assert_false (check (&config, &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED);
}

/* A machine with two GPUs, the second of which computes wrongly. */
static void
test_context (void)
{
  int second = 1;
  Y10EngineConfig config;

  n_keys++;
  y10_engine_config_init (&config, sizeof config);
  config.device_id = 0;
  expect_right (&config);
  config.cuda_context = &second;
  fault = &faults[2];
  expect_wrong (&config, fault->said);
  fault = NULL;
  config.cuda_context = NULL;
  config.device_id = 1;
  expect_wrong (&config, faults[2].said); /* the same GPU's verdict */
  config.device_id = 0;
  expect_right (&config);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/selfcheck/correct", test_correct);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autofree char *path = g_strconcat ("/selfcheck/", faults[i].name, NULL);

    g_test_add_data_func (path, &faults[i], test_fault);
  }
  g_test_add_func ("/selfcheck/precision", test_precision);
  g_test_add_func ("/selfcheck/context", test_context);
  return g_test_run ();
}
