/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How many kernels a step of yolov10n begins with on a GPU of the goals, which has 132
 * multiprocessors: the simulated one has four. A driver that only counts them is enough. */

#include "conv/pair.h"
#include "driver/launch.h"
#include "lanes.h"
#include "model/model.h"
#include "util.h"

#define N_HEAD 2 /* kernels */
#define MOST 76

guint
y10_cuda_conv_lib_version (Y10CudaConvLib *lib, const char *name)
{
  return 1;
}

gboolean
y10_cuda_get_capability (const Y10CudaDriver *d, CUdevice device, int *major,
    int *minor)
{
  *major = 9;
  *minor = 0;
  return TRUE;
}

gboolean
y10_cuda_launch (const Y10CudaKernels *kernels, CUfunction f, Y10KLaunch l,
    CUstream stream, const void *params, GError **error)
{
  g_assert_not_reached ();
}

static int
get_device (CUdevice *device)
{
  *device = 0;
  return 0;
}

static int
get_attribute (int *value, int attribute, CUdevice device)
{
  g_assert_cmpint (attribute, ==, Y10_CU_MULTIPROCESSORS);
  *value = 132;
  return 0;
}

static int
get_function (CUfunction *f, CUmodule module, const char *name)
{
  return 0;
}

static int
set_attribute (CUfunction f, int attribute, int value)
{
  return 0;
}

static Y10CudaConvView
view_of (const Y10Plan *plan, Y10View v)
{
  const Y10Tensor *t = &plan->graph->tensors[v.tensor];
  const Y10Storage *s = &plan->storage[v.tensor];

  return (Y10CudaConvView){
    .height = (gint) t->height,
    .width = (gint) t->width,
    .channels = (gint) y10_plan_view_padded (plan, v),
    .pixel = s->padded_channels,
    .image = (gint64) s->padded_channels * t->height * t->width,
  };
}

/* Kernels that @pairs adds at @n images to those that there are at least. */
static guint
count_more (const Y10CudaPairs *pairs, const Y10Plan *plan, guint n)
{
  const Y10Graph *graph = plan->graph;
  guint more = 0;

  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Op *op = &graph->ops[i];
    const gboolean logits = y10_graph_is_logits_pair (graph, i);
    Y10CudaPairDesc desc;
    Y10CudaPair way;

    if (!y10_graph_is_pair (graph, i))
      continue;
    g_assert_false (y10_plan_views_overlap (plan, op->in, op[1].out));
    g_assert_false (logits && y10_plan_views_overlap (plan, op->in, op[2].out));
    desc = (Y10CudaPairDesc){
      .precision = Y10_PRECISION_FP16,
      .images = n,
      .in = view_of (plan, op->in),
      .out = view_of (plan, op[1].out),
      .kernel = (gint) op->kernel,
      .stride = (gint) op->stride,
      .pad = (gint) op->pad,
    };
    if (logits)
      desc.logits = view_of (plan, op[2].out);
    way = y10_cuda_pair_first (pairs, &desc);
    g_test_message ("%u images, %s: %s%s", n, op->name,
        way.tile ? y10_cuda_pair_describe (way) : "two kernels",
        way.tile && way.logits ? " with logits" : "");
    more += !way.tile + (logits && !(way.tile && way.logits));
  }
  return more;
}

static void
test_counts (void)
{
  const Y10TestFormat hollow = { .hollow = TRUE };
  const Y10Layout layout = {
    .block = 8,
    .channels_last = TRUE,
    .elem_size = 2,
    .input_block = 8,
    .input_elem_size = 2,
    .align = 256,
    .max_run = G_MAXUINT,
    .parallel = TRUE,
    .pairs = TRUE,
  };
  const Y10CudaDriver driver = {
    .ctx_get_device = get_device,
    .device_get_attribute = get_attribute,
    .module_get_function = get_function,
    .func_set_attribute = set_attribute,
  };
  const Y10CudaKernels kernels = { .driver = &driver };
  Y10TestTensors *tensors = test_tensors ("yolov10n-nc80", 0);
  Y10Model *model = test_model (tensors, &hollow);
  Y10CudaPairs *pairs = y10_cuda_pairs_new (NULL, &kernels);
  GError *error = NULL;
  Y10Graph *graph = y10_model_build_graph (model, 640, 640, Y10_HEAD_ONE2ONE,
      &error);
  Y10CudaLanes *lanes;
  Y10Plan *plan;

  g_assert_no_error (error);
  g_assert_nonnull (pairs);
  plan = y10_plan_new (graph, &layout, &error);
  g_assert_no_error (error);
  lanes = y10_cuda_lanes_new (plan, 0, Y10_CUDA_MAX_LANES);
  for (guint n = 1; n <= 32; n *= 2) {
    const guint all = lanes->n_launches + N_HEAD + count_more (pairs, plan, n);

    g_test_message ("%u images: %u kernels", n, all);
    g_assert_cmpuint (all, <=, MOST);
  }
  y10_cuda_lanes_free (lanes);
  y10_plan_free (plan);
  y10_graph_free (graph);
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
  y10_cuda_pairs_free (pairs);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pairs/kernels-of-a-step", test_counts);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
