/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Networks of one op. They use the same builder, plan and backend as a real
 * network. Pools that are never run follow the op. They keep every tensor of
 * the case alive, so that the plan gives each a separate address, and they keep
 * the op from being the last one, after which the head would run. */

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checkop.h"
#include "base/half.h"
#include "model/structure.h"
#include "seeded.h"
#include "tensors.h"

#define GUARD 7 /* channels: no multiple of any block */

static Y10TensorFile *
open_weights (const Y10TestTensors *tensors, gboolean hollow)
{
  const Y10TestFormat format = { .hollow = hollow };
  int fd = memfd_create ("weights", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  GError *error = NULL;
  Y10TensorFile *file = NULL;

  if (fd >= 0 && y10_test_tensors_write (tensors, path, &format, &error))
    file = y10_tensor_file_open (path, &error);
  if (!file)
    g_error ("weights of a case: %s", error ? error->message : "no memfd");
  close (fd); /* the mapping outlives the file */
  return file;
}

float
case_rounded (Y10Precision precision, float value)
{
  switch (precision) {
    case Y10_PRECISION_BF16:
    case Y10_PRECISION_INT8: /* with AMX, its floats are bfloat16 */
      return y10_test_bf16_to_float (y10_test_float_to_bf16 (value));
    case Y10_PRECISION_FP16:
      return y10_half_to_float (y10_half_from_float (value));
    default:
      return value;
  }
}

/* Values that a trained layer could have, exact in the tested precision: the
 * comparison measures the op, not the rounding of its operands. */
static void
add_seeded (Y10TestTensors *tensors, const char *name, const gsize *dim,
    guint n_dims, float scale, Y10Precision precision)
{
  Y10TestTensor *t = y10_test_tensors_add (tensors, name, dim, n_dims, NULL);
  gsize n = y10_test_tensor_n (t);

  t->data = g_new (float, n);
  y10_seeded_fill (name, tensors->seed, n, t->data);
  for (gsize i = 0; i < n; i++) {
    t->data[i] *= scale;
    t->data[i] = case_rounded (precision, t->data[i]);
  }
}

static guint
total (const Segs *segs)
{
  guint sum = 0;

  for (guint i = 0; i < segs->n; i++)
    sum += segs->channels[i];
  return sum;
}

static void
append_tensor (GString *header, GByteArray *data, const char *name,
    const char *dtype, const gsize *dim, guint n_dims, gconstpointer values,
    gsize size)
{
  g_string_append_printf (header, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[",
      header->len > 1 ? "," : "", name, dtype);
  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (header, "%s%" G_GSIZE_FORMAT, i ? "," : "", dim[i]);
  g_string_append_printf (header, "],\"data_offsets\":[%u,%u]}", data->len,
      (guint) (data->len + size));
  g_byte_array_append (data, values, size);
}

/* Integers, with a scale that gives outputs of about 1. All scales are powers of two and
 * biases have few bits, so that no float of an op without SiLU is rounded. */
static Y10TensorFile *
make_integers (const gsize *dim, guint64 seed)
{
  g_autoptr (GString) header = g_string_new ("{");
  g_autoptr (GByteArray) data = g_byte_array_new ();
  gsize n_in = dim[1], row = dim[1] * dim[2] * dim[3], n = dim[0] * row;
  gsize most = MAX (n, MAX (dim[0], n_in));
  g_autofree float *values = g_new (float, most);
  float scale = ldexpf (1, -(int) lround (log2 (5900 * sqrt ((double) row))));
  g_autofree gint8 *integers = g_new (gint8, most);
  int fd = memfd_create ("weights", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  GError *error = NULL;
  Y10TensorFile *file = NULL;
  guint64 length;

  y10_seeded_fill ("integers", seed, n, values);
  for (gsize i = 0; i < n; i++)
    integers[i] = (gint8) floorf (values[i] * 128);
  append_tensor (header, data, "model.0.weight", "I8", dim, 4, integers, n);
  y10_seeded_fill ("bias", seed, dim[0], values);
  for (gsize i = 0; i < dim[0]; i++)
    values[i] = rintf (values[i] * 64) / 64;
  append_tensor (header, data, "model.0.bias", "F32", dim, 1, values,
      dim[0] * 4);
  for (gsize i = 0; i < most; i++)
    values[i] = scale;
  append_tensor (header, data, "model.0.weight_scale", "F32", dim, 1, values,
      dim[0] * 4);
  append_tensor (header, data, "model.0.input_scale", "F32", &n_in, 1, values,
      n_in * 4);
  append_tensor (header, data, "model.0.input_zero_point", "U8", &n_in, 1,
      integers, n_in);
  g_string_append_c (header, '}');
  length = header->len;
  if (fd >= 0 && write (fd, &length, 8) == 8
      && write (fd, header->str, length) == (gssize) length
      && write (fd, data->data, data->len) == (gssize) data->len)
    file = y10_tensor_file_open (path, &error);
  if (!file)
    g_error ("weights of a case: %s", error ? error->message : "no memfd");
  close (fd);
  return file;
}

static gboolean
has_integers (const OpCase *op, Y10Precision precision)
{
  return precision == Y10_PRECISION_INT8 && op->kind == Y10_OP_CONV
      && !op->depthwise && !op->from_input;
}

static Y10TensorFile *
make_weights (const OpCase *op, guint64 seed, Y10Precision precision)
{
  Y10TestTensors tensors = { g_ptr_array_new (), seed };
  guint out = op->kind == Y10_OP_ATTENTION ? op->heads * op->head_dim
                                           : total (&op->out);
  guint in = op->kind == Y10_OP_ATTENTION || op->depthwise ? 1
                                                           : total (&op->in);
  gsize dim[4] = { out, in, op->kernel, op->kernel };
  Y10TensorFile *file;

  if (has_integers (op, precision))
    return make_integers (dim, seed);
  if (op->kind == Y10_OP_MAXPOOL5 || op->kind == Y10_OP_UPSAMPLE2X)
    dim[0] = dim[1] = dim[2] = dim[3] = 1; /* any non-empty file */
  add_seeded (&tensors, "model.0.conv.weight", dim, 4,
      1.5f * sqrtf (3.f / (float) (dim[1] * dim[2] * dim[3])), precision);
  add_seeded (&tensors, "model.0.conv.bias", dim, 1, 0.5f, precision);
  file = open_weights (&tensors, FALSE);
  for (guint i = 0; i < tensors.tensors->len; i++) {
    Y10TestTensor *t = g_ptr_array_index (tensors.tensors, i);

    g_free (t->name);
    g_free (t->data);
    g_free (t);
  }
  g_ptr_array_unref (tensors.tensors);
  return file;
}

/* Makes a tensor that holds @a and @b (may be NULL), with guards around and
 * between them where the case asks for guards. Sets @view_a and @view_b to
 * their views. */
static void
make_tensor (Y10GraphBuilder *b, const OpCase *op, Y10TensorRole role,
    guint height, guint width, const Segs *a, Y10View *view_a, const Segs *c,
    Y10View *view_c)
{
  guint segs[2 * MAX_SEGS + 3], n = 0, first_a, first_c = 0;
  Y10View whole;

  if (op->guards)
    segs[n++] = GUARD;
  first_a = n;
  memcpy (segs + n, a->channels, a->n * sizeof *segs);
  n += a->n;
  if (op->guards)
    segs[n++] = GUARD;
  if (c) {
    first_c = n;
    memcpy (segs + n, c->channels, c->n * sizeof *segs);
    n += c->n;
    if (op->guards)
      segs[n++] = GUARD;
  }
  whole = y10_graph_builder_tensor (b, role, height, width, segs, n);
  *view_a = (Y10View){ whole.tensor, first_a, a->n };
  if (c)
    *view_c = (Y10View){ whole.tensor, first_c, c->n };
}

static void
add_op (Y10GraphBuilder *b, const OpCase *c, Y10View in, Y10View out,
    Y10View add, guint conv)
{
  Y10Op op = {
    .kind = c->kind,
    .name = g_strdup ("model.0"),
    .in = in,
    .out = out,
    .add = add,
    .conv = conv,
    .kernel = c->kernel,
    .stride = c->stride,
    .pad = c->kernel / 2,
    .groups = 1,
    .act = c->silu ? Y10_ACT_SILU : Y10_ACT_NONE,
    .heads = c->heads,
    .key_dim = c->key_dim,
    .head_dim = c->head_dim,
  };

  if (c->depthwise)
    op.groups = total (&c->in);
  if (c->kind == Y10_OP_ATTENTION)
    op.groups = c->heads * c->head_dim;
  y10_graph_builder_op (b, &op);
}

/* As y10_graph_read_scales() would from a file. All activations but those of attention are
 * stored in 8 bits; what moves values has the same scales on both sides. */
static void
set_scales (Y10Graph *graph, const OpCase *c, guint n_ops)
{
  if (c->kind == Y10_OP_ATTENTION)
    return;
  for (guint i = 0; i < graph->n_tensors; i++) {
    Y10Tensor *t = &graph->tensors[i];
    guint n = y10_graph_view_channels (graph, (Y10View){ i, 0, t->n_segs });

    if (t->role != Y10_ROLE_ACTIVATION)
      continue;
    t->scale = g_new (float, n);
    t->zero = g_new (guint8, n);
    for (guint k = 0; k < n; k++) {
      guint at = c->kind == Y10_OP_CONV ? k : 0;

      t->scale[k] = at % 2 ? 1.f / 64 : 1.f / 32;
      t->zero[k] = 64 + at * 37 % 128;
    }
  }
  graph->quantized = TRUE;
  for (guint i = 0; i < n_ops; i++)
    graph->ops[i].quantized = has_integers (c, Y10_PRECISION_INT8);
}

CaseGraph *
case_graph_new (const OpCase *c, guint64 seed, Y10Precision precision)
{
  CaseGraph *g = g_new0 (CaseGraph, 1);
  Y10TensorFile *file = make_weights (c, seed, precision);
  Y10GraphBuilder *b = y10_graph_builder_new (file, c->width, c->height);
  Y10Graph fields = {
    .width = c->width,
    .height = c->height,
    .head = Y10_HEAD_ONE2ONE,
    .n_classes = 1,
    .n_bins = 16,
  };
  guint out_height = (c->height - 1) / MAX (c->stride, 1) + 1;
  guint out_width = (c->width - 1) / MAX (c->stride, 1) + 1;
  Y10View in, out, add = { 0 };
  GError *error = NULL;
  guint conv = 0;

  if (c->kind == Y10_OP_UPSAMPLE2X) {
    out_height = 2 * c->height;
    out_width = 2 * c->width;
  }
  if (c->from_input) {
    in = y10_graph_builder_input (b);
    make_tensor (b, c, Y10_ROLE_ACTIVATION, out_height, out_width, &c->out,
        &out, NULL, NULL);
  } else if (c->same_tensor) {
    make_tensor (b, c, Y10_ROLE_ACTIVATION, c->height, c->width, &c->in, &in,
        &c->out, &out);
  } else {
    make_tensor (b, c, Y10_ROLE_ACTIVATION, c->height, c->width, &c->in, &in,
        NULL, NULL);
    make_tensor (b, c, c->to_logits ? Y10_ROLE_LOGITS : Y10_ROLE_ACTIVATION,
        out_height, out_width, &c->out, &out, NULL, NULL);
  }
  if (c->residual == RESIDUAL_SEPARATE)
    make_tensor (b, c, Y10_ROLE_ACTIVATION, out_height, out_width, &c->out,
        &add, NULL, NULL);
  else if (c->residual == RESIDUAL_IN_PLACE)
    add = out;

  if (c->kind == Y10_OP_CONV || c->kind == Y10_OP_ATTENTION)
    conv = y10_weights_add_conv (y10_graph_builder_weights (b), "model.0",
        c->kind == Y10_OP_CONV ? total (&c->in) : c->heads * c->head_dim,
        c->depthwise || c->kind == Y10_OP_ATTENTION, &error);
  if (error)
    g_error ("a case's convolution: %s", error->message);
  for (guint i = 0; i < MAX (c->chain, 1); i++) {
    Y10View from = in, to = out;

    if (c->chain) { /* segment to segment, as SPPF has it */
      from = i ? (Y10View){ out.tensor, out.first + i - 1, 1 } : in;
      to = (Y10View){ out.tensor, out.first + i, 1 };
    }
    add_op (b, c, from, to, add, conv);
    g->n_ops++;
  }

  g->n_tensors = MAX (MAX (in.tensor, out.tensor), add.n ? add.tensor : 0) + 1;
  for (guint i = 1; i < g->n_tensors; i++) {
    Y10Op keep = {
      .kind = Y10_OP_MAXPOOL5,
      .name = g_strdup ("keep"),
      .in = { i, 0, 1 },
    };
    guint channels, height, width;

    if (c->to_logits && i == out.tensor) { /* lives until the end anyway */
      g_free (keep.name);
      continue;
    }
    channels = y10_graph_builder_channels (b, keep.in);
    y10_graph_builder_size (b, keep.in, &height, &width);
    keep.out = y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION, height, width,
        &channels, 1);
    y10_graph_builder_op (b, &keep);
  }
  g->graph = y10_graph_builder_finish (b, &fields, &error);
  if (!g->graph)
    g_error ("a case's graph: %s", error->message);
  if (precision == Y10_PRECISION_INT8)
    set_scales (g->graph, c, g->n_ops);
  y10_tensor_file_unref (file);
  return g;
}

void
case_graph_free (CaseGraph *g)
{
  y10_graph_free (g->graph);
  g_free (g);
}

static Y10Graph *
hollow_graph_new (const char *shapes, guint n_classes, guint width,
    guint height, Y10Head head)
{
  char *path = g_strdup_printf ("%s/%s.shapes.json", y10_test_data_dir (),
      shapes);
  GError *error = NULL;
  Y10TestTensors *tensors = y10_test_tensors_new (path, 0, &error);
  const Y10Structure *structure;
  Y10TensorFile *file;
  Y10Graph *graph;

  if (!tensors)
    g_error ("%s", error->message);
  if (n_classes)
    y10_test_tensors_set_classes (tensors, n_classes);
  file = open_weights (tensors, TRUE);
  structure = y10_structure_find (file, &error);
  graph = structure
      ? y10_structure_build (structure, file, width, height, head, &error)
      : NULL;
  if (!graph)
    g_error ("%s", error->message);
  y10_tensor_file_unref (file);
  y10_test_tensors_free (tensors);
  g_free (path);
  return graph;
}

Y10Graph *
variant_graph_new (char variant, guint width, guint height, Y10Head head)
{
  char shapes[] = "yolov10?-nc80";

  *strchr (shapes, '?') = variant;
  return hollow_graph_new (shapes, 0, width, height, head);
}

Y10Graph *
tiny_graph_new (guint width, guint height, guint n_classes, guint n_bins,
    Y10Head head)
{
  return hollow_graph_new (n_bins == 8 ? "tiny-nc3-bins8"
          : n_bins == 1                ? "tiny-yolo26-nc3"
                                       : "tiny-nc3",
      n_classes, width, height, head);
}

gboolean
instance_init (Instance *i, const Runner *runner, const Y10Graph *graph,
    guint batch, guint max_rows, GError **error)
{
  *i = (Instance){ .runner = runner };
  i->plan = y10_plan_new (graph, &runner->layout, error);
  if (i->plan)
    i->program = runner->class->compile (runner->device, i->plan,
        runner->precision, NULL, error);
  if (i->program)
    i->slot = runner->class->slot_new (i->program, batch, max_rows, error);
  if (i->slot)
    return TRUE;
  instance_clear (i);
  return FALSE;
}

void
instance_clear (Instance *i)
{
  if (i->slot)
    i->runner->class->slot_free (i->slot);
  if (i->program)
    i->runner->class->program_free (i->program);
  y10_plan_free (i->plan);
  i->slot = NULL;
  i->program = NULL;
  i->plan = NULL;
}
