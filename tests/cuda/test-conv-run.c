/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Opening cuDNN and running a plan, on a driver and a cuDNN that record their
 * calls, with host memory as the device's: the pointers that arrive, that a bias
 * for precompiled kernels is converted, that the second run with the same
 * pointers creates nothing, and which handles build plans and run them. */

#include <pthread.h>
#include <string.h>

#include "base/half.h"
#include "conv/plan.h"

static guint n_allocs, n_frees, n_made, n_destroyed, n_streams, n_executed;
static cudnnHandle_t executed_by;
static void *sent[Y10_CONV_N_POINTERS];
static gint64 sent_uids[Y10_CONV_N_POINTERS], n_sent;
static cudnnStatus_t result;

static int
fake_alloc (CUdeviceptr *p, size_t size)
{
  n_allocs++;
  *p = GPOINTER_TO_SIZE (g_malloc (size));
  return 0;
}

static int
fake_free (CUdeviceptr p)
{
  n_frees++;
  g_free (GSIZE_TO_POINTER (p));
  return 0;
}

static int
fake_dtoh (void *to, CUdeviceptr from, size_t size, CUstream stream)
{
  memcpy (to, GSIZE_TO_POINTER (from), size);
  return 0;
}

static int
fake_htod (CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
  memcpy (GSIZE_TO_POINTER (to), from, size);
  return 0;
}

static int
fake_synchronize (CUstream stream)
{
  return 0;
}

static _Thread_local int n_pushed;

static int
fake_get_current (CUcontext *context)
{
  *context = GSIZE_TO_POINTER (0x3000);
  return 0;
}

static int
fake_push (CUcontext context)
{
  g_assert_true (context == GSIZE_TO_POINTER (0x3000));
  n_pushed++;
  return 0;
}

static int
fake_pop (CUcontext *context)
{
  n_pushed--;
  return 0;
}

static int
fake_mem_info (size_t *free_bytes, size_t *total)
{
  return 0;
}

static int
fake_memset (CUdeviceptr p, unsigned char value, size_t size, CUstream stream)
{
  memset (GSIZE_TO_POINTER (p), value, size);
  return 0;
}

static int
fake_stream_create (CUstream *stream, unsigned int flags, int priority)
{
  *stream = GSIZE_TO_POINTER (0x4000);
  return 0;
}

static const Y10CudaDriver driver = {
  .ctx_get_current = fake_get_current,
  .ctx_push = fake_push,
  .ctx_pop = fake_pop,
  .mem_get_info = fake_mem_info,
  .memset_d8_async = fake_memset,
  .stream_create = fake_stream_create,
  .stream_destroy = fake_synchronize,
  .mem_alloc = fake_alloc,
  .mem_free = fake_free,
  .memcpy_dtoh_async = fake_dtoh,
  .memcpy_htod_async = fake_htod,
  .stream_synchronize = fake_synchronize,
};

/* A descriptor holds the pointers that were set, and a plan's handle. */
typedef struct
{
  cudnnBackendDescriptorType_t type;
  cudnnHandle_t handle;
  void *pointers[Y10_CONV_N_POINTERS];
  gint64 uids[Y10_CONV_N_POINTERS], n;
} Fake;

static cudnnStatus_t
fake_create (cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *d)
{
  g_atomic_int_inc (&n_made);
  *d = g_malloc0 (sizeof (Fake));
  ((Fake *) *d)->type = type;
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
fake_destroy (cudnnBackendDescriptor_t d)
{
  g_atomic_int_inc (&n_destroyed);
  g_free (d);
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
fake_set (cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t n, const void *values)
{
  Fake *fake = (Fake *) d;

  if (name == CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS) {
    memcpy (fake->uids, values, (gsize) n * sizeof (gint64));
    fake->n = n;
  } else if (name == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS) {
    memcpy (fake->pointers, values, (gsize) n * sizeof (void *));
  } else if (name == CUDNN_ATTR_EXECUTION_PLAN_HANDLE) {
    fake->handle = *(const cudnnHandle_t *) values;
  }
  return CUDNN_STATUS_SUCCESS;
}

/* A handle counts the threads that use it. */
typedef struct
{
  int n_threads, n_built;
} FakeHandle;

static guint n_handles, n_handles_destroyed;

static cudnnStatus_t
fake_create_handle (cudnnHandle_t *handle)
{
  *handle = (cudnnHandle_t) g_new0 (FakeHandle, 1);
  n_handles++;
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
fake_destroy_handle (cudnnHandle_t handle)
{
  n_handles_destroyed++;
  g_free (handle);
  return CUDNN_STATUS_SUCCESS;
}

/* Building a plan takes a while; with a handle, one thread at a time builds,
 * with the context current. */
static cudnnStatus_t
fake_finalize (cudnnBackendDescriptor_t d)
{
  FakeHandle *handle = (FakeHandle *) ((Fake *) d)->handle;

  if (((Fake *) d)->type != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR || !handle)
    return CUDNN_STATUS_SUCCESS;
  g_assert_cmpint (n_pushed, ==, 1);
  g_assert_cmpint (g_atomic_int_add (&handle->n_threads, 1), ==, 0);
  g_usleep (2000);
  g_atomic_int_add (&handle->n_threads, -1);
  handle->n_built++;
  return CUDNN_STATUS_SUCCESS;
}

/* Offers one configuration of one engine, with tensor cores. */
static cudnnStatus_t
fake_get (cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t n, int64_t *n_got, void *values)
{
  *n_got = name == CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE ? 0 : 1;
  if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE)
    *(cudnnBackendNumericalNote_t *) values = CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
  else if (type == CUDNN_TYPE_INT64)
    *(gint64 *) values = 0;
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
fake_set_stream (cudnnHandle_t handle, cudaStream_t stream)
{
  n_streams++;
  return CUDNN_STATUS_SUCCESS;
}

static enum {
  RUNS_ALL, /* writes nothing */
  COMPUTES_ALL,
  COMPUTES_WITH_HANDLE, /* else an error */
  WRITES_WITH_HANDLE,   /* else writes nothing */
} runs;

static void *
sent_as (gint64 uid)
{
  for (gint64 i = 0; i < n_sent; i++)
    if (sent_uids[i] == uid)
      return sent[i];
  return NULL;
}

/* 3×3, 8×8 pixels of 16 channels, in half precision. */
static void
compute (void)
{
  const guint16 *in = sent_as (Y10_CONV_UID_IN);
  const guint16 *weight = sent_as (Y10_CONV_UID_WEIGHT);
  const guint16 *bias = sent_as (Y10_CONV_UID_BIAS);
  guint16 *out = sent_as (Y10_CONV_UID_OUT);

  for (int i = 0; i < 8 * 8 * 16; i++) {
    gfloat sum = y10_half_to_float (bias[i % 16]);

    for (int tap = 0; tap < 9; tap++) {
      const int row = i / 128 + tap / 3 - 1, column = i / 16 % 8 + tap % 3 - 1;

      if (row < 0 || row >= 8 || column < 0 || column >= 8)
        continue;
      for (int c = 0; c < 16; c++)
        sum += y10_half_to_float (in[(8 * row + column) * 16 + c])
            * y10_half_to_float (weight[(i % 16 * 9 + tap) * 16 + c]);
    }
    out[i] = y10_half_from_float (sum);
  }
}

static cudnnStatus_t
fake_execute (cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
    cudnnBackendDescriptor_t pack)
{
  const Fake *fake = (const Fake *) pack;

  n_executed++;
  executed_by = handle;
  n_sent = fake->n;
  memcpy (sent, fake->pointers, sizeof sent);
  memcpy (sent_uids, fake->uids, sizeof sent_uids);
  if (runs == COMPUTES_WITH_HANDLE && !((Fake *) plan)->handle)
    return CUDNN_STATUS_EXECUTION_FAILED;
  if (runs == COMPUTES_ALL || (runs && ((Fake *) plan)->handle))
    compute ();
  return result;
}

static const char *
fake_error_string (cudnnStatus_t status)
{
  return "CUDNN_STATUS_EXECUTION_FAILED";
}

static void
fake_last_error (char *text, size_t size)
{
  g_strlcpy (text, "out of luck", size);
}

static const Y10Cudnn cudnn = {
  .create = fake_create_handle,
  .destroy = fake_destroy_handle,
  .get_attribute = fake_get,
  .create_descriptor = fake_create,
  .destroy_descriptor = fake_destroy,
  .set_attribute = fake_set,
  .finalize = fake_finalize,
  .set_stream = fake_set_stream,
  .execute = fake_execute,
  .get_error_string = fake_error_string,
  .get_last_error_string = fake_last_error,
};

static Y10CudnnLib lib = { .cudnn = &cudnn, .driver = &driver };

static Y10CudnnPlan *
new_plan (Y10Precision bias_type, gboolean add)
{
  Y10CudnnPlan *plan = g_new0 (Y10CudnnPlan, 1);

  n_allocs = n_frees = n_made = n_destroyed = n_streams = n_executed = 0;
  result = CUDNN_STATUS_SUCCESS;
  lib.stream = NULL;
  plan->lib = &lib;
  plan->add = add;
  plan->bias_type = bias_type;
  plan->n_bias = 4;
  y10_cudnn_set_init (&plan->set, &cudnn);
  return plan;
}

static void
run (Y10CudnnPlan *plan, CUdeviceptr in, const gfloat *bias, CUdeviceptr out)
{
  GError *error = NULL;
  gboolean ok = y10_cudnn_plan_run (plan, GSIZE_TO_POINTER (8), in, 0x20,
      GPOINTER_TO_SIZE (bias), 0x40, out, 0x50, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

static void
test_pointers (void)
{
  static const gfloat bias[4] = { 1, 2, 3, 4 };

  for (int add = 0; add < 2; add++) {
    Y10CudnnPlan *plan = new_plan (Y10_PRECISION_FP32, add);

    run (plan, 0x10, bias, 0x30);
    g_assert_cmpint (n_sent, ==, 4 + add);
    g_assert_true (sent_as (Y10_CONV_UID_IN) == GSIZE_TO_POINTER (0x10));
    g_assert_true (sent_as (Y10_CONV_UID_WEIGHT) == GSIZE_TO_POINTER (0x20));
    g_assert_true (sent_as (Y10_CONV_UID_BIAS) == bias);
    g_assert_true (sent_as (Y10_CONV_UID_OUT) == GSIZE_TO_POINTER (0x30));
    g_assert_true (
        sent_as (Y10_CONV_UID_ADD) == (add ? GSIZE_TO_POINTER (0x40) : NULL));
    g_assert_cmpuint (n_allocs, ==, 0);
    y10_cudnn_plan_free (plan);
    g_assert_cmpuint (n_made, ==, n_destroyed);
  }
}

static void
test_bias (void)
{
  static const gfloat bias[4] = { 1, -2, 1.f / 3, 65504 };
  static const guint16 half[4] = { 0x3c00, 0xc000, 0x3555, 0x7bff };
  static const guint16 bfloat[4] = { 0x3f80, 0xc000, 0x3eab, 0x4780 };

  for (int k = 0; k < 2; k++) {
    Y10CudnnPlan *plan = new_plan (k ? Y10_PRECISION_BF16 : Y10_PRECISION_FP16,
        FALSE);

    run (plan, 0x10, bias, 0x30);
    g_assert_cmpmem (sent_as (Y10_CONV_UID_BIAS), sizeof half,
        k ? bfloat : half, sizeof half);
    run (plan, 0x10, bias, 0x30);
    run (plan, 0x11, bias, 0x30);
    g_assert_cmpuint (n_allocs, ==, 1);
    y10_cudnn_plan_free (plan);
    g_assert_cmpuint (n_frees, ==, 1);
  }
}

static void
test_again (void)
{
  static const gfloat bias[4];
  Y10CudnnPlan *plan = new_plan (Y10_PRECISION_FP32, FALSE);
  const guint n = 3 * Y10_CONV_MAX_PACKS;

  for (guint i = 0; i < 10; i++) {
    run (plan, 0x10, bias, 0x30);
    run (plan, 0x10, bias, 0x31);
  }
  g_assert_cmpuint (n_made, ==, 2);
  g_assert_cmpuint (n_streams, ==, 1);
  /* More slots than the cache has entries: slower, but correct. */
  for (guint i = 0; i < n; i++) {
    run (plan, 0x100 + i, bias, 0x30);
    g_assert_true (sent_as (Y10_CONV_UID_IN) == GSIZE_TO_POINTER (0x100 + i));
  }
  g_assert_cmpuint (n_made, ==, 2 + n);
  g_assert_cmpuint (n_made - n_destroyed, ==, Y10_CONV_MAX_PACKS);
  y10_cudnn_plan_free (plan);
  g_assert_cmpuint (n_made, ==, n_destroyed);
}

static void
test_failure (void)
{
  Y10CudnnPlan *plan = new_plan (Y10_PRECISION_FP32, FALSE);
  GError *error = NULL;

  result = CUDNN_STATUS_EXECUTION_FAILED;
  g_assert_false (y10_cudnn_plan_run (plan, NULL, 1, 2, 3, 0, 4, 0, &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_BACKEND);
  g_assert_nonnull (strstr (error->message, "out of luck"));
  g_error_free (error);
  y10_cudnn_plan_free (plan);
}

/* A plan that was tried on one handle runs on another, and keeps nothing of the
 * trial. */
static void
test_given (void)
{
  static const gfloat bias[4] = { 1, 2, 3, 4 };
  cudnnHandle_t mine = GSIZE_TO_POINTER (0x1000);
  Y10CudnnLib other = {
    .cudnn = &cudnn,
    .driver = &driver,
    .handle = GSIZE_TO_POINTER (0x2000),
  };
  Y10CudnnPlan *plan = new_plan (Y10_PRECISION_FP16, TRUE);

  lib.handle = mine;
  run (plan, 0x10, bias, 0x30);
  run (plan, 0x11, bias, 0x30);
  g_assert_true (executed_by == mine);
  y10_cudnn_plan_give (plan, &other);
  g_assert_cmpuint (n_made, ==, n_destroyed);
  run (plan, 0x10, bias, 0x30);
  g_assert_true (executed_by == other.handle);
  g_assert_cmpuint (n_made, ==, n_destroyed + 1);
  y10_cudnn_plan_free (plan);
  g_assert_cmpuint (n_made, ==, n_destroyed);
  g_assert_cmpuint (n_allocs, ==, n_frees);
  lib.handle = NULL;
}

static void *
build_plan (void *data)
{
  const Y10CudaConvView view = { 8, 8, 16, 16, 1024 };
  const Y10CudaConvDesc desc = {
    .precision = Y10_PRECISION_FP16,
    .images = 1,
    .in = view,
    .out = view,
    .kernel = 3,
    .stride = 1,
    .pad = 1,
  };
  GError *error = NULL;
  Y10CudnnPlan *plan = y10_cudnn_plan_new (data, &desc, Y10_CUDA_CONV_BIAS,
      &error);

  g_assert_no_error (error);
  g_assert_cmpint (n_pushed, ==, 0);
  y10_cudnn_plan_free (plan);
  return NULL;
}

/* Plans built without a handle are used if they run and compute correct
 * results. Otherwise each thread that builds plans has a handle other than the
 * one that runs them. */
static void
test_open (gconstpointer data)
{
  gboolean handles = GPOINTER_TO_INT (data) != COMPUTES_ALL;
  g_autoptr (GString) why = g_string_new (NULL);
  Y10CudnnLib *opened;
  pthread_t threads[4];

  n_handles = n_handles_destroyed = n_made = n_destroyed = 0;
  result = CUDNN_STATUS_SUCCESS;
  runs = GPOINTER_TO_INT (data);
  opened = (Y10CudnnLib *)
      y10_cuda_conv_lib_prove ((Y10CudaConvLib *) y10_cudnn_lib_new (&cudnn,
                                   &driver, why),
          &driver, why);
  g_assert_cmpstr (why->str, ==, "");
  g_assert_nonnull (opened);
  g_assert_cmpint (opened->properties == NULL, ==, handles);
  g_assert_cmpuint (n_handles, ==, handles ? 2 : 1);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_create (&threads[i], NULL, build_plan, opened);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
  g_assert_cmpint (((FakeHandle *) opened->handle)->n_built, ==, 0);
  g_assert_cmpuint (n_handles, >=, handles ? 2 : 1);
  g_assert_cmpuint (n_handles, <=, handles ? 5 : 1);
  y10_cudnn_lib_free (opened);
  g_assert_cmpuint (n_handles, ==, n_handles_destroyed);
  g_assert_cmpuint (n_made, ==, n_destroyed);
  runs = RUNS_ALL;
}

static void
test_open_fails (void)
{
  g_autoptr (GString) why = g_string_new (NULL);

  n_handles = n_handles_destroyed = n_made = n_destroyed = 0;
  result = CUDNN_STATUS_SUCCESS;
  runs = RUNS_ALL;
  g_assert_null (
      y10_cuda_conv_lib_prove ((Y10CudaConvLib *) y10_cudnn_lib_new (&cudnn,
                                   &driver, why),
          &driver, why));
  g_assert_cmpstr (why->str, ==,
      "cuDNN does not run a convolution: a "
      "convolution gives 0 at row 0, column 0, channel 0; expected 64");
  g_assert_cmpuint (n_handles, ==, n_handles_destroyed);
  g_assert_cmpuint (n_made, ==, n_destroyed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conv-run/pointers", test_pointers);
  g_test_add_func ("/conv-run/bias", test_bias);
  g_test_add_func ("/conv-run/again", test_again);
  g_test_add_func ("/conv-run/failure", test_failure);
  g_test_add_func ("/conv-run/given", test_given);
  g_test_add_data_func ("/conv-run/open/without-handle",
      GINT_TO_POINTER (COMPUTES_ALL), test_open);
  g_test_add_data_func ("/conv-run/open/refused",
      GINT_TO_POINTER (COMPUTES_WITH_HANDLE), test_open);
  g_test_add_data_func ("/conv-run/open/nothing-written",
      GINT_TO_POINTER (WRITES_WITH_HANDLE), test_open);
  g_test_add_func ("/conv-run/open/fails", test_open_fails);
  return g_test_run ();
}
