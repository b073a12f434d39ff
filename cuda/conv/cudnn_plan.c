/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* cuDNN in one context: its handles, and running the plans that
 * conv/cudnn_search.c finds. */

#include "config.h"

#include <string.h>

#include "conv/plan.h"
#include "base/half.h"

static Y10CudnnLib *
lib_new (const Y10Cudnn *cudnn)
{
  Y10CudnnLib *lib = g_new0 (Y10CudnnLib, 1);

  lib->base.provider = &y10_cudnn_provider;
  lib->cudnn = cudnn;
  y10_cudnn_set_init (&lib->set, cudnn);
  lib->builders = g_ptr_array_new ();
  g_mutex_init (&lib->lock);
  return lib;
}

Y10CudnnLib *
y10_cudnn_lib_new (const Y10Cudnn *cudnn, const Y10CudaDriver *driver,
    GString *why)
{
  cudnnBackendDescriptor_t d;
  CUcontext context = NULL;
  GError *error = NULL;
  Y10CudnnLib *lib;

  /* Without one cuDNN would make the primary context current. */
  if (driver->ctx_get_current (&context) != Y10_CU_SUCCESS || !context) {
    g_string_append (why, "no CUDA context is current");
    return NULL;
  }
  lib = lib_new (cudnn);
  lib->driver = driver;
  lib->context = context;
  if (!y10_cudnn_check (cudnn, cudnn->create (&lib->handle), "cudnnCreate",
          &error)) {
    g_string_append (why, error->message);
    g_error_free (error);
    lib->handle = NULL;
    y10_cudnn_lib_free (lib);
    return NULL;
  }
  d = y10_cudnn_set_begin (&lib->set, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  y10_cudnn_set_attribute (&lib->set, d, CUDNN_ATTR_DEVICEPROP_HANDLE,
      CUDNN_TYPE_HANDLE, 1, &lib->handle);
  y10_cudnn_set_finish (&lib->set, d, "the device's properties");
  if (y10_cudnn_set_ok (&lib->set, &error)) {
    lib->properties = d;
  } else {
    lib->with_handles = g_strdup (error->message);
    g_error_free (error);
  }
  return lib;
}

gboolean
y10_cudnn_lib_use_handles (Y10CudnnLib *lib, const char *why)
{
  if (!lib->properties)
    return FALSE;
  lib->properties = NULL; /* the set frees it */
  lib->with_handles = g_strdup (why);
  g_clear_pointer (&lib->description, g_free);
  return TRUE;
}

void
y10_cudnn_lib_forget_stream (Y10CudnnLib *lib)
{
  lib->cudnn->set_stream (lib->handle, NULL);
  lib->stream = NULL;
}

gboolean
y10_cudnn_begin_build (Y10CudnnLib *lib, cudnnHandle_t *handle, GError **error)
{
  gboolean ok = TRUE;
  CUcontext popped;

  *handle = NULL;
  if (lib->properties)
    return TRUE;
  if (!y10_cuda_check (lib->driver, lib->driver->ctx_push (lib->context),
          "entering the context", error))
    return FALSE;
  g_mutex_lock (&lib->lock);
  if (lib->builders->len > 0)
    *handle = g_ptr_array_steal_index_fast (lib->builders,
        lib->builders->len - 1);
  else
    ok = y10_cudnn_check (lib->cudnn, lib->cudnn->create (handle),
        "cudnnCreate", error);
  g_mutex_unlock (&lib->lock);
  if (!ok)
    lib->driver->ctx_pop (&popped);
  return ok;
}

void
y10_cudnn_end_build (Y10CudnnLib *lib, cudnnHandle_t handle)
{
  CUcontext popped;

  if (!handle)
    return;
  g_mutex_lock (&lib->lock);
  g_ptr_array_add (lib->builders, handle);
  g_mutex_unlock (&lib->lock);
  lib->driver->ctx_pop (&popped);
}

Y10CudnnLib *
y10_cudnn_lib_new_deviceless (const char *properties, GString *why)
{
  const Y10Cudnn *cudnn = y10_cudnn_get (why);
  GError *error = NULL;
  Y10CudnnLib *lib;

  if (!cudnn)
    return NULL;
  lib = lib_new (cudnn);
  lib->properties = y10_cudnn_set_begin (&lib->set,
      CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  y10_cudnn_set_attribute (&lib->set, lib->properties,
      CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
      (gint64) strlen (properties), properties);
  y10_cudnn_set_finish (&lib->set, lib->properties, "the device's properties");
  if (!y10_cudnn_set_ok (&lib->set, &error)) {
    g_string_append (why, error->message);
    g_error_free (error);
    y10_cudnn_lib_free (lib);
    return NULL;
  }
  return lib;
}

void
y10_cudnn_lib_free (Y10CudnnLib *lib)
{
  if (!lib)
    return;
  y10_cudnn_set_clear (&lib->set);
  for (guint i = 0; i < lib->builders->len; i++)
    lib->cudnn->destroy (lib->builders->pdata[i]);
  if (lib->handle)
    lib->cudnn->destroy (lib->handle);
  g_ptr_array_free (lib->builders, TRUE);
  g_mutex_clear (&lib->lock);
  g_free (lib->with_handles);
  g_free (lib->description);
  g_free (lib);
}

void
y10_cudnn_lib_abandon (Y10CudnnLib *lib)
{
  if (lib) {
    g_ptr_array_set_size (lib->builders, 0);
    lib->handle = NULL;
  }
  y10_cudnn_lib_free (lib);
}

const char *
y10_cudnn_lib_describe (Y10CudnnLib *lib)
{
  guint v = lib->cudnn->version;
  GString *why;

  if (lib->description)
    return lib->description;
  why = g_string_new (NULL);
  lib->description = y10_cudnn_lib_can_fuse (lib, why)
      ? g_strdup_printf ("cuDNN %u.%u.%u%s%s", v / 10000, v / 100 % 100,
          v % 100, lib->with_handles ? ", plans built with a handle: " : "",
          lib->with_handles ? lib->with_handles : "")
      : g_strdup_printf ("cuDNN %u.%u.%u%s%s, unfused: %s", v / 10000,
          v / 100 % 100, v % 100,
          lib->with_handles ? ", plans built with a handle: " : "",
          lib->with_handles ? lib->with_handles : "", why->str);
  g_string_free (why, TRUE);
  return lib->description;
}

gboolean
y10_cudnn_lib_can_fuse (Y10CudnnLib *lib, GString *why)
{
  return y10_cudnn_can_compile (lib->cudnn, why);
}

static void
clear_set (gpointer set)
{
  y10_cudnn_set_clear (set);
}

void
y10_cudnn_set_release (Y10CudnnSet *set)
{
  g_atomic_rc_box_release_full (set, clear_set);
}

static void
forget_packs (Y10CudnnPlan *plan)
{
  for (guint i = 0; i < plan->n_packs; i++)
    plan->lib->cudnn->destroy_descriptor (plan->packs[i].pack);
  plan->n_packs = plan->next_pack = 0;
}

/* A plan runs with another handle than it was built with, in any case. */
void
y10_cudnn_plan_give (Y10CudnnPlan *plan, Y10CudnnLib *lib)
{
  forget_packs (plan);
  plan->bias = 0;
  plan->lib = lib;
}

void
y10_cudnn_plan_free (Y10CudnnPlan *plan)
{
  if (!plan)
    return;
  forget_packs (plan);
  y10_cudnn_set_clear (&plan->set);
  if (plan->graph)
    y10_cudnn_set_release (plan->graph);
  if (plan->converted)
    plan->lib->driver->mem_free (plan->converted);
  g_free (plan->description);
  g_free (plan);
}

const char *
y10_cudnn_plan_describe (const Y10CudnnPlan *plan)
{
  return plan->description;
}

/* A finalized variant pack cannot be changed, so each set of pointers has its
 * own, which later runs of the same slot find again. */
static cudnnBackendDescriptor_t
find_pack (Y10CudnnPlan *plan, void *const pointers[Y10_CONV_N_POINTERS],
    void *workspace, GError **error)
{
  static const gint64 uids[Y10_CONV_N_POINTERS] = { Y10_CONV_UID_IN,
    Y10_CONV_UID_WEIGHT, Y10_CONV_UID_BIAS, Y10_CONV_UID_OUT,
    Y10_CONV_UID_ADD };
  const gint64 n = plan->add ? Y10_CONV_N_POINTERS : Y10_CONV_N_POINTERS - 1;
  cudnnBackendDescriptor_t d;
  Y10CudnnSet set;
  Y10CudaConvPack *pack;
  gboolean ok;

  for (guint i = 0; i < plan->n_packs; i++)
    if (plan->packs[i].workspace == workspace
        && !memcmp (plan->packs[i].pointers, pointers,
            Y10_CONV_N_POINTERS * sizeof *pointers))
      return plan->packs[i].pack;

  y10_cudnn_set_init (&set, plan->lib->cudnn);
  d = y10_cudnn_set_begin (&set, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  y10_cudnn_set_attribute (&set, d, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
      CUDNN_TYPE_INT64, n, uids);
  y10_cudnn_set_attribute (&set, d, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
      CUDNN_TYPE_VOID_PTR, n, pointers);
  y10_cudnn_set_attribute (&set, d, CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
      CUDNN_TYPE_VOID_PTR, 1, &workspace);
  y10_cudnn_set_finish (&set, d, "a plan's pointers");
  ok = y10_cudnn_set_ok (&set, error);
  if (ok)
    g_ptr_array_set_size (set.made, 0); /* the plan's from now on */
  y10_cudnn_set_clear (&set);
  if (!ok)
    return NULL;

  pack = &plan->packs[plan->next_pack];
  plan->next_pack = (plan->next_pack + 1) % Y10_CONV_MAX_PACKS;
  if (plan->n_packs < Y10_CONV_MAX_PACKS)
    plan->n_packs++;
  else
    plan->lib->cudnn->destroy_descriptor (pack->pack);
  memcpy (pack->pointers, pointers, sizeof pack->pointers);
  pack->workspace = workspace;
  pack->pack = d;
  return d;
}

/* Precompiled kernels require the bias in the type of the other tensors. It never
 * changes, so it is converted at its first use. */
static gboolean
convert_bias (Y10CudnnPlan *plan, CUstream stream, CUdeviceptr bias,
    GError **error)
{
  const Y10CudaDriver *d = plan->lib->driver;
  gsize n = plan->n_bias;
  gfloat *from;
  guint16 *to;
  gboolean ok;

  if (!plan->converted
      && !y10_cuda_check (d, d->mem_alloc (&plan->converted, n * sizeof *to),
          "cuMemAlloc", error)) {
    plan->converted = 0;
    return FALSE;
  }
  from = g_new (gfloat, n);
  to = g_new (guint16, n);
  ok = y10_cuda_check (d,
           d->memcpy_dtoh_async (from, bias, n * sizeof *from, stream),
           "cuMemcpyDtoHAsync", error)
      && y10_cuda_check (d, d->stream_synchronize (stream),
          "cuStreamSynchronize", error);
  for (gsize i = 0; ok && i < n; i++)
    to[i] = plan->bias_type == Y10_PRECISION_FP16
        ? y10_half_from_float (from[i])
        : y10_bfloat_from_float (from[i]);
  ok = ok
      && y10_cuda_check (d,
          d->memcpy_htod_async (plan->converted, to, n * sizeof *to, stream),
          "cuMemcpyHtoDAsync", error)
      && y10_cuda_check (d, d->stream_synchronize (stream),
          "cuStreamSynchronize", error);
  plan->bias = ok ? bias : 0;
  g_free (to);
  g_free (from);
  return ok;
}

gboolean
y10_cudnn_plan_read_bias (Y10CudnnPlan *plan, CUstream stream, CUdeviceptr bias,
    GError **error)
{
  return plan->bias_type == Y10_PRECISION_FP32 || plan->bias == bias
      || convert_bias (plan, stream, bias, error);
}

gboolean
y10_cudnn_plan_run (Y10CudnnPlan *plan, CUstream stream, CUdeviceptr in,
    CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add, CUdeviceptr out,
    CUdeviceptr workspace, GError **error)
{
  Y10CudnnLib *lib = plan->lib;
  void *pointers[Y10_CONV_N_POINTERS] = { GSIZE_TO_POINTER (in),
    GSIZE_TO_POINTER (weight), GSIZE_TO_POINTER (bias), GSIZE_TO_POINTER (out),
    plan->add ? GSIZE_TO_POINTER (add) : NULL };
  void *scratch = plan->workspace ? GSIZE_TO_POINTER (workspace) : NULL;
  cudnnBackendDescriptor_t pack;

  if (!y10_cudnn_plan_read_bias (plan, stream, bias, error))
    return FALSE;
  if (plan->bias_type != Y10_PRECISION_FP32)
    pointers[2] = GSIZE_TO_POINTER (plan->converted);
  pack = find_pack (plan, pointers, scratch, error);
  if (!pack)
    return FALSE;
  if (lib->stream != stream
      && !y10_cudnn_check (lib->cudnn,
          lib->cudnn->set_stream (lib->handle, (cudaStream_t) stream),
          "cudnnSetStream", error))
    return FALSE;
  lib->stream = stream;
  return y10_cudnn_check (lib->cudnn,
      lib->cudnn->execute (lib->handle, plan->plan, pack), "a convolution",
      error);
}
