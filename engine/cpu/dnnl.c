/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Convolutions by oneDNN, 2.x and 3.x. Each call computes one image, and
 * channels are padded to the block, so that a channel range is a pointer
 * into its tensor. Where oneDNN has no optimized code for such a range it
 * uses a reference implementation, which is hundreds of times slower and is
 * rejected here. Primitives and memory objects are created at compile time;
 * a step only sets addresses. */

#include "config.h"

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <string.h>

#include "cpu/dnnl.h"
#include "cpu/kernels/isa.h"

/* Source, weights, bias, destination, residual. */
#define MAX_ARGS 5

struct _Y10Dnnl
{
  dnnl_engine_t engine;
  dnnl_stream_t stream;
};

struct _Y10DnnlConv
{
  Y10Dnnl *dnnl;
  const char *name;             /* of the op */
  dnnl_primitive_desc_t desc;   /* until the weights are packed */
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t args[MAX_ARGS];
  gsize offset[MAX_ARGS];       /* in the arena; G_MAXSIZE: another buffer */
  int n_args;
};

/* Descriptors are structs in 2.x and objects with a destructor in 3.x. */
#if DNNL_VERSION_MAJOR >= 3

typedef dnnl_memory_desc_t Desc;
typedef const_dnnl_memory_desc_t ConstDesc;

static dnnl_status_t
desc_init (Desc *d, int n, const dnnl_dims_t dims, dnnl_data_type_t type,
    dnnl_format_tag_t tag)
{
  return dnnl_memory_desc_create_with_tag (d, n, dims, type, tag);
}

static ConstDesc
desc_ref (const Desc *d)
{
  return *d;
}

static void
desc_clear (Desc *d)
{
  if (*d)
    dnnl_memory_desc_destroy (*d);
  *d = NULL;
}

static dnnl_status_t
append_swish (dnnl_post_ops_t ops)
{
  return dnnl_post_ops_append_eltwise (ops, dnnl_eltwise_swish, 1, 0);
}

static dnnl_status_t
append_add (dnnl_post_ops_t ops, const Desc *d)
{
  return dnnl_post_ops_append_binary (ops, dnnl_binary_add, *d);
}

static dnnl_status_t
append_sum (dnnl_post_ops_t ops)
{
  return dnnl_post_ops_append_sum (ops, 1, 0, dnnl_data_type_undef);
}

#else

typedef dnnl_memory_desc_t Desc;
typedef const dnnl_memory_desc_t *ConstDesc;

static dnnl_status_t
desc_init (Desc *d, int n, const dnnl_dims_t dims, dnnl_data_type_t type,
    dnnl_format_tag_t tag)
{
  return dnnl_memory_desc_init_by_tag (d, n, dims, type, tag);
}

static ConstDesc
desc_ref (const Desc *d)
{
  return d;
}

static void
desc_clear (Desc *d)
{
}

static dnnl_status_t
append_swish (dnnl_post_ops_t ops)
{
  return dnnl_post_ops_append_eltwise (ops, 1, dnnl_eltwise_swish, 1, 0);
}

static dnnl_status_t
append_add (dnnl_post_ops_t ops, const Desc *d)
{
  return dnnl_post_ops_append_binary (ops, dnnl_binary_add, d);
}

static dnnl_status_t
append_sum (dnnl_post_ops_t ops)
{
  return dnnl_post_ops_append_sum (ops, 1);
}

#endif

static gboolean
check (dnnl_status_t status, const char *what, const char *name,
    GError **error)
{
  if (status == dnnl_success)
    return TRUE;
  g_set_error (error, Y10_ERROR, status == dnnl_out_of_memory
      ? Y10_ERROR_NO_MEMORY : Y10_ERROR_BACKEND,
      "oneDNN: %s of \"%s\" failed with status %d", what, name, status);
  return FALSE;
}

/* NULL where our own kernels are preferred: with registers of 16 floats they
 * are faster, and on CPUs for which oneDNN has no code they are no slower. */
Y10Dnnl *
y10_dnnl_new (void)
{
  Y10Isa isa = y10_cpu_isa ();
  Y10Dnnl *dnnl;

  if (isa != Y10_ISA_SSE41 && isa != Y10_ISA_AVX2)
    return NULL;
  dnnl = g_new0 (Y10Dnnl, 1);
  if (dnnl_engine_create (&dnnl->engine, dnnl_cpu, 0) == dnnl_success
      && dnnl_stream_create (&dnnl->stream, dnnl->engine,
          dnnl_stream_default_flags) == dnnl_success)
    return dnnl;
  y10_dnnl_free (dnnl);
  return NULL;
}

void
y10_dnnl_free (Y10Dnnl *dnnl)
{
  if (!dnnl)
    return;
  if (dnnl->stream)
    dnnl_stream_destroy (dnnl->stream);
  if (dnnl->engine)
    dnnl_engine_destroy (dnnl->engine);
  g_free (dnnl);
}

char *
y10_dnnl_describe (const Y10Dnnl *dnnl)
{
  const dnnl_version_t *v = dnnl_version ();

  if (!dnnl)
    return NULL;
  return g_strdup_printf ("oneDNN %d.%d.%d", v->major, v->minor, v->patch);
}

typedef struct
{
  Desc src, weight, bias, dst, add;
} Descs;

static gboolean
init_descs (Descs *d, const Y10CpuCompile *c, const Y10CpuOp *op)
{
  const Y10Op *o = op->op;
  dnnl_format_tag_t tag = c->kernels->block == 16 ? dnnl_nChw16c : dnnl_nChw8c;
  dnnl_dim_t n_in = op->in.n_blocks * c->kernels->block, k = o->kernel;
  dnnl_dim_t n_out = op->out.n_blocks * c->kernels->block;
  dnnl_dims_t src = { 1, n_in, op->in.height, op->in.width };
  dnnl_dims_t dst = { 1, n_out, op->out.height, op->out.width };
  dnnl_dims_t dense = { n_out, n_in, k, k }, depthwise = { n_out, 1, 1, k, k };
  dnnl_dims_t bias = { n_out };
  gboolean dw = o->groups > 1;

  return !desc_init (&d->src, 4, src, dnnl_f32, tag)
      && !desc_init (&d->dst, 4, dst, dnnl_f32, tag)
      && !desc_init (&d->add, 4, dst, dnnl_f32, tag)
      && !desc_init (&d->bias, 1, bias, dnnl_f32, dnnl_a)
      && !desc_init (&d->weight, dw ? 5 : 4, dw ? depthwise : dense, dnnl_f32,
      dnnl_format_tag_any);
}

/* Partial sums may be stored in the destination, so adding the destination
 * needs another post-op (sum) than adding another tensor (binary add). */
static gboolean
in_place (const Y10CpuOp *op)
{
  return op->add.n_blocks && op->add.offset == op->out.offset;
}

static dnnl_status_t
make_desc (Y10DnnlConv *conv, const Y10CpuOp *op, Descs *d)
{
  const Y10Op *o = op->op;
  dnnl_dims_t stride = { o->stride, o->stride }, pad = { o->pad, o->pad };
  /* Just enough padding at the bottom and right for the last outputs. */
  dnnl_dims_t end = {
    (op->out.height - 1) * o->stride + o->kernel - op->in.height - o->pad,
    (op->out.width - 1) * o->stride + o->kernel - op->in.width - o->pad
  };
  dnnl_primitive_attr_t attr = NULL;
  dnnl_post_ops_t ops = NULL;
  dnnl_status_t status;

  if ((status = dnnl_primitive_attr_create (&attr))
      || (status = dnnl_post_ops_create (&ops))
      || (o->act == Y10_ACT_SILU && (status = append_swish (ops)))
      || (o->add.n && (status = in_place (op) ? append_sum (ops)
              : append_add (ops, &d->add)))
      || (status = dnnl_primitive_attr_set_post_ops (attr, ops)))
    goto out;
#if DNNL_VERSION_MAJOR >= 3
  status = dnnl_convolution_forward_primitive_desc_create (&conv->desc,
      conv->dnnl->engine, dnnl_forward_inference, dnnl_convolution_direct,
      d->src, d->weight, d->bias, d->dst, stride, (dnnl_dims_t) { 0, 0 }, pad,
      end, attr);
#else
  dnnl_convolution_desc_t desc;
  status = dnnl_convolution_forward_desc_init (&desc, dnnl_forward_inference,
      dnnl_convolution_direct, &d->src, &d->weight, &d->bias, &d->dst, stride,
      pad, end);
  if (!status)
    status = dnnl_primitive_desc_create (&conv->desc, &desc, attr,
        conv->dnnl->engine, NULL);
#endif
out:
  if (ops)
    dnnl_post_ops_destroy (ops);
  if (attr)
    dnnl_primitive_attr_destroy (attr);
  return status;
}

static gboolean
add_arg (Y10DnnlConv *conv, int arg, const Desc *d, gsize offset)
{
  dnnl_exec_arg_t *a = &conv->args[conv->n_args];

  conv->offset[conv->n_args] = offset;
  a->arg = arg;
  if (dnnl_memory_create (&a->memory, desc_ref (d), conv->dnnl->engine,
          DNNL_MEMORY_NONE))
    return FALSE;
  conv->n_args++;
  return TRUE;
}

static gboolean
make_conv (Y10DnnlConv *conv, Descs *d, const Y10CpuCompile *c, Y10CpuOp *op)
{
  const Y10Op *o = op->op;
  const char *impl;
  ConstDesc weight;

  if (!init_descs (d, c, op) || make_desc (conv, op, d)
      || dnnl_primitive_desc_query (conv->desc, dnnl_query_impl_info_str, 0,
          &impl)
      || g_str_has_prefix (impl, "ref")
      || dnnl_primitive_create (&conv->primitive, conv->desc)
      || !add_arg (conv, DNNL_ARG_SRC, &d->src, op->in.offset)
      || !add_arg (conv, DNNL_ARG_DST, &d->dst, op->out.offset)
      || !add_arg (conv, DNNL_ARG_BIAS, &d->bias, G_MAXSIZE)
      || (o->add.n && !in_place (op) && !add_arg (conv, DNNL_ARG_ATTR_MULTIPLE_POST_OP
              (o->act == Y10_ACT_SILU ? 1 : 0) | DNNL_ARG_SRC_1, &d->add,
              op->add.offset)))
    return FALSE;
  weight = dnnl_primitive_desc_query_md (conv->desc, dnnl_query_weights_md, 0);
  op->weight_size = dnnl_memory_desc_get_size (weight);
  op->impl = g_intern_string (impl);
  return TRUE;
}

/* Whether oneDNN is faster than our kernels; measured with its ISA limited. */
static gboolean
is_faster (const Y10CpuCompile *c, const Y10Op *o)
{
  return o->groups == 1;
}

void
y10_dnnl_conv_new (Y10Dnnl *dnnl, const Y10CpuCompile *c, Y10CpuOp *op)
{
  Descs d;

  if (!dnnl || c->exact || !is_faster (c, op->op)
      || c->plan->graph->tensors[op->op->in.tensor].role == Y10_ROLE_INPUT)
    return;
  memset (&d, 0, sizeof d);
  op->dnnl = g_new0 (Y10DnnlConv, 1);
  op->dnnl->dnnl = dnnl;
  op->dnnl->name = op->op->name;
  if (!make_conv (op->dnnl, &d, c, op))
    g_clear_pointer (&op->dnnl, y10_dnnl_conv_free);
  desc_clear (&d.src);
  desc_clear (&d.weight);
  desc_clear (&d.bias);
  desc_clear (&d.dst);
  desc_clear (&d.add);
}

void
y10_dnnl_conv_free (Y10DnnlConv *conv)
{
  if (!conv)
    return;
  for (int i = 0; i < conv->n_args; i++)
    dnnl_memory_destroy (conv->args[i].memory);
  if (conv->primitive)
    dnnl_primitive_destroy (conv->primitive);
  if (conv->desc)
    dnnl_primitive_desc_destroy (conv->desc);
  g_free (conv);
}

/* Fetches weights with padded channels as [out][in][k][k]. */
static gfloat *
pad_weights (const Y10CpuCompile *c, const Y10CpuOp *op, const gfloat *weight,
    const gfloat *bias, gfloat *padded_bias)
{
  const Y10Graph *graph = c->plan->graph;
  const Y10Op *o = op->op;
  guint n_out = y10_graph_view_channels (graph, o->out);
  guint n_in = y10_graph_view_channels (graph, o->in);
  guint taps = o->kernel * o->kernel, group_in = o->groups > 1 ? 1 : n_in;
  guint padded_in = o->groups > 1 ? 1 : op->in.n_blocks * c->kernels->block;
  g_autofree guint *out = g_new (guint, n_out), *in = g_new (guint, n_in);
  gfloat *padded = g_new0 (gfloat, (gsize) op->out.n_blocks
      * c->kernels->block * padded_in * taps);

  y10_plan_view_map (c->plan, o->out, out);
  y10_plan_view_map (c->plan, o->in, in);
  for (guint i = 0; i < n_out; i++) {
    padded_bias[out[i]] = bias[i];
    for (guint j = 0; j < group_in; j++)
      memcpy (padded + ((gsize) out[i] * padded_in
              + (o->groups > 1 ? 0 : in[j])) * taps,
          weight + ((gsize) i * group_in + j) * taps, taps * sizeof (gfloat));
  }
  return padded;
}

gboolean
y10_dnnl_conv_pack (Y10DnnlConv *conv, const Y10CpuCompile *c,
    const Y10CpuOp *op, const gfloat *weight, const gfloat *bias,
    guint8 *packed, gfloat *packed_bias, GError **error)
{
  Y10Dnnl *dnnl = conv->dnnl;
  const Y10Op *o = op->op;
  dnnl_dim_t n_in = op->in.n_blocks * c->kernels->block, k = o->kernel;
  dnnl_dim_t n_out = op->out.n_blocks * c->kernels->block;
  dnnl_dims_t dense = { n_out, n_in, k, k }, depthwise = { n_out, 1, 1, k, k };
  gboolean dw = o->groups > 1;
  ConstDesc to = dnnl_primitive_desc_query_md (conv->desc,
      dnnl_query_weights_md, 0);
  g_autofree gfloat *padded = pad_weights (c, op, weight, bias, packed_bias);
  dnnl_memory_t from_memory = NULL, to_memory = NULL;
  dnnl_primitive_desc_t desc = NULL;
  dnnl_primitive_t reorder = NULL;
  dnnl_exec_arg_t args[2];
  dnnl_status_t status;
  Desc from;

  memset (&from, 0, sizeof from);
  if (!(status = desc_init (&from, dw ? 5 : 4, dw ? depthwise : dense,
              dnnl_f32, dw ? dnnl_goihw : dnnl_oihw))
      && !(status = dnnl_memory_create (&from_memory, desc_ref (&from),
              dnnl->engine, padded))
      && !(status = dnnl_memory_create (&to_memory, to, dnnl->engine, packed))
      && !(status = dnnl_reorder_primitive_desc_create (&desc,
              desc_ref (&from), dnnl->engine, to, dnnl->engine, NULL))
      && !(status = dnnl_primitive_create (&reorder, desc))) {
    args[0] = (dnnl_exec_arg_t) { DNNL_ARG_FROM, from_memory };
    args[1] = (dnnl_exec_arg_t) { DNNL_ARG_TO, to_memory };
    if (!(status = dnnl_primitive_execute (reorder, dnnl->stream, 2, args)))
      status = dnnl_stream_wait (dnnl->stream);
  }
  if (reorder)
    dnnl_primitive_destroy (reorder);
  if (desc)
    dnnl_primitive_desc_destroy (desc);
  if (from_memory)
    dnnl_memory_destroy (from_memory);
  desc_clear (&from);
  if (!check (status, "packing the weights", o->name, error)) {
    if (to_memory)
      dnnl_memory_destroy (to_memory);
    return FALSE;
  }
  conv->offset[conv->n_args] = G_MAXSIZE;
  conv->args[conv->n_args++] =
      (dnnl_exec_arg_t) { DNNL_ARG_WEIGHTS, to_memory };
  for (int i = 0; i < conv->n_args; i++)
    if (conv->args[i].arg == DNNL_ARG_BIAS)
      dnnl_memory_set_data_handle (conv->args[i].memory, packed_bias);
  return TRUE;
}

gboolean
y10_dnnl_conv_run (Y10DnnlConv *conv, guint8 *arena, GError **error)
{
  dnnl_status_t status;

  for (int i = 0; i < conv->n_args; i++)
    if (conv->offset[i] != G_MAXSIZE)
      dnnl_memory_set_data_handle (conv->args[i].memory,
          arena + conv->offset[i]);
  status = dnnl_primitive_execute (conv->primitive, conv->dnnl->stream,
      conv->n_args, conv->args);
  if (!status)
    status = dnnl_stream_wait (conv->dnnl->stream);
  return check (status, "running", conv->name, error);
}
