/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Plans for dense convolutions by cuDNN's heuristics. A plan is accepted only if
 * it is deterministic and computes in no less than the requested precision;
 * in fp32 that rules out tensor cores, which round to TF32. */

#include "config.h"

#include <string.h>

#include "conv/plan.h"

/* A fused configuration can take seconds to fail. */
#define MAX_FAILURES 8
/* Workspace that a plan may need in addition to a copy of its input and output,
 * which engines need that cannot work in place. */
#define SPARE_WORKSPACE ((gsize) 1 << 20)

/* cuDNN's notes about an engine. */
typedef struct
{
  gint64 index;
  gboolean tensor_core, inexact, compiled;
} Engine;

static gboolean
read_engine (const Y10Cudnn *cudnn, cudnnBackendDescriptor_t config,
    Engine *engine)
{
  cudnnBackendNumericalNote_t numerical[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  cudnnBackendBehaviorNote_t behavior[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT];
  cudnnBackendDescriptor_t d;
  gint64 n = 0, n_numerical = 0, n_behavior = 0;
  gboolean ok;

  if (cudnn->create_descriptor (CUDNN_BACKEND_ENGINE_DESCRIPTOR, &d))
    return FALSE;
  ok = !cudnn->get_attribute (config, CUDNN_ATTR_ENGINECFG_ENGINE,
           CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &n, &d)
      && !cudnn->get_attribute (d, CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
          CUDNN_TYPE_INT64, 1, &n, &engine->index)
      && !cudnn->get_attribute (d, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
          CUDNN_TYPE_NUMERICAL_NOTE, G_N_ELEMENTS (numerical), &n_numerical,
          numerical)
      && !cudnn->get_attribute (d, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
          CUDNN_TYPE_BEHAVIOR_NOTE, G_N_ELEMENTS (behavior), &n_behavior,
          behavior);
  cudnn->destroy_descriptor (d);
  if (!ok)
    return FALSE;

  engine->tensor_core = engine->inexact = engine->compiled = FALSE;
  n_numerical = MIN (n_numerical, (gint64) G_N_ELEMENTS (numerical));
  n_behavior = MIN (n_behavior, (gint64) G_N_ELEMENTS (behavior));
  for (gint64 i = 0; i < n_numerical; i++)
    switch (numerical[i]) {
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
        engine->tensor_core = TRUE;
        break;
      case CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP:
        break;
      default: /* also notes of later versions */
        engine->inexact = TRUE;
    }
  for (gint64 i = 0; i < n_behavior; i++)
    if (behavior[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION)
      engine->compiled = TRUE;
  return TRUE;
}

static const cudnnBackendHeurMode_t modes[] = { CUDNN_HEUR_MODE_A,
  CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK };

/* One search for a plan. */
typedef struct
{
  Y10CudnnLib *lib;
  const Y10CudaConvDesc *desc;
  Y10CudaConvStage stage;
  gboolean dry;         /* plans are described, not built */
  cudnnHandle_t handle; /* to build with; NULL: properties */
  Y10CudnnSet *set;     /* an atomic rc box */
  cudnnBackendDescriptor_t graph;
  GPtrArray *configs[G_N_ELEMENTS (modes)]; /* NULL: not asked yet */
  guint n_failures, n_seen, max_plans;
  GPtrArray *plans;          /* found so far */
  GCancellable *cancellable; /* or NULL */
  gsize budget;              /* of workspace: all plans of a slot share it */
  Y10CudnnPlan *greedy;      /* the one that exceeds it by the least */
  GError *error;             /* of the last plan that failed */
} Search;

static void
free_descriptors (const Y10Cudnn *cudnn, GPtrArray *array)
{
  for (guint i = 0; i < array->len; i++)
    if (array->pdata[i]) /* else a plan has it */
      cudnn->destroy_descriptor (array->pdata[i]);
  g_ptr_array_free (array, TRUE);
}

/* The configurations of one heuristics mode, best first; may be empty. */
static GPtrArray *
list_configs (Search *s, guint mode)
{
  const Y10Cudnn *cudnn = s->lib->cudnn;
  cudnnBackendDescriptor_t heuristic;
  gint64 n = 0, got = 0;
  GPtrArray *configs = g_ptr_array_new ();
  Y10CudnnSet set;

  y10_cudnn_set_init (&set, cudnn);
  heuristic = y10_cudnn_set_begin (&set, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  y10_cudnn_set_attribute (&set, heuristic,
      CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
      &s->graph);
  y10_cudnn_set_attribute (&set, heuristic, CUDNN_ATTR_ENGINEHEUR_MODE,
      CUDNN_TYPE_HEUR_MODE, 1, &modes[mode]);
  if (s->lib->properties)
    y10_cudnn_set_attribute (&set, heuristic, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &s->lib->properties);
  y10_cudnn_set_finish (&set, heuristic, "the heuristics");
  if (y10_cudnn_set_ok (&set, s->error ? NULL : &s->error)
      && !cudnn->get_attribute (heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
          CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &n, NULL)) {
    for (gint64 i = 0; i < n; i++) {
      cudnnBackendDescriptor_t d;

      if (cudnn->create_descriptor (CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &d))
        break;
      g_ptr_array_add (configs, d);
    }
    if (cudnn->get_attribute (heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
            CUDNN_TYPE_BACKEND_DESCRIPTOR, configs->len, &got, configs->pdata))
      got = 0;
    while (configs->len > MAX (got, 0)) {
      cudnn->destroy_descriptor (configs->pdata[configs->len - 1]);
      g_ptr_array_set_size (configs, (gint) configs->len - 1);
    }
  }
  y10_cudnn_set_clear (&set);
  return configs;
}

static gboolean
wanted (const Search *s, const Engine *engine, gboolean tensor_core)
{
  if (engine->inexact || engine->tensor_core != tensor_core)
    return FALSE;
  return s->stage == Y10_CUDA_CONV_FUSED || !engine->compiled;
}

static Y10CudnnPlan *
plan_alloc (Y10CudnnLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage)
{
  Y10CudnnPlan *plan = g_new0 (Y10CudnnPlan, 1);

  plan->base.provider = &y10_cudnn_provider;
  plan->lib = lib;
  plan->add = stage == Y10_CUDA_CONV_FUSED && desc->add.channels > 0;
  plan->bias_type = y10_cuda_conv_bias_type (desc, stage);
  plan->n_bias = (gsize) desc->out.channels;
  y10_cudnn_set_init (&plan->set, lib->cudnn);
  plan->plan = y10_cudnn_set_begin (&plan->set,
      CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  return plan;
}

static gboolean
plan_finish (Y10CudnnPlan *plan, GError **error)
{
  const Y10Cudnn *cudnn = plan->lib->cudnn;
  gint64 n = 0, bytes = 0;

  y10_cudnn_set_finish (&plan->set, plan->plan, "building a plan");
  if (!y10_cudnn_set_ok (&plan->set, error)
      || !y10_cudnn_check (cudnn,
          cudnn->get_attribute (plan->plan,
              CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &n,
              &bytes),
          "the workspace's size", error))
    return FALSE;
  plan->workspace = (gsize) MAX (bytes, 0);
  return TRUE;
}

static gsize
view_bytes (const Y10CudaConvDesc *desc, const Y10CudaConvView *v,
    gboolean is_float)
{
  gsize elem_size = !is_float
          && (desc->precision == Y10_PRECISION_FP16
              || desc->precision == Y10_PRECISION_BF16)
      ? 2
      : 4;

  return (gsize) v->height * v->width * v->channels * desc->images * elem_size;
}

/* Takes ownership of @config. */
static void
try_config (Search *s, cudnnBackendDescriptor_t config, const Engine *engine)
{
  Y10CudnnPlan *plan = plan_alloc (s->lib, s->desc, s->stage);

  plan->graph = g_atomic_rc_box_acquire (s->set);
  y10_cudnn_set_attribute (&plan->set, plan->plan,
      CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
      &config);
  if (s->handle)
    y10_cudnn_set_attribute (&plan->set, plan->plan,
        CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &s->handle);
  g_ptr_array_insert (plan->set.made, 0, config);
  g_clear_error (&s->error);
  if (s->dry ? !y10_cudnn_set_ok (&plan->set, &s->error)
             : !plan_finish (plan, &s->error)) {
    s->n_failures++;
    y10_cudnn_plan_free (plan);
    return;
  }
  plan->description = g_strdup_printf ("cudnn:eng%" G_GINT64_FORMAT "%s%s",
      engine->index, engine->tensor_core ? ",tensor-core" : "",
      s->stage == Y10_CUDA_CONV_FUSED ? ",fused" : "");
  if (plan->workspace <= s->budget) {
    g_ptr_array_add (s->plans, plan);
  } else if (!s->greedy || plan->workspace < s->greedy->workspace) {
    y10_cudnn_plan_free (s->greedy);
    s->greedy = plan;
  } else {
    y10_cudnn_plan_free (plan);
  }
}

/* Builds plans with or without tensor cores, in the heuristics' order. */
static void
search (Search *s, gboolean tensor_core)
{
  for (guint m = 0; m < G_N_ELEMENTS (modes) && s->plans->len == 0; m++) {
    if (!s->configs[m])
      s->configs[m] = list_configs (s, m);
    for (guint i = 0; i < s->configs[m]->len && s->n_failures < MAX_FAILURES
         && s->plans->len < s->max_plans
         && !g_cancellable_is_cancelled (s->cancellable);
         i++) {
      cudnnBackendDescriptor_t config = s->configs[m]->pdata[i];
      Engine engine;

      s->n_seen++;
      if (!config || !read_engine (s->lib->cudnn, config, &engine)
          || !wanted (s, &engine, tensor_core))
        continue;
      s->configs[m]->pdata[i] = NULL;
      try_config (s, config, &engine);
    }
    /* The later modes repeat the first one or offer slower plans. */
    if (s->greedy && s->plans->len == 0)
      g_ptr_array_add (s->plans, g_steal_pointer (&s->greedy));
  }
  g_clear_pointer (&s->greedy, y10_cudnn_plan_free);
}

static GPtrArray *
find_plans (Y10CudnnLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, guint max, gboolean dry, GCancellable *cancellable,
    GError **error)
{
  Search s = { .lib = lib,
    .desc = desc,
    .stage = stage,
    .dry = dry,
    .cancellable = cancellable,
    .max_plans = max,
    .budget = SPARE_WORKSPACE + view_bytes (desc, &desc->in, FALSE)
        + view_bytes (desc, &desc->out, desc->out_float) };

  if (!y10_cudnn_begin_build (lib, &s.handle, error))
    return NULL;
  s.plans = g_ptr_array_new_with_free_func (
      (GDestroyNotify) y10_cudnn_plan_free);
  s.set = g_atomic_rc_box_new0 (Y10CudnnSet);
  y10_cudnn_set_init (s.set, lib->cudnn);
  s.graph = y10_cuda_conv_graph (s.set, desc, stage, s.handle);
  if (y10_cudnn_set_ok (s.set, &s.error)) {
    if (desc->precision != Y10_PRECISION_FP32)
      search (&s, TRUE);
    /* In half precision the only other fused engine takes two seconds to build
     * and is slower than a precompiled one with tensor cores. */
    if (s.plans->len == 0
        && (stage == Y10_CUDA_CONV_BIAS || desc->precision == Y10_PRECISION_FP32
            || desc->precision == Y10_PRECISION_TF32))
      search (&s, FALSE);
    for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
      if (s.configs[m])
        free_descriptors (lib->cudnn, s.configs[m]);
  }
  y10_cudnn_set_release (s.set);
  y10_cudnn_end_build (lib, s.handle);

  if (s.plans->len > 0) {
    g_clear_error (&s.error);
    return s.plans;
  }
  g_ptr_array_free (s.plans, TRUE);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    g_clear_error (&s.error);
  else if (s.error)
    g_propagate_error (error, s.error);
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        s.n_seen ? "cuDNN: none of its configurations for this convolution "
                   "can be used"
                 : "cuDNN has no configuration for this convolution");
  return NULL;
}

static Y10CudnnPlan *
first_of (GPtrArray *plans)
{
  Y10CudnnPlan *plan;

  if (!plans)
    return NULL;
  plan = g_ptr_array_steal_index (plans, 0);
  g_ptr_array_free (plans, TRUE);
  return plan;
}

Y10CudnnPlan *
y10_cudnn_plan_new (Y10CudnnLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  return first_of (find_plans (lib, desc, stage, 1, FALSE, NULL, error));
}

GPtrArray *
y10_cudnn_plan_candidates (Y10CudnnLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, guint max, GCancellable *cancellable,
    GError **error)
{
  return find_plans (lib, desc, stage, max, FALSE, cancellable, error);
}

Y10CudnnPlan *
y10_cudnn_plan_peek (Y10CudnnLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  return first_of (find_plans (lib, desc, stage, 1, TRUE, NULL, error));
}

GBytes *
y10_cudnn_plan_save (const Y10CudnnPlan *plan, GError **error)
{
  const Y10Cudnn *cudnn = plan->lib->cudnn;
  gsize length = strlen (plan->description) + 1;
  gint64 n = 0, got = 0;
  char *data;

  if (!y10_cudnn_check (cudnn,
          cudnn->get_attribute (plan->plan,
              CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 0,
              &n, NULL),
          "a plan's size", error))
    return NULL;
  data = g_malloc0 (length + (gsize) n);
  memcpy (data, plan->description, length);
  if (!y10_cudnn_check (cudnn,
          cudnn->get_attribute (plan->plan,
              CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, n,
              &got, data + length),
          "saving a plan", error)) {
    g_free (data);
    return NULL;
  }
  return g_bytes_new_take (data, length + (gsize) MIN (n, got));
}

Y10CudnnPlan *
y10_cudnn_plan_load (Y10CudnnLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GBytes *bytes, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  const char *json = data ? memchr (data, 0, size) : NULL;
  cudnnHandle_t handle;
  Y10CudnnPlan *plan;
  gboolean ok;

  if (!json || json + 1 == data + size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "no saved plan");
    return NULL;
  }
  json++;
  if (!y10_cudnn_begin_build (lib, &handle, error))
    return NULL;
  plan = plan_alloc (lib, desc, stage);
  if (lib->properties)
    y10_cudnn_set_attribute (&plan->set, plan->plan,
        CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
        &lib->properties);
  else
    y10_cudnn_set_attribute (&plan->set, plan->plan,
        CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  y10_cudnn_set_attribute (&plan->set, plan->plan,
      CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
      (gint64) (data + size - json), json);
  ok = plan_finish (plan, error);
  y10_cudnn_end_build (lib, handle);
  if (!ok) {
    y10_cudnn_plan_free (plan);
    return NULL;
  }
  plan->description = g_strdup (data);
  return plan;
}
