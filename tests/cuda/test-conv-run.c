/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Running a plan, on a driver and a cuDNN that only write down what they are
 * asked for, with host memory as the device's: which pointers arrive, that a
 * bias for precompiled kernels is converted, and that the second run with the
 * same pointers makes nothing new. */

#include <string.h>

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

static const Y10CudaDriver driver = {.mem_alloc = fake_alloc,
  .mem_free = fake_free,.memcpy_dtoh_async = fake_dtoh,
  .memcpy_htod_async = fake_htod,.stream_synchronize = fake_synchronize
};

/* A descriptor is the pointers that were set. */
typedef struct
{
  void *pointers[Y10_CONV_N_POINTERS];
  gint64 uids[Y10_CONV_N_POINTERS], n;
} Fake;

static cudnnStatus_t
fake_create (cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *d)
{
  n_made++;
  *d = g_malloc0 (sizeof (Fake));
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
fake_destroy (cudnnBackendDescriptor_t d)
{
  n_destroyed++;
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
  }
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
fake_finalize (cudnnBackendDescriptor_t d)
{
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
fake_set_stream (cudnnHandle_t handle, cudaStream_t stream)
{
  n_streams++;
  return CUDNN_STATUS_SUCCESS;
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

static const Y10Cudnn cudnn = {.create_descriptor = fake_create,
  .destroy_descriptor = fake_destroy,.set_attribute = fake_set,
  .finalize = fake_finalize,.set_stream = fake_set_stream,
  .execute = fake_execute,.get_error_string = fake_error_string,
  .get_last_error_string = fake_last_error
};

static Y10CudaConvLib lib = {.cudnn = &cudnn,.driver = &driver };

static Y10CudaConvPlan *
new_plan (Y10Precision bias_type, gboolean add)
{
  Y10CudaConvPlan *plan = g_new0 (Y10CudaConvPlan, 1);

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
run (Y10CudaConvPlan *plan, CUdeviceptr in, const gfloat *bias,
    CUdeviceptr out)
{
  GError *error = NULL;
  gboolean ok = y10_cuda_conv_plan_run (plan, GSIZE_TO_POINTER (8), in, 0x20,
      GPOINTER_TO_SIZE (bias), 0x40, out, 0x50, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

static void *
sent_as (gint64 uid)
{
  for (gint64 i = 0; i < n_sent; i++)
    if (sent_uids[i] == uid)
      return sent[i];
  return NULL;
}

static void
test_pointers (void)
{
  static const gfloat bias[4] = { 1, 2, 3, 4 };

  for (int add = 0; add < 2; add++) {
    Y10CudaConvPlan *plan = new_plan (Y10_PRECISION_FP32, add);

    run (plan, 0x10, bias, 0x30);
    g_assert_cmpint (n_sent, ==, 4 + add);
    g_assert_true (sent_as (Y10_CONV_UID_IN) == GSIZE_TO_POINTER (0x10));
    g_assert_true (sent_as (Y10_CONV_UID_WEIGHT) == GSIZE_TO_POINTER (0x20));
    g_assert_true (sent_as (Y10_CONV_UID_BIAS) == bias);
    g_assert_true (sent_as (Y10_CONV_UID_OUT) == GSIZE_TO_POINTER (0x30));
    g_assert_true (sent_as (Y10_CONV_UID_ADD)
        == (add ? GSIZE_TO_POINTER (0x40) : NULL));
    g_assert_cmpuint (n_allocs, ==, 0);
    y10_cuda_conv_plan_free (plan);
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
    Y10CudaConvPlan *plan = new_plan (k ? Y10_PRECISION_BF16
        : Y10_PRECISION_FP16, FALSE);

    run (plan, 0x10, bias, 0x30);
    g_assert_cmpmem (sent_as (Y10_CONV_UID_BIAS), sizeof half,
        k ? bfloat : half, sizeof half);
    run (plan, 0x10, bias, 0x30);
    run (plan, 0x11, bias, 0x30);
    g_assert_cmpuint (n_allocs, ==, 1);
    y10_cuda_conv_plan_free (plan);
    g_assert_cmpuint (n_frees, ==, 1);
  }
}

static void
test_again (void)
{
  static const gfloat bias[4];
  Y10CudaConvPlan *plan = new_plan (Y10_PRECISION_FP32, FALSE);
  const guint n = 3 * Y10_CONV_MAX_PACKS;

  for (guint i = 0; i < 10; i++) {
    run (plan, 0x10, bias, 0x30);
    run (plan, 0x10, bias, 0x31);
  }
  g_assert_cmpuint (n_made, ==, 2);
  g_assert_cmpuint (n_streams, ==, 1);
  /* More slots than anybody has: slower, and nothing is lost. */
  for (guint i = 0; i < n; i++) {
    run (plan, 0x100 + i, bias, 0x30);
    g_assert_true (sent_as (Y10_CONV_UID_IN) == GSIZE_TO_POINTER (0x100 + i));
  }
  g_assert_cmpuint (n_made, ==, 2 + n);
  g_assert_cmpuint (n_made - n_destroyed, ==, Y10_CONV_MAX_PACKS);
  y10_cuda_conv_plan_free (plan);
  g_assert_cmpuint (n_made, ==, n_destroyed);
}

static void
test_failure (void)
{
  Y10CudaConvPlan *plan = new_plan (Y10_PRECISION_FP32, FALSE);
  GError *error = NULL;

  result = CUDNN_STATUS_EXECUTION_FAILED;
  g_assert_false (y10_cuda_conv_plan_run (plan, NULL, 1, 2, 3, 0, 4, 0,
          &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_BACKEND);
  g_assert_nonnull (strstr (error->message, "out of luck"));
  g_error_free (error);
  y10_cuda_conv_plan_free (plan);
}

/* A plan that was tried on one handle runs on another, and knows nothing of what
 * it was tried with. */
static void
test_given (void)
{
  static const gfloat bias[4] = { 1, 2, 3, 4 };
  cudnnHandle_t mine = GSIZE_TO_POINTER (0x1000);
  Y10CudaConvLib other = {.cudnn = &cudnn,.driver = &driver,
    .handle = GSIZE_TO_POINTER (0x2000)
  };
  Y10CudaConvPlan *plan = new_plan (Y10_PRECISION_FP16, TRUE);

  lib.handle = mine;
  run (plan, 0x10, bias, 0x30);
  run (plan, 0x11, bias, 0x30);
  g_assert_true (executed_by == mine);
  y10_cuda_conv_plan_give (plan, &other);
  g_assert_cmpuint (n_made, ==, n_destroyed);
  run (plan, 0x10, bias, 0x30);
  g_assert_true (executed_by == other.handle);
  g_assert_cmpuint (n_made, ==, n_destroyed + 1);
  y10_cuda_conv_plan_free (plan);
  g_assert_cmpuint (n_made, ==, n_destroyed);
  g_assert_cmpuint (n_allocs, ==, n_frees);
  lib.handle = NULL;
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
  return g_test_run ();
}
