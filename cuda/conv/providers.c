/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The table of providers, and a library that has one of each. Who makes the plans that
 * run at first is fixed for each precision and shape: our own kernels wherever they have
 * tensor cores, since they need no search and include everything, else cuDNN. Results
 * without tuning then do not depend on cuDNN's version, or whether it is there. Among
 * the candidates to be tried are those of all, so that measuring decides. Without cuDNN
 * our own kernels do everything. In fp32 they take part only then: they compute each
 * product from three on tensor cores, and nobody has seen yet how a GPU rounds their
 * sums. */

#include "config.h"

#include <string.h>
#include <y10/error.h>

#include "conv/provider.h"

enum
{
  CUDNN,
  OWN,
  N_PROVIDERS
};

static const Y10CudaConvProvider *const table[N_PROVIDERS] = {
  [CUDNN] = &y10_cudnn_provider,
  [OWN] = &y10_igemm_provider,
};

typedef struct
{
  Y10CudaConvLib base;
  Y10CudaConvLib *libs[N_PROVIDERS]; /* NULL: it is not here */
  char *why;                         /* the first one is not */
  char *description;
} All;

static const Y10CudaConvProvider provider_of_all;

static gboolean
is_wanted (guint i)
{
  const char *only = g_getenv ("Y10_CUDA_CONV");

  return !only || !*only || g_str_equal (only, table[i]->name);
}

gboolean
y10_cuda_conv_probe (GString *why)
{
  GString *all = g_string_new (NULL);
  gboolean ok = FALSE;

  for (guint i = 0; i < N_PROVIDERS; i++)
    ok = ok || (is_wanted (i) && table[i]->probe (all));
  if (!ok)
    g_string_append (why,
        all->len ? all->str
                 : "Y10_CUDA_CONV names neither "
                   "cudnn nor own");
  g_string_free (all, TRUE);
  return ok;
}

guint
y10_cuda_conv_get_version (const char *name)
{
  for (guint i = 0; i < N_PROVIDERS; i++)
    if (g_str_equal (name, table[i]->name))
      return is_wanted (i) ? table[i]->get_version () : 0;
  return 0;
}

static Y10CudaConvLib *
first (All *all)
{
  for (guint i = 0; i < N_PROVIDERS; i++)
    if (all->libs[i])
      return all->libs[i];
  return NULL;
}

/* @like: with no more providers than that; NULL: with all. */
static Y10CudaConvLib *
lib_new (const All *like, const Y10CudaKernels *kernels, GString *why)
{
  All *all = g_new0 (All, 1);
  GString *missing = g_string_new (NULL);

  all->base.provider = &provider_of_all;
  for (guint i = 0; i < N_PROVIDERS; i++) {
    const gsize before = missing->len;

    if (!is_wanted (i) || (like && !like->libs[i]))
      continue;
    if (before)
      g_string_append (missing, "; ");
    all->libs[i] = table[i]->lib_new (kernels, missing);
    if (all->libs[i])
      g_string_truncate (missing, before);
  }
  if (!first (all)) {
    g_string_append (why,
        missing->len ? missing->str
                     : "Y10_CUDA_CONV names "
                       "neither cudnn nor own");
    g_clear_pointer (&all, g_free);
  } else if (missing->len) {
    all->why = g_strdup (missing->str);
  }
  g_string_free (missing, TRUE);
  return all ? &all->base : NULL;
}

Y10CudaConvLib *
y10_cuda_conv_lib_new (const Y10CudaKernels *kernels, GString *why)
{
  return lib_new (NULL, kernels, why);
}

Y10CudaConvLib *
y10_cuda_conv_lib_new_like (const Y10CudaConvLib *lib,
    const Y10CudaKernels *kernels, GString *why)
{
  return lib_new ((const All *) lib, kernels, why);
}

guint
y10_cuda_conv_lib_version (Y10CudaConvLib *lib, const char *name)
{
  const All *all = (const All *) lib;

  for (guint i = 0; i < N_PROVIDERS; i++)
    if (g_str_equal (name, table[i]->name))
      return all->libs[i] ? table[i]->get_version () : 0;
  return 0;
}

static Y10CudaConvLib *
lib_of (Y10CudaConvLib *lib, const Y10CudaConvProvider *provider)
{
  for (guint i = 0; i < N_PROVIDERS; i++)
    if (table[i] == provider)
      return ((All *) lib)->libs[i];
  return NULL;
}

static Y10CudaConvLib *
lib_part (Y10CudaConvLib *lib, guint i)
{
  All *all = (All *) lib;

  for (guint k = 0; k < N_PROVIDERS; k++)
    if (all->libs[k] && i-- == 0)
      return all->libs[k];
  return NULL;
}

static gboolean
lib_leave_out (Y10CudaConvLib *lib, guint i, const char *message, GString *why)
{
  All *all = (All *) lib;
  Y10CudaConvLib *failed = lib_part (lib, i);

  if (!lib_part (lib, 1)) {
    if (all->why)
      g_string_append_printf (why, "%s; ", all->why);
    return FALSE;
  }
  for (guint k = 0; k < N_PROVIDERS; k++)
    if (all->libs[k] == failed)
      all->libs[k] = NULL;
  y10_cuda_conv_lib_free (failed);
  g_free (all->why);
  all->why = g_strdup (message);
  return TRUE;
}

static void
lib_forget_stream (Y10CudaConvLib *lib)
{
  All *all = (All *) lib;

  for (guint i = 0; i < N_PROVIDERS; i++)
    if (all->libs[i])
      y10_cuda_conv_lib_forget_stream (all->libs[i]);
}

static void
finish (All *all, void (*free_one) (Y10CudaConvLib *))
{
  for (guint i = 0; i < N_PROVIDERS; i++)
    free_one (all->libs[i]);
  g_free (all->why);
  g_free (all->description);
  g_free (all);
}

static void
lib_free (Y10CudaConvLib *lib)
{
  finish ((All *) lib, y10_cuda_conv_lib_free);
}

static void
lib_abandon (Y10CudaConvLib *lib)
{
  finish ((All *) lib, y10_cuda_conv_lib_abandon);
}

static const char *
lib_describe (Y10CudaConvLib *lib)
{
  All *all = (All *) lib;

  if (all->libs[0] || !all->why)
    return y10_cuda_conv_lib_describe (first (all));
  if (!all->description)
    all->description = g_strdup_printf ("%s, because %s",
        y10_cuda_conv_lib_describe (first (all)), all->why);
  return all->description;
}

static gboolean
lib_can_fuse (Y10CudaConvLib *lib, GString *why)
{
  All *all = (All *) lib;
  GString *reasons = g_string_new (NULL);
  gboolean ok = FALSE;

  for (guint i = 0; i < N_PROVIDERS; i++)
    ok = ok
        || (all->libs[i] && y10_cuda_conv_lib_can_fuse (all->libs[i], reasons));
  if (!ok && why)
    g_string_append (why, reasons->str);
  g_string_free (reasons, TRUE);
  return ok;
}

static gboolean
takes (const All *all, guint i, const Y10CudaConvDesc *desc)
{
  return all->libs[i]
      && !(
          i == OWN && all->libs[CUDNN] && desc->precision == Y10_PRECISION_FP32)
      && y10_cuda_conv_lib_takes (all->libs[i], desc);
}

static gboolean
lib_takes (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc)
{
  gboolean any = FALSE;

  for (guint i = 0; i < N_PROVIDERS; i++)
    any = any || takes ((const All *) lib, i, desc);
  return any;
}

/* Whose plan runs at first. */
static Y10CudaConvLib *
choose (All *all, const Y10CudaConvDesc *desc)
{
  return takes (all, OWN, desc) ? all->libs[OWN] : first (all);
}

static gboolean
lib_begins_fused (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc)
{
  return takes ((All *) lib, OWN, desc);
}

static Y10CudaConvPlan *
plan_new (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  return y10_cuda_conv_plan_new (choose ((All *) lib, desc), desc, stage,
      error);
}

static Y10CudaConvPlan *
plan_other (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc)
{
  All *all = (All *) lib;

  return all->libs[CUDNN] && choose (all, desc) != all->libs[CUDNN]
      ? y10_cuda_conv_plan_new (all->libs[CUDNN], desc, Y10_CUDA_CONV_BIAS,
          NULL)
      : NULL;
}

/* An error if there is none at all, then the first provider's. */
static GPtrArray *
plan_candidates (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, guint max, GCancellable *cancellable,
    GError **error)
{
  All *all = (All *) lib;
  GPtrArray *plans = g_ptr_array_new_with_free_func (
      (GDestroyNotify) y10_cuda_conv_plan_free);
  GError *local = NULL;

  for (guint i = 0; i < N_PROVIDERS; i++) {
    GPtrArray *some;

    if (!all->libs[i]
        || (stage == Y10_CUDA_CONV_FUSED
            && !(y10_cuda_conv_lib_can_fuse (all->libs[i], NULL)
                && takes (all, i, desc))))
      continue;
    some = y10_cuda_conv_plan_candidates (all->libs[i], desc, stage, max,
        cancellable, local ? NULL : &local);
    while (some && some->len > 0)
      g_ptr_array_add (plans, g_ptr_array_steal_index (some, 0));
    if (some)
      g_ptr_array_unref (some);
  }
  if (plans->len > 0) {
    g_clear_error (&local);
    return plans;
  }
  g_ptr_array_unref (plans);
  if (!local)
    g_set_error (&local, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "nobody has a plan for this convolution");
  g_propagate_error (error, local);
  return NULL;
}

/* Each provider knows its own plans. */
static Y10CudaConvPlan *
plan_load (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GBytes *bytes, GError **error)
{
  All *all = (All *) lib;
  Y10CudaConvPlan *plan = NULL;
  GError *local = NULL;

  for (guint i = N_PROVIDERS; i-- > 0 && !plan;)
    if (all->libs[i]) {
      g_clear_error (&local);
      plan = y10_cuda_conv_plan_load (all->libs[i], desc, stage, bytes, &local);
    }
  if (plan)
    g_clear_error (&local);
  else
    g_propagate_error (error, local);
  return plan;
}

static const Y10CudaConvProvider provider_of_all = {
  .name = "all",
  .lib_of = lib_of,
  .lib_part = lib_part,
  .lib_leave_out = lib_leave_out,
  .lib_begins_fused = lib_begins_fused,
  .lib_forget_stream = lib_forget_stream,
  .lib_free = lib_free,
  .lib_abandon = lib_abandon,
  .lib_describe = lib_describe,
  .lib_can_fuse = lib_can_fuse,
  .lib_takes = lib_takes,
  .plan_new = plan_new,
  .plan_other = plan_other,
  .plan_candidates = plan_candidates,
  .plan_load = plan_load,
};
