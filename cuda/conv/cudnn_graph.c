/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Builds cuDNN's operation graph of one convolution: convolution, bias and, in the
 * fused stage, SiLU and an addition. The tensors between the operations are
 * virtual floats, which never reach memory. */

#include "config.h"

#include <stdbool.h>

#include "conv/cudnn_graph.h"

void
y10_cudnn_set_init (Y10CudnnSet *set, const Y10Cudnn *cudnn)
{
  set->cudnn = cudnn;
  set->made = g_ptr_array_new ();
  set->error = NULL;
}

void
y10_cudnn_set_clear (Y10CudnnSet *set)
{
  if (!set->made)
    return;
  for (guint i = set->made->len; i > 0; i--)
    set->cudnn->destroy_descriptor (set->made->pdata[i - 1]);
  g_ptr_array_free (set->made, TRUE);
  set->made = NULL;
  g_clear_error (&set->error);
}

gboolean
y10_cudnn_set_ok (Y10CudnnSet *set, GError **error)
{
  if (!set->error)
    return TRUE;
  g_propagate_error (error, set->error);
  set->error = NULL;
  return FALSE;
}

cudnnBackendDescriptor_t
y10_cudnn_set_begin (Y10CudnnSet *set, cudnnBackendDescriptorType_t type)
{
  cudnnBackendDescriptor_t d = NULL;

  if (set->error
      || !y10_cudnn_check (set->cudnn, set->cudnn->create_descriptor (type, &d),
          "a descriptor", &set->error))
    return NULL;
  g_ptr_array_add (set->made, d);
  return d;
}

void
y10_cudnn_set_attribute (Y10CudnnSet *set, cudnnBackendDescriptor_t d,
    cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
    gint64 n, const void *values)
{
  char call[32];

  if (set->error)
    return;
  g_snprintf (call, sizeof call, "attribute %d", (int) name);
  y10_cudnn_check (set->cudnn,
      set->cudnn->set_attribute (d, name, type, n, values), call, &set->error);
}

void
y10_cudnn_set_finish (Y10CudnnSet *set, cudnnBackendDescriptor_t d,
    const char *what)
{
  if (!set->error)
    y10_cudnn_check (set->cudnn, set->cudnn->finalize (d), what, &set->error);
}

static cudnnBackendDescriptor_t
tensor (Y10CudnnSet *set, gint64 uid, cudnnDataType_t type, const gint64 dim[4],
    const gint64 stride[4], gboolean is_virtual)
{
  cudnnBackendDescriptor_t d = y10_cudnn_set_begin (set,
      CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const gint64 align = 16;
  const bool yes = true;

  y10_cudnn_set_attribute (set, d, CUDNN_ATTR_TENSOR_UNIQUE_ID,
      CUDNN_TYPE_INT64, 1, &uid);
  y10_cudnn_set_attribute (set, d, CUDNN_ATTR_TENSOR_DATA_TYPE,
      CUDNN_TYPE_DATA_TYPE, 1, &type);
  y10_cudnn_set_attribute (set, d, CUDNN_ATTR_TENSOR_DIMENSIONS,
      CUDNN_TYPE_INT64, 4, dim);
  y10_cudnn_set_attribute (set, d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64,
      4, stride);
  y10_cudnn_set_attribute (set, d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT,
      CUDNN_TYPE_INT64, 1, &align);
  if (is_virtual)
    y10_cudnn_set_attribute (set, d, CUDNN_ATTR_TENSOR_IS_VIRTUAL,
        CUDNN_TYPE_BOOLEAN, 1, &yes);
  y10_cudnn_set_finish (set, d, "a tensor");
  return d;
}

/* cuDNN's order of dimensions is image, channel, row, column for any layout. */
static cudnnBackendDescriptor_t
view_tensor (Y10CudnnSet *set, gint64 uid, cudnnDataType_t type,
    const Y10CudaConvView *v, guint images)
{
  const gint64 dim[4] = { images, v->channels, v->height, v->width };
  const gint64 stride[4] = { v->image, 1, v->pixel * v->width, v->pixel };

  return tensor (set, uid, type, dim, stride, FALSE);
}

/* A virtual tensor between operations: dense floats of the output's size. */
static cudnnBackendDescriptor_t
between (Y10CudnnSet *set, gint64 uid, const Y10CudaConvDesc *desc)
{
  const Y10CudaConvView *v = &desc->out;
  const gint64 dim[4] = { desc->images, v->channels, v->height, v->width };
  const gint64 stride[4] = { (gint64) v->height * v->width * v->channels, 1,
    (gint64) v->width * v->channels, v->channels };

  return tensor (set, uid, CUDNN_DATA_FLOAT, dim, stride, TRUE);
}

static cudnnBackendDescriptor_t
convolution (Y10CudnnSet *set, const Y10CudaConvDesc *desc,
    cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t w,
    cudnnBackendDescriptor_t y)
{
  const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  const gint64 n_dims = 2, dilation[2] = { 1, 1 };
  const gint64 pad[2] = { desc->pad, desc->pad };
  const gint64 stride[2] = { desc->stride, desc->stride };
  const float alpha = 1, beta = 0;
  cudnnBackendDescriptor_t conv, op;

  conv = y10_cudnn_set_begin (set, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  y10_cudnn_set_attribute (set, conv, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS,
      CUDNN_TYPE_INT64, 1, &n_dims);
  y10_cudnn_set_attribute (set, conv, CUDNN_ATTR_CONVOLUTION_COMP_TYPE,
      CUDNN_TYPE_DATA_TYPE, 1, &compute);
  y10_cudnn_set_attribute (set, conv, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
      CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  y10_cudnn_set_attribute (set, conv, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
      CUDNN_TYPE_INT64, 2, pad);
  y10_cudnn_set_attribute (set, conv, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
      CUDNN_TYPE_INT64, 2, pad);
  y10_cudnn_set_attribute (set, conv, CUDNN_ATTR_CONVOLUTION_DILATIONS,
      CUDNN_TYPE_INT64, 2, dilation);
  y10_cudnn_set_attribute (set, conv, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
      CUDNN_TYPE_INT64, 2, stride);
  y10_cudnn_set_finish (set, conv, "the convolution");

  op = y10_cudnn_set_begin (set,
      CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  y10_cudnn_set_attribute (set, op,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &conv);
  y10_cudnn_set_attribute (set, op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &x);
  y10_cudnn_set_attribute (set, op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &w);
  y10_cudnn_set_attribute (set, op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &y);
  y10_cudnn_set_attribute (set, op,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1,
      &alpha);
  y10_cudnn_set_attribute (set, op,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1,
      &beta);
  y10_cudnn_set_finish (set, op, "the convolution's operation");
  return op;
}

/* y = mode (x), or mode (x, b); only @b may be broadcast. */
static cudnnBackendDescriptor_t
pointwise (Y10CudnnSet *set, cudnnPointwiseMode_t mode,
    cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
    cudnnBackendDescriptor_t y)
{
  const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  const double beta = 1; /* swish with 1 is SiLU */
  cudnnBackendDescriptor_t what, op;

  what = y10_cudnn_set_begin (set, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  y10_cudnn_set_attribute (set, what, CUDNN_ATTR_POINTWISE_MODE,
      CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
  y10_cudnn_set_attribute (set, what, CUDNN_ATTR_POINTWISE_MATH_PREC,
      CUDNN_TYPE_DATA_TYPE, 1, &compute);
  if (mode == CUDNN_POINTWISE_SWISH_FWD)
    y10_cudnn_set_attribute (set, what, CUDNN_ATTR_POINTWISE_SWISH_BETA,
        CUDNN_TYPE_DOUBLE, 1, &beta);
  y10_cudnn_set_finish (set, what, "a pointwise operation");

  op = y10_cudnn_set_begin (set, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  y10_cudnn_set_attribute (set, op,
      CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &what);
  y10_cudnn_set_attribute (set, op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &x);
  if (b)
    y10_cudnn_set_attribute (set, op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &b);
  y10_cudnn_set_attribute (set, op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &y);
  y10_cudnn_set_finish (set, op, "a pointwise operation");
  return op;
}

static cudnnDataType_t
type_of (Y10Precision precision)
{
  switch (precision) {
    case Y10_PRECISION_FP16:
      return CUDNN_DATA_HALF;
    case Y10_PRECISION_BF16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

Y10Precision
y10_cuda_conv_bias_type (const Y10CudaConvDesc *desc, Y10CudaConvStage stage)
{
  return stage == Y10_CUDA_CONV_BIAS
          && (desc->precision == Y10_PRECISION_FP16
              || desc->precision == Y10_PRECISION_BF16)
      ? desc->precision
      : Y10_PRECISION_FP32;
}

cudnnBackendDescriptor_t
y10_cuda_conv_graph (Y10CudnnSet *set, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, cudnnHandle_t handle)
{
  const cudnnDataType_t type = type_of (desc->precision);
  const gint64 k = desc->out.channels, c = desc->in.channels;
  const gint64 r = desc->kernel;
  const gint64 w_dim[4] = { k, c, r, r };
  const gint64 w_stride[4] = { r * r * c, 1, r * c, c };
  const gint64 b_dim[4] = { 1, k, 1, 1 }, b_stride[4] = { k, 1, k, k };
  const gboolean fused = stage == Y10_CUDA_CONV_FUSED;
  const gboolean silu = fused && desc->silu;
  const gboolean add = fused && desc->add.channels > 0;
  cudnnBackendDescriptor_t x, w, b, y, t[3], ops[4], graph;
  gint64 n = 0;

  x = view_tensor (set, Y10_CONV_UID_IN, type, &desc->in, desc->images);
  w = tensor (set, Y10_CONV_UID_WEIGHT, type, w_dim, w_stride, FALSE);
  b = tensor (set, Y10_CONV_UID_BIAS,
      type_of (y10_cuda_conv_bias_type (desc, stage)), b_dim, b_stride, FALSE);
  y = view_tensor (set, Y10_CONV_UID_OUT,
      fused && desc->out_float ? CUDNN_DATA_FLOAT : type, &desc->out,
      desc->images);

  t[0] = between (set, Y10_CONV_UID_VIRTUAL, desc);
  ops[n++] = convolution (set, desc, x, w, t[0]);
  t[1] = silu || add ? between (set, Y10_CONV_UID_VIRTUAL + 1, desc) : y;
  ops[n++] = pointwise (set, CUDNN_POINTWISE_ADD, t[0], b, t[1]);
  t[2] = t[1];
  if (silu) {
    t[2] = add ? between (set, Y10_CONV_UID_VIRTUAL + 2, desc) : y;
    ops[n++] = pointwise (set, CUDNN_POINTWISE_SWISH_FWD, t[1], NULL, t[2]);
  }
  if (add)
    ops[n++] = pointwise (set, CUDNN_POINTWISE_ADD, t[2],
        view_tensor (set, Y10_CONV_UID_ADD, type, &desc->add, desc->images), y);

  graph = y10_cudnn_set_begin (set, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  if (handle)
    y10_cudnn_set_attribute (set, graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE,
        CUDNN_TYPE_HANDLE, 1, &handle);
  y10_cudnn_set_attribute (set, graph, CUDNN_ATTR_OPERATIONGRAPH_OPS,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, n, ops);
  y10_cudnn_set_finish (set, graph, "the graph of a convolution");
  return graph;
}
