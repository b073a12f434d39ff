/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* checkop compares every op of every backend in every precision with the
 * reference. See --help; --list prints the cases' names, and --case= matches
 * any part of a name. Exits with 1 if a case fails or none matches. */

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checkop.h"
#include "core/module.h"

/* The third backend runs only if named: it is a module, for a GPU or the
 * simulated one. */
static const Y10BackendClass *backends[] = {
  &y10_backend_ref,
  &y10_backend_cpu,
  NULL,
};

static char *op_name, *backend_name, *precision_name, *case_name, *size_name;
static gint64 seed;
static int n_threads = 2;
static double seconds = 0.3;
static gboolean list, verbose, bench, json, coverage, no_variants,
    only_variants;

typedef struct
{
  guint n_run, n_failed, n_skipped;
} Count;

/* Cells of --coverage: op kinds, then head and preprocess. */
#define N_OPS (Y10_N_OP_KINDS + 2)

static const char *
op_title (guint i)
{
  return i == Y10_N_OP_KINDS ? "head"
      : i > Y10_N_OP_KINDS   ? "preprocess"
                             : y10_op_kind_get_name (i);
}

static guint
op_index (const Case *c)
{
  return c->type == CASE_HEAD      ? Y10_N_OP_KINDS
      : c->type == CASE_PREPROCESS ? Y10_N_OP_KINDS + 1
                                   : c->op.kind;
}

static gboolean
runner_open (Runner *r, const Y10BackendClass *class, Y10Precision precision)
{
  const Y10DeviceConfig config = {
    .threads = (guint) n_threads,
    .device_id = -1,
    .cuda_graphs = TRUE,
  };
  GError *error = NULL;

  *r = (Runner){ .class = class, .precision = precision };
  r->device = class->open (&config, &error);
  if (!r->device) {
    printf ("%s cannot be opened: %s\n", class->name, error->message);
    g_error_free (error);
    return FALSE;
  }
  if (class->layout (r->device, &r->precision, &r->layout, &error))
    return TRUE;
  printf ("%s %s left out: %s\n", class->name,
      y10_precision_get_name (precision), error->message);
  g_error_free (error);
  class->close (r->device);
  return FALSE;
}

static gboolean
matches (const Case *c)
{
  return (!op_name || strcmp (op_name, case_op (c)) == 0)
      && (!case_name || strstr (c->name, case_name))
      && (!only_variants || !c->odd);
}

static void
print_result (const Case *c, const Runner *r, const Result *result)
{
  const char *state = result->skipped ? "skip" : result->ok ? "ok" : "FAIL";
  const char *precision = y10_precision_get_name (r->precision);

  if (json) {
    printf (
        "{\"case\":\"%s\",\"op\":\"%s\",\"backend\":\"%s\",\"precision\":"
        "\"%s\",\"impl\":\"%s\",\"state\":\"%s\",\"largest\":%.3g,\"nmse\":%.3g",
        c->name, case_op (c), r->class->name, precision, result->impl, state,
        isfinite (result->largest) ? result->largest : -1,
        isfinite (result->nmse) ? result->nmse : -1);
    if (result->ns > 0)
      printf (",\"us\":%.3f,\"spread\":%.3f,\"gflops\":%.2f,\"gb_per_s\":%.2f",
          result->ns / 1e3, result->spread, result->flops / result->ns,
          result->bytes / result->ns);
    puts ("}");
  } else if (result->ns > 0) {
    printf ("%-58s %-4s %-4s %10.1f us ±%2.0f%% %8.1f %s  %s\n", c->name,
        r->class->name, precision, result->ns / 1e3, 50 * result->spread,
        (result->flops > 0 ? result->flops : result->bytes) / result->ns,
        result->flops > 0 ? "GFLOPS" : "GB/s  ", result->impl);
  } else if (verbose || !result->ok) {
    printf ("%-4s %-58s %-4s %-4s %8.1e %8.1e  %s\n", state, c->name,
        r->class->name, precision, result->largest, result->nmse, result->impl);
  }
  if (result->why && !json && (verbose || !result->ok))
    printf ("     %s\n", result->why);
}

static void
run_case (const Case *c, const Runner *runner, const Runner *reference,
    const Options *options, Count *count)
{
  Result result = { 0 };

  switch (c->type) {
    case CASE_OP:
      run_op_case (c, runner, reference, options, &result);
      break;
    case CASE_HEAD:
      run_head_case (c, runner, reference, options, &result);
      break;
    case CASE_PREPROCESS:
      run_preprocess_case (c, runner, reference, options, &result);
      break;
  }
  count->n_run += !result.skipped;
  count->n_failed += !result.ok;
  count->n_skipped += result.skipped;
  print_result (c, runner, &result);
  g_free (result.why);
}

/* The reference is not compared with itself. The tests' own head checks its
 * head, and the golden files check its ops. */
static gboolean
is_tested (const Runner *runner, const Case *c)
{
  /* Both are those of fp32. */
  if (runner->precision == Y10_PRECISION_INT8 && c->type != CASE_OP)
    return FALSE;
  return runner->class != &y10_backend_ref || c->type == CASE_HEAD || bench;
}

/* An op is not covered if it has no case or a backend refuses it. */
static guint
print_coverage (const Count counts[][N_OPS], const Runner *runners,
    guint n_runners)
{
  guint missing = 0;

  for (guint r = 0; r < n_runners; r++)
    for (guint i = 0; i < N_OPS; i++) {
      const Count *c = &counts[r][i];
      gboolean needed = runners[r].precision == Y10_PRECISION_INT8
          ? i < Y10_N_OP_KINDS
          : runners[r].class != &y10_backend_ref || i == Y10_N_OP_KINDS;

      printf ("%-4s %-4s %-11s %4u run, %u failed, %u not supported%s\n",
          runners[r].class->name, y10_precision_get_name (runners[r].precision),
          op_title (i), c->n_run, c->n_failed, c->n_skipped,
          needed && (!c->n_run || c->n_skipped) ? "  NOT COVERED" : "");
      missing += needed && (!c->n_run || c->n_skipped);
    }
  return missing;
}

/* --backend=cuda or cuda-sim. */
static gboolean
load_module (void)
{
  g_autoptr (GString) why = g_string_new (NULL);
  gboolean ok = TRUE;

  if (backend_name && strcmp (backend_name, "cuda-sim") == 0) {
    g_setenv ("Y10_BACKEND_PATH", Y10_SIM_DIR, TRUE);
    backend_name = (char *) "cuda";
  }
  if (backend_name && strcmp (backend_name, "cuda") == 0) {
    backends[2] = y10_module_load ("cuda", why);
    ok = backends[2] != NULL;
    if (!ok)
      printf ("SKIP: cuda left out: %s\n", why->str);
  }
  return ok;
}

static guint
open_runners (Runner *runners)
{
  static const Y10Precision precisions[] = { Y10_PRECISION_FP32,
    Y10_PRECISION_TF32, Y10_PRECISION_FP16, Y10_PRECISION_BF16,
    Y10_PRECISION_INT8 };
  guint n = 0;

  for (guint b = 0; b < G_N_ELEMENTS (backends); b++) {
    GString *why = g_string_new (NULL);

    if (!backends[b]
        || (backend_name && strcmp (backend_name, backends[b]->name) != 0))
      ;
    else if (!backends[b]->probe (why))
      printf ("%s left out: %s\n", backends[b]->name, why->str);
    else
      for (guint p = 0; p < G_N_ELEMENTS (precisions); p++) {
        /* fp32 everywhere; bf16 where the backend supports it; fp16 on GPUs
         * only; int8 on CPUs. TF32 would need separate tolerances. */
        gboolean asked = precision_name
            ? strcmp (precision_name, y10_precision_get_name (precisions[p]))
                == 0
            : precisions[p] == Y10_PRECISION_FP32
                || (precisions[p] == Y10_PRECISION_BF16
                    && backends[b] != &y10_backend_ref)
                || (precisions[p] == Y10_PRECISION_FP16
                    && backends[b]->kind == Y10_BACKEND_CUDA)
                || (precisions[p] == Y10_PRECISION_INT8
                    && backends[b] == &y10_backend_cpu && !bench);

        if (asked && runner_open (&runners[n], backends[b], precisions[p]))
          n++;
      }
    g_string_free (why, TRUE);
  }
  return n;
}

static int
run (guint width, guint height)
{
  const Options options = {
    .seed = (guint64) seed,
    .bench = bench,
    .seconds = seconds,
  };
  Runner runners[8], reference, integers;
  Count counts[8][N_OPS] = { 0 };
  guint n_runners, n_run = 0, n_failed = 0;
  GPtrArray *cases = NULL;

  if (!load_module ())
    return 77;
  n_runners = open_runners (runners);

  if (!n_runners) {
    printf ("checkop: no backend to test\n");
    return 77;
  }
  if (!runner_open (&reference, &y10_backend_ref, Y10_PRECISION_FP32)
      || !runner_open (&integers, &y10_backend_ref, Y10_PRECISION_INT8))
    return 1;
  cases = cases_new (width, height, !no_variants);
  for (guint i = 0; i < cases->len; i++) {
    const Case *c = g_ptr_array_index (cases, i);

    if (!matches (c))
      continue;
    if (list) {
      puts (c->name);
      n_run++;
      continue;
    }
    for (guint r = 0; r < n_runners; r++)
      if (is_tested (&runners[r], c)) {
        Count *count = &counts[r][op_index (c)];

        run_case (c, &runners[r],
            runners[r].precision == Y10_PRECISION_INT8 ? &integers : &reference,
            &options, count);
        fflush (stdout);
      }
  }
  if (coverage && !list)
    n_failed += print_coverage ((const Count (*)[N_OPS]) counts, runners,
        n_runners);
  for (guint r = 0; r < n_runners; r++)
    for (guint i = 0; i < N_OPS; i++) {
      n_run += counts[r][i].n_run;
      n_failed += counts[r][i].n_failed;
    }
  if (!list && !json)
    printf ("checkop: %u checks, %u failed, seed %" G_GINT64_FORMAT "\n", n_run,
        n_failed, seed);
  reference.class->close (reference.device);
  integers.class->close (integers.device);
  g_ptr_array_unref (cases);
  if (!n_run) {
    printf ("checkop: no case matches\n");
    n_failed++;
  }
  for (guint r = 0; r < n_runners; r++)
    runners[r].class->close (runners[r].device);
  return n_failed ? 1 : 0;
}

int
main (int argc, char **argv)
{
  const GOptionEntry entries[] = { { "list", 'l', 0, G_OPTION_ARG_NONE, &list,
                                       "print the cases", NULL },
    { "op", 'o', 0, G_OPTION_ARG_STRING, &op_name,
        "only conv, maxpool5, upsample2x, attention, head, preprocess", "OP" },
    { "backend", 'b', 0, G_OPTION_ARG_STRING, &backend_name, "only this", "B" },
    { "precision", 'p', 0, G_OPTION_ARG_STRING, &precision_name, "only this",
        "P" },
    { "case", 'c', 0, G_OPTION_ARG_STRING, &case_name,
        "only cases whose name has TEXT in it", "TEXT" },
    { "seed", 's', 0, G_OPTION_ARG_INT64, &seed, "of weights and inputs", "N" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &n_threads, "2", "N" },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &verbose, "print every case",
        NULL },
    { "size", 0, 0, G_OPTION_ARG_STRING, &size_name,
        "input size the variants' ops are taken at (160x96; --bench: 640x640)",
        "WxH" },
    { "no-variants", 0, 0, G_OPTION_ARG_NONE, &no_variants,
        "only the small odd shapes", NULL },
    { "only-variants", 0, 0, G_OPTION_ARG_NONE, &only_variants,
        "only shapes of the six variants", NULL },
    { "bench", 0, 0, G_OPTION_ARG_NONE, &bench,
        "measure every case that is right", NULL },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "of measuring a case",
        "S" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "one object a line", NULL },
    { "coverage", 0, 0, G_OPTION_ARG_NONE, &coverage,
        "fail when an op is without a case on some backend", NULL },
    { NULL } };
  GOptionContext *context = g_option_context_new (NULL);
  guint width, height;
  GError *error = NULL;

  setlocale (LC_NUMERIC, "C");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "checkop: %s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  width = bench ? 640 : 160;
  height = bench ? 640 : 96;
  if (argc > 1 || n_threads < 1
      || (size_name
          && (sscanf (size_name, "%ux%u", &width, &height) != 2 || !width
              || !height || width % 32 || height % 32))) {
    fputs ("usage: checkop [OPTIONS]; --help lists them; sizes are multiples "
           "of 32\n",
        stderr);
    return 2;
  }
  return run (width, height);
}
