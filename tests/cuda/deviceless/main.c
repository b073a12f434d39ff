/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Queries cuDNN, without a GPU, for the plans of every dense convolution of the
 * six variants, in fp16, on each GPU of tests/data/gpu: in the memory plan's
 * layout in concats, and with separate tensors. It builds the precompiled
 * plans; of the fused ones, which take a second each, it builds one per GPU and
 * queries the rest, in batches of the smallest variant only: a query takes ten
 * times as long as building a precompiled plan. With --smallest it asks for the
 * smallest variant only. It fails for each convolution that has no plan with
 * tensor cores and is no exception. Several GPUs are queried at once: any thread
 * may build plans. */

#include "config.h"

#include <string.h>

#include "conv/plan.h"
#include "model/model.h"
#include "core/plan.h"
#include "util.h"

static const char *const gpus[] = { "t4", "a100", "a10", "l4", "h200", "b200",
  "rtx5090" };
static const int archs[G_N_ELEMENTS (gpus)] = { 75, 80, 86, 89, 90, 100, 120 };
static const char variants[] = "nsmblx";
#define MAX_VARIANTS (G_N_ELEMENTS (variants) - 1)
static const guint batches[] = { 1, 8 };

typedef struct
{
  guint yes[G_N_ELEMENTS (gpus)], all[G_N_ELEMENTS (gpus)];
} Row;

static GPtrArray *exceptions; /* of GPatternSpec */
static GPtrArray
    *exception_lines; /* the same patterns as written in the file */
static gint *n_used;  /* number of convolutions that needed each */

static Row rows[MAX_VARIANTS][2][2]; /* [stage][packed] */
static Y10Plan *plans[MAX_VARIANTS];
static guint n_variants = MAX_VARIANTS;

/* The queries for one GPU. */
typedef struct
{
  Y10CudnnLib *lib;
  guint gpu;
  GHashTable *known; /* "sm_75 bias packed …" → yes or no */
  guint n_no;
} Table;

static Y10CudaConvView
conv_view (const Y10Plan *plan, Y10View v, gboolean packed)
{
  Y10CudaConvView view = { 0 };
  const Y10Tensor *tensor = &plan->graph->tensors[v.tensor];

  if (v.n == 0)
    return view;
  view.height = (gint) tensor->height;
  view.width = (gint) tensor->width;
  view.channels = (gint) y10_plan_view_padded (plan, v);
  /* Precompiled plans write halves there, which the epilogue widens; fused ones
   * write floats. */
  packed |= tensor->role == Y10_ROLE_LOGITS;
  view.pixel = packed ? view.channels
                      : (gint64) plan->storage[v.tensor].padded_channels;
  view.image = view.pixel * view.width * view.height;
  return view;
}

static gboolean
is_packed (const Y10CudaConvView *v)
{
  return v->pixel == v->channels;
}

static Y10CudaConvDesc
conv_desc (const Y10Plan *plan, const Y10Op *op, guint images, gboolean packed)
{
  Y10CudaConvDesc d = {
    .precision = Y10_PRECISION_FP16,
    .images = images,
    .in = conv_view (plan, op->in, packed),
    .out = conv_view (plan, op->out, packed),
    .add = conv_view (plan, op->add, packed),
    .kernel = (gint) op->kernel,
    .stride = (gint) op->stride,
    .pad = (gint) op->pad,
    .silu = op->act == Y10_ACT_SILU,
    .out_float = plan->graph->tensors[op->out.tensor].role == Y10_ROLE_LOGITS,
  };

  return d;
}

/* The text in exceptions.txt and in messages. */
static char *
describe (const Table *t, const Y10CudaConvDesc *d, Y10CudaConvStage stage)
{
  gboolean packed = is_packed (&d->in) && is_packed (&d->out)
      && is_packed (&d->add);

  return g_strdup_printf ("sm_%d %s %s %d/%d -> %d/%d, %dx%d, kernel %d "
                          "stride %d%s%s%.0d%s batch %u",
      archs[t->gpu], stage == Y10_CUDA_CONV_FUSED ? "fused" : "bias",
      packed ? "packed" : "views", d->in.channels, (int) d->in.pixel,
      d->out.channels, (int) d->out.pixel, d->in.width, d->in.height, d->kernel,
      d->stride, d->silu ? " silu" : "", d->add.channels ? " add/" : "",
      (int) d->add.pixel,
      stage == Y10_CUDA_CONV_FUSED && d->out_float ? " float" : "", d->images);
}

static gboolean
excused (const char *key)
{
  for (guint i = 0; i < exceptions->len; i++)
    if (g_pattern_spec_match_string (exceptions->pdata[i], key)) {
      g_atomic_int_inc (&n_used[i]);
      return TRUE;
    }
  return FALSE;
}

static gboolean
has_tensor_cores (Table *t, const Y10CudaConvDesc *d, Y10CudaConvStage stage)
{
  char *key = describe (t, d, stage);
  GError *error = NULL;
  gpointer known;
  Y10CudnnPlan *plan;
  gboolean yes;

  if (g_hash_table_lookup_extended (t->known, key, NULL, &known)) {
    g_free (key);
    return GPOINTER_TO_INT (known);
  }
  plan = stage == Y10_CUDA_CONV_FUSED
      ? y10_cudnn_plan_peek (t->lib, d, stage, &error)
      : y10_cudnn_plan_new (t->lib, d, stage, &error);
  yes = plan && strstr (y10_cudnn_plan_describe (plan), ",tensor-core");
  if (!yes && !excused (key)) {
    g_print ("no: %s: %s\n", key,
        plan ? y10_cudnn_plan_describe (plan) : error->message);
    t->n_no++;
  }
  g_clear_error (&error);
  y10_cudnn_plan_free (plan);
  g_hash_table_insert (t->known, key, GINT_TO_POINTER (yes));
  return yes;
}

static Y10Plan *
plan_of (char variant, Y10Graph **graph)
{
  static const Y10Layout layout = {
    .block = 8,
    .channels_last = TRUE,
    .elem_size = 2,
    .half = TRUE,
    .input_block = 8,
    .input_elem_size = 2,
    .align = 256,
    .max_run = 8,
  };
  const Y10TestFormat hollow = { .hollow = TRUE };
  g_autofree char *name = g_strdup_printf ("yolov10%c-nc80", variant);
  Y10TestTensors *tensors = test_tensors (name, 0);
  g_autoptr (Y10Model) model = test_model (tensors, &hollow);
  GError *error = NULL;
  Y10Plan *plan;

  *graph = y10_model_build_graph (model, 640, 640, Y10_HEAD_ONE2ONE, &error);
  g_assert_no_error (error);
  plan = y10_plan_new (*graph, &layout, &error);
  g_assert_no_error (error);
  y10_test_tensors_free (tensors);
  return plan;
}

/* Checks one variant on one GPU. */
static void
ask (Table *t, guint variant)
{
  const Y10Plan *plan = plans[variant];

  for (guint k = 0; k < plan->graph->n_ops; k++) {
    const Y10Op *op = &plan->graph->ops[k];

    if (op->kind != Y10_OP_CONV || op->groups != 1)
      continue;
    for (guint b = 0; b < G_N_ELEMENTS (batches); b++)
      for (int packed = 0; packed < 2; packed++) {
        Y10CudaConvDesc d = conv_desc (plan, op, batches[b], packed);

        if (!packed && is_packed (&d.in) && is_packed (&d.out)
            && is_packed (&d.add))
          continue;
        for (int stage = 0; stage < 2; stage++) {
          Row *row = &rows[variant][stage][packed];

          if (stage == Y10_CUDA_CONV_FUSED && batches[b] > 1 && variant > 0)
            continue;
          row->all[t->gpu]++;
          row->yes[t->gpu] += has_tensor_cores (t, &d, (Y10CudaConvStage) stage)
              != 0;
        }
      }
  }
}

#define VIEW \
  { \
    40, 40, 64, 64, 40 * 40 * 64 \
  }

static const Y10CudaConvDesc example = { Y10_PRECISION_FP16, 1, VIEW, VIEW,
  VIEW, 3, 1, 1, TRUE };

/* The candidates for a measurement are built, too, at most the requested
 * number, and all can be saved; after a cancellation no further plan is
 * begun. */
static gboolean
build_candidates (const Table *t, const Y10CudaConvDesc *d)
{
  GCancellable *cancellable = g_cancellable_new ();
  GError *error = NULL;
  GPtrArray *plans = y10_cudnn_plan_candidates (t->lib, d, Y10_CUDA_CONV_FUSED,
      2, cancellable, &error);
  gboolean ok = plans && plans->len >= 1 && plans->len <= 2;

  for (guint i = 0; ok && i < plans->len; i++) {
    GBytes *bytes = y10_cudnn_plan_save (plans->pdata[i], &error);

    ok = bytes && g_bytes_get_size (bytes) > 10000; /* includes the code */
    g_clear_pointer (&bytes, g_bytes_unref);
  }
  if (!ok)
    g_print ("no: candidates for sm_%d: %s\n", archs[t->gpu],
        error ? error->message : "too few, too many, or without code");
  g_clear_pointer (&plans, g_ptr_array_unref);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  plans = y10_cudnn_plan_candidates (t->lib, d, Y10_CUDA_CONV_FUSED, 2,
      cancellable, &error);
  if (plans || !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_print ("no: plans were built after the cancellation\n");
    ok = FALSE;
  }
  g_clear_error (&error);
  g_object_unref (cancellable);
  return ok;
}

/* Builds, saves and loads one fused plan; another GPU must not load it. */
static gboolean
build_one (const Table *t)
{
  static GBytes *another;
  static GMutex lock;
  Y10CudnnPlan *plan, *loaded, *wrong;
  GBytes *bytes = NULL, *other;
  GError *error = NULL;
  gboolean ok = FALSE;

  plan = y10_cudnn_plan_new (t->lib, &example, Y10_CUDA_CONV_FUSED, &error);
  if (plan)
    bytes = y10_cudnn_plan_save (plan, &error);
  g_mutex_lock (&lock);
  other = another;
  another = bytes;
  g_mutex_unlock (&lock);
  loaded = bytes ? y10_cudnn_plan_load (t->lib, &example, Y10_CUDA_CONV_FUSED,
               bytes, &error)
                 : NULL;
  wrong = other
      ? y10_cudnn_plan_load (t->lib, &example, Y10_CUDA_CONV_FUSED, other, NULL)
      : NULL;
  if (!loaded)
    g_print ("no: a fused plan for sm_%d: %s\n", archs[t->gpu], error->message);
  else if (g_strcmp0 (y10_cudnn_plan_describe (plan),
               y10_cudnn_plan_describe (loaded)))
    g_print ("no: saving and loading changed a plan for sm_%d\n",
        archs[t->gpu]);
  else if (wrong)
    g_print ("no: another GPU's plan loads on sm_%d\n", archs[t->gpu]);
  else
    ok = TRUE;
  if (ok)
    g_print ("sm_%d %s: %s, %" G_GSIZE_FORMAT " bytes\n", archs[t->gpu],
        gpus[t->gpu], y10_cudnn_plan_describe (plan), g_bytes_get_size (bytes));
  g_clear_error (&error);
  y10_cudnn_plan_free (wrong);
  y10_cudnn_plan_free (loaded);
  y10_cudnn_plan_free (plan);
  g_clear_pointer (&other, g_bytes_unref);
  return ok;
}

static void
ask_gpu (gpointer data, gpointer user_data)
{
  Table *t = data;
  char *path = g_strdup_printf (TEST_DATA_DIR "/gpu/%s.json", gpus[t->gpu]);
  g_autoptr (GString) why = g_string_new (NULL);
  GError *error = NULL;
  char *properties;

  g_file_get_contents (path, &properties, NULL, &error);
  g_assert_no_error (error);
  t->lib = y10_cudnn_lib_new_deviceless (properties, why);
  if (t->lib) {
    t->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    t->n_no += !build_one (t) + !build_candidates (t, &example);
    for (guint v = 0; v < n_variants; v++)
      ask (t, v);
    g_hash_table_unref (t->known);
  } else {
    g_print ("no: %s: %s\n", path, why->str);
    t->n_no++;
  }
  y10_cudnn_lib_free (t->lib);
  g_free (properties);
  g_free (path);
}

static void
read_exceptions (void)
{
  GError *error = NULL;
  char *text, **lines;

  g_file_get_contents (EXCEPTIONS, &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", 0);
  exceptions = g_ptr_array_new_with_free_func (
      (GDestroyNotify) g_pattern_spec_free);
  exception_lines = g_ptr_array_new_with_free_func (g_free);
  for (char **line = lines; *line; line++)
    if (**line && **line != '#') {
      g_ptr_array_add (exceptions, g_pattern_spec_new (*line));
      g_ptr_array_add (exception_lines, g_strdup (*line));
    }
  n_used = g_new0 (gint, exceptions->len);
  g_strfreev (lines);
  g_free (text);
}

static void
print_row (char variant, const char *what, const Row *row)
{
  g_print ("yolov10%c  %-14s", variant, what);
  for (guint g = 0; g < G_N_ELEMENTS (gpus); g++) {
    char *cell = g_strdup_printf ("%u/%u", row->yes[g], row->all[g]);

    g_print ("%9s", cell);
    g_free (cell);
  }
  g_print ("\n");
}

static void
print_table (void)
{
  g_print ("\nDense convolutions on tensor cores, fp16, 640x640, batch 1 and 8"
           "\n                       ");
  for (guint g = 0; g < G_N_ELEMENTS (gpus); g++)
    g_print ("%6s%-3d", "sm_", archs[g]);
  g_print ("\n");
  for (guint v = 0; v < n_variants; v++)
    for (int stage = 0; stage < 2; stage++)
      for (int packed = 1; packed >= 0; packed--) {
        char *what = g_strdup_printf ("%s, %s", stage ? "fused" : "bias",
            packed ? "packed" : "views");

        print_row (variants[v], what, &rows[v][stage][packed]);
        g_free (what);
      }
}

int
main (int argc, char **argv)
{
  Table tables[G_N_ELEMENTS (gpus)] = { 0 };
  Y10Graph *graphs[MAX_VARIANTS];
  GString *why = g_string_new (NULL);
  guint n_no = 0, n_excused = 0;
  GThreadPool *pool;

  if (argc > 1 && strcmp (argv[1], "--smallest") == 0)
    n_variants = 1;
  if (!y10_cudnn_get (why)) {
    g_print ("skipped: %s\n", why->str);
    return 77;
  }
  if (!y10_cudnn_can_compile (y10_cudnn_get (why), why)) {
    g_print ("skipped: %s\n", why->str);
    return 77;
  }
  read_exceptions ();
  for (guint v = 0; v < n_variants; v++)
    plans[v] = plan_of (variants[v], &graphs[v]);

  pool = g_thread_pool_new (ask_gpu, NULL,
      (gint) MIN (4, g_get_num_processors ()), TRUE, NULL);
  for (guint g = 0; g < G_N_ELEMENTS (gpus); g++) {
    tables[g].gpu = g;
    g_thread_pool_push (pool, &tables[g], NULL);
  }
  g_thread_pool_free (pool, FALSE, TRUE);

  print_table ();
  for (guint g = 0; g < G_N_ELEMENTS (gpus); g++)
    n_no += tables[g].n_no;
  for (guint i = 0; i < exceptions->len; i++) {
    n_excused += (guint) n_used[i];
    if (n_used[i] == 0)
      g_print ("no longer needed in exceptions.txt: %s\n",
          (char *) exception_lines->pdata[i]);
  }
  g_print ("%u not on tensor cores, %u of them exceptions\n", n_no + n_excused,
      n_excused);

  for (guint v = 0; v < n_variants; v++) {
    y10_plan_free (plans[v]);
    y10_graph_free (graphs[v]);
  }
  g_free (n_used);
  g_ptr_array_unref (exceptions);
  g_ptr_array_unref (exception_lines);
  g_string_free (why, TRUE);
  test_dir_remove ();
  return n_no > 0;
}
