/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The simulator's replacement for cuDNN: a provider with our own plain kernel. It has
 * cuDNN's restrictions: one thread at a time in a library, and code that is
 * loaded when a plan first sees its pointers, which a capture forbids.
 *
 * Fused plans exist if Y10_SIM_FUSE is set, and nearly always win, because the
 * others then compute everything four times. The variable lists further results
 * of the search: "wrong", a plan that omits SiLU or adds it; "partial", one
 * that leaves its first output unwritten; "broken", one that cannot be built;
 * "none", no plan; "slow", plans that are not faster. With "stubborn", plans
 * run once in the network and never again. Y10_SIM_BUILD_MS=N: build time of
 * each; Y10_SIM_PLAN_MS=N: of each plan that is not fused.
 *
 * Y10_SIM_CUDNN=handles: plans that are built without a handle do not run;
 * silent: they run and write nothing; refuse: no plan runs; missing: it is not
 * installed. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "conv/provider.h"
#include "driver/launch.h"
#include "kernels/conv.h"
#include "program.h"

#define MAX_SEEN 256

typedef struct
{
  Y10CudaConvLib base;
  Y10CudaKernels kernels;
  int busy;         /* atomic: a thread uses the library */
  gboolean handles; /* plans are built with one */
  char *description;
} Lib;

typedef struct
{
  Y10CudaConvPlan base;
  Lib *lib;
  Y10CudaConvDesc desc;
  Y10KType type;
  const char *name;
  guint times;
  gboolean handle;               /* built with one */
  CUdeviceptr seen[MAX_SEEN][2]; /* in, out */
  guint n_seen, n_given, n_runs; /* runs since it was handed out */
} Plan;

static const char bias_name[] = "cuda:plain";
static const char fused_name[] = "cuda:plain,fused";
static const char wrong_name[] = "cuda:plain,fused,wrong";
static const char partial_name[] = "cuda:plain,fused,partial";

static gboolean
finds (const char *what)
{
  const char *text = g_getenv ("Y10_SIM_FUSE");

  return text && strstr (text, what);
}

static gboolean
cudnn_is (const char *what)
{
  return g_strcmp0 (g_getenv ("Y10_SIM_CUDNN"), what) == 0;
}

static gboolean
lib_use_handles (Y10CudaConvLib *base, const char *why)
{
  Lib *lib = (Lib *) base;

  if (lib->handles)
    return FALSE;
  lib->handles = TRUE;
  lib->description = g_strconcat ("without cuDNN, plans built with a handle: ",
      why, NULL);
  return TRUE;
}

static void
lib_forget_stream (Y10CudaConvLib *lib)
{
}

static gboolean
probe (GString *why)
{
  if (!cudnn_is ("missing"))
    return TRUE;
  g_string_append (why, "cuDNN 9 is not installed");
  return FALSE;
}

static Y10CudaConvLib *
lib_new (const Y10CudaKernels *kernels, GString *why)
{
  Lib *lib;
  GError *error = NULL;

  if (!probe (why))
    return NULL;
  lib = g_new0 (Lib, 1);
  lib->base.provider = &y10_cudnn_provider;
  if (y10_cuda_kernels_load (&lib->kernels, kernels->driver, &error))
    return &lib->base;
  g_string_append (why, error->message);
  g_error_free (error);
  g_free (lib);
  return NULL;
}

static void
lib_abandon (Y10CudaConvLib *base)
{
  g_free (((Lib *) base)->description);
  g_free (base);
}

static void
lib_free (Y10CudaConvLib *base)
{
  y10_cuda_kernels_unload (&((Lib *) base)->kernels);
  lib_abandon (base);
}

static const char *
lib_describe (Y10CudaConvLib *base)
{
  Lib *lib = (Lib *) base;

  return lib->description ? lib->description : "without cuDNN";
}

static gboolean
lib_can_fuse (Y10CudaConvLib *base, GString *why)
{
  if (!finds ("") && why)
    g_string_append (why, "there is no cuDNN");
  return finds ("");
}

static guint
get_version (void)
{
  return 1;
}

static void
sleep_for (const char *variable)
{
  const char *ms = g_getenv (variable);

  if (ms)
    g_usleep (1000 * strtoul (ms, NULL, 10));
}

static Y10CudaConvPlan *
plan_alloc (Y10CudaConvLib *base, const Y10CudaConvDesc *desc, const char *name)
{
  Lib *lib = (Lib *) base;
  Plan *plan = g_new0 (Plan, 1);

  plan->base.provider = &y10_cudnn_provider;
  plan->lib = lib;
  plan->handle = lib->handles;
  plan->desc = *desc;
  plan->type = y10_cuda_type (desc->precision);
  plan->name = name;
  plan->times = name == bias_name && finds ("") ? 4
      : name == fused_name && finds ("slow")    ? 8
                                                : 1;
  return &plan->base;
}

static Y10CudaConvPlan *
plan_new (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  sleep_for ("Y10_SIM_PLAN_MS");
  return plan_alloc (lib, desc,
      stage == Y10_CUDA_CONV_FUSED ? fused_name : bias_name);
}

static GPtrArray *
plan_candidates (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, guint max, GCancellable *cancellable,
    GError **error)
{
  GPtrArray *plans = g_ptr_array_new_with_free_func (
      (GDestroyNotify) y10_cuda_conv_plan_free);
  const char *names[] = { finds ("wrong") ? wrong_name : NULL,
    finds ("partial") ? partial_name : NULL, finds ("broken") ? "" : NULL,
    finds ("none") ? NULL : fused_name };

  for (guint i = 0; i < G_N_ELEMENTS (names) && plans->len < max; i++) {
    if (!names[i] || g_cancellable_is_cancelled (cancellable))
      continue;
    sleep_for ("Y10_SIM_BUILD_MS");
    if (*names[i])
      g_ptr_array_add (plans, plan_alloc (lib, desc, names[i]));
  }
  if (plans->len > 0)
    return plans;
  g_ptr_array_unref (plans);
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED, "nothing is found");
  return NULL;
}

static void
plan_free (Y10CudaConvPlan *plan)
{
  g_free (plan);
}

static void
plan_give (Y10CudaConvPlan *base, Y10CudaConvLib *lib)
{
  Plan *plan = (Plan *) base;

  plan->lib = (Lib *) lib;
  plan->n_seen = plan->n_runs = 0;
  plan->n_given++;
}

static GBytes *
plan_save (const Y10CudaConvPlan *base, GError **error)
{
  const Plan *plan = (const Plan *) base;

  return g_bytes_new_static (plan->name, strlen (plan->name));
}

static Y10CudaConvPlan *
plan_load (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GBytes *bytes, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  if (size == strlen (fused_name) && !memcmp (data, fused_name, size))
    return plan_alloc (lib, desc, fused_name);
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "no saved plan");
  return NULL;
}

static gsize
plan_workspace (const Y10CudaConvPlan *plan)
{
  return 0;
}

static const char *
plan_describe (const Y10CudaConvPlan *plan)
{
  return ((const Plan *) plan)->name;
}

static gboolean
plan_read_bias (Y10CudaConvPlan *plan, CUstream stream, CUdeviceptr bias,
    GError **error)
{
  return TRUE;
}

static Y10KView
view (const Y10CudaConvView *v, CUdeviceptr data)
{
  return (Y10KView){ GSIZE_TO_POINTER (data), v->height, v->width, v->channels,
    v->pixel, v->image };
}

/* Makes the driver calls that cuDNN makes when it sees pointers for the first
 * time. */
static gboolean
load_code (Plan *plan, CUdeviceptr in, CUdeviceptr out, GError **error)
{
  const Y10CudaDriver *d = plan->lib->kernels.driver;
  CUmodule module;

  for (guint i = 0; i < plan->n_seen; i++)
    if (plan->seen[i][0] == in && plan->seen[i][1] == out)
      return TRUE;
  if (!y10_cuda_check (d,
          d->module_load_data (&module, y10_cuda_kernel_image ()),
          "loading a convolution", error))
    return FALSE;
  d->module_unload (module);
  plan->seen[plan->n_seen % MAX_SEEN][0] = in;
  plan->seen[plan->n_seen % MAX_SEEN][1] = out;
  plan->n_seen = MIN (plan->n_seen + 1, MAX_SEEN - 1);
  return TRUE;
}

static gboolean
plan_run (Y10CudaConvPlan *base, CUstream stream, CUdeviceptr in,
    CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add, CUdeviceptr out,
    CUdeviceptr workspace, GError **error)
{
  Plan *plan = (Plan *) base;
  const Y10CudaConvDesc *d = &plan->desc;
  Lib *lib = plan->lib;
  gboolean fused = plan->name != bias_name, ok;
  Y10KConv p = {
    .in = view (&d->in, in),
    .out = view (&d->out, out),
    .weight = GSIZE_TO_POINTER (weight),
    .bias = GSIZE_TO_POINTER (bias),
    .images = d->images,
    .kernel = d->kernel,
    .stride = d->stride,
    .pad = d->pad,
    .silu = fused && d->silu == (plan->name != wrong_name),
    .out_float = fused && d->out_float,
  };

  if (fused && d->add.channels)
    p.add = view (&d->add, add);
  if (cudnn_is ("refuse") || (!plan->handle && cudnn_is ("handles"))) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND,
        "cuDNN: a convolution: CUDNN_STATUS_EXECUTION_FAILED");
    return FALSE;
  }
  if (!plan->handle && cudnn_is ("silent"))
    return TRUE;
  if (!g_atomic_int_compare_and_exchange (&lib->busy, 0, 1)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND,
        "two threads run convolutions with one handle");
    return FALSE;
  }
  ok = load_code (plan, in, out, error);
  if (ok && plan->n_given == 2 && plan->n_runs++ && finds ("stubborn")) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "it runs once");
    ok = FALSE;
  }
  for (guint i = 0; ok && i < plan->times; i++)
    ok = y10_cuda_launch (&lib->kernels, lib->kernels.conv[plan->type],
        y10_conv_launch (&p), stream, &p, error);
  if (ok && plan->name == partial_name)
    ok = y10_cuda_check (lib->kernels.driver,
        lib->kernels.driver->memset_d8_async (out, 0xff,
            d->out_float                             ? 4
                : d->precision == Y10_PRECISION_FP32 ? 4
                                                     : 2,
            stream),
        "undoing an output", error);
  g_atomic_int_set (&lib->busy, 0);
  return ok;
}

const Y10CudaConvProvider y10_cudnn_provider = {
  .name = "cudnn",
  .title = "cuDNN",
  Y10_CUDA_CONV_FUNCTIONS,
};
