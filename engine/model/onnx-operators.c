/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Operators of the families' exports. Any other one, or an attribute that changes
 * what it computes, makes the outputs unknown. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "model/onnx-operators.h"
#include "model/onnx-shapes.h"

/* Of a concat; a C2f of yolov10x has 8. */
#define MAX_PIECES 32

typedef Y10OnnxValues Values;
typedef Y10OnnxValue Value;
typedef Y10OnnxNode Node;

/* Sets the scale of @v, which may be NULL. */
static Value *
scaled (Value *v, gdouble scale)
{
  if (v)
    v->scale = scale;
  return v;
}

static gboolean
is_text (const Node *node, const char *name, const char *text,
    gboolean otherwise)
{
  const Y10OnnxAttribute *a = y10_onnx_attribute (node, name);

  return a ? a->text && !strcmp (a->text, text) : otherwise;
}

/* Whether all of a list are @value; @otherwise if it is not given. */
static gboolean
all_are (const Node *node, const char *name, gint64 value, gboolean otherwise)
{
  const Y10OnnxAttribute *a = y10_onnx_attribute (node, name);

  if (!a || !a->n_integers)
    return otherwise;
  for (guint i = 0; i < a->n_integers; i++)
    if (a->integers[i] != value)
      return FALSE;
  return TRUE;
}

static gint64
first_of (const Node *node, const char *name, gint64 otherwise)
{
  const Y10OnnxAttribute *a = y10_onnx_attribute (node, name);

  return a && a->n_integers ? a->integers[0] : otherwise;
}

static gboolean
get_axis (gint64 axis, guint n_dims, guint *out)
{
  axis += axis < 0 ? n_dims : 0;
  *out = (guint) axis;
  return axis >= 0 && axis < n_dims;
}

static Value *
eval_conv (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);
  const Y10OnnxTensor *w = y10_onnx_constant (self->graph,
      y10_onnx_input (node, 1));
  const char *module = g_hash_table_lookup (self->modules, node);
  gint64 kernel, stride, pad, dim[4];

  if (!x || x->n_dims != 4 || !w || w->n_dims != 4 || !module)
    return NULL;
  kernel = w->dim[2];
  stride = first_of (node, "strides", 1);
  pad = first_of (node, "pads", 0);
  if (!all_are (node, "kernel_shape", kernel, TRUE) || w->dim[3] != kernel
      || !all_are (node, "strides", stride, TRUE) || stride < 1
      || !all_are (node, "pads", pad, TRUE) || pad < 0 || pad > 16
      || !all_are (node, "dilations", 1, TRUE)
      || !is_text (node, "auto_pad", "NOTSET", TRUE))
    return NULL;
  dim[0] = x->dim[0];
  dim[1] = w->dim[0];
  for (guint i = 2; i < 4; i++)
    dim[i] = (x->dim[i] + 2 * pad - kernel) / stride + 1;
  return y10_onnx_expression (y10_expressions_conv (self->expressions, module,
                                  kernel, stride, pad,
                                  y10_onnx_integer (node, "group", 1),
                                  y10_onnx_id (self, x)),
      dim, 4);
}

static Value *
eval_same (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_value (self, node, 0);

  return x ? y10_onnx_copy (x) : NULL;
}

/* Of features, a Cast to integers would round. */
static Value *
eval_cast (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_value (self, node, 0);

  return x && (x->kind == Y10_ONNX_NUMBERS || y10_onnx_is_float_cast (node))
      ? y10_onnx_copy (x)
      : NULL;
}

/* The reader gave its constants to the convolution before it. */
static Value *
eval_norm (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);
  const Node *conv = g_hash_table_lookup (self->graph->producers,
      y10_onnx_input (node, 0));

  return x && conv && !strcmp (conv->op, "Conv")
          && !y10_onnx_integer (node, "training_mode", 0)
      ? y10_onnx_expression (y10_expressions_intern (self->expressions,
                                 "norm %u", y10_onnx_id (self, x)),
          x->dim, x->n_dims)
      : NULL;
}

static Value *
eval_sigmoid (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);

  return x ? y10_onnx_expression (y10_expressions_intern (self->expressions,
                                      "sigmoid %u", y10_onnx_id (self, x)),
             x->dim, x->n_dims)
           : NULL;
}

static gboolean
same_dims (const Value *a, const Value *b)
{
  return a->n_dims == b->n_dims
      && !memcmp (a->dim, b->dim, a->n_dims * sizeof *a->dim);
}

static Value *
eval_product (Values *self, const Value *a, const Value *b)
{
  Y10Expressions *e = self->expressions;
  guint x = y10_onnx_id (self, a), y = y10_onnx_id (self, b);

  if (!same_dims (a, b))
    return NULL;
  if (y10_expressions_find (e, "sigmoid %u", x) == y)
    return y10_onnx_expression (y10_expressions_intern (e, "silu %u", x),
        a->dim, a->n_dims);
  if (y10_expressions_find (e, "sigmoid %u", y) == x)
    return y10_onnx_expression (y10_expressions_intern (e, "silu %u", y),
        a->dim, a->n_dims);
  return NULL;
}

/* Add, Sub, Mul, Div */
static Value *
eval_arithmetic (Values *self, const Node *node)
{
  const char op = node->op[0] == 'A' ? '+'
      : node->op[0] == 'S'           ? '-'
      : node->op[0] == 'M'           ? '*'
                                     : '/';
  const Value *a = y10_onnx_input_value (self, node, 0),
              *b = y10_onnx_input_value (self, node, 1);

  if (!a || !b || a->kind == Y10_ONNX_UNKNOWN || b->kind == Y10_ONNX_UNKNOWN)
    return NULL;
  if (a->kind == Y10_ONNX_NUMBERS && b->kind == Y10_ONNX_NUMBERS)
    return y10_onnx_eval_numbers (op, a, b);
  if (a->kind == Y10_ONNX_NUMBERS && op != '/' && op != '-') {
    const Value *swap = a;

    a = b;
    b = swap;
  }
  if (a->kind == Y10_ONNX_FEATURES && b->kind == Y10_ONNX_NUMBERS && b->n == 1
      && (op == '*' || op == '/') && b->number[0] && isfinite (b->number[0]))
    return scaled (y10_onnx_copy (a),
        op == '*' ? a->scale * b->number[0] : a->scale / b->number[0]);
  if (a->kind != Y10_ONNX_FEATURES || b->kind != Y10_ONNX_FEATURES)
    return NULL;
  if (op == '*')
    return eval_product (self, a, b);
  return op == '+' && same_dims (a, b)
      ? y10_onnx_expression (y10_expressions_add (self->expressions,
                                 y10_onnx_id (self, a), y10_onnx_id (self, b)),
          a->dim, a->n_dims)
      : NULL;
}

static Value *
eval_concat (Values *self, const Node *node)
{
  const Value *first = y10_onnx_input_value (self, node, 0);
  Y10Pieces *pieces;
  gint64 dim[4];
  guint axis;

  if (!first || first->kind == Y10_ONNX_UNKNOWN)
    return NULL;
  if (first->kind == Y10_ONNX_NUMBERS)
    return y10_onnx_concat_numbers (self, node);
  if (first->n_dims != 4
      || !get_axis (y10_onnx_integer (node, "axis", -1), 4, &axis) || axis != 1)
    return NULL;
  memcpy (dim, first->dim, sizeof dim);
  dim[1] = 0;
  pieces = g_array_new (FALSE, FALSE, sizeof (Y10Piece));
  for (guint i = 0; i < node->in->len; i++) {
    const Value *x = y10_onnx_input_of_kind (self, node, i, Y10_ONNX_FEATURES);

    if (!x || x->n_dims != 4 || x->scale != 1 || x->dim[0] != dim[0]
        || x->dim[2] != dim[2] || x->dim[3] != dim[3]
        || pieces->len + x->pieces->len > MAX_PIECES) {
      g_array_unref (pieces);
      return NULL;
    }
    for (guint p = 0; p < x->pieces->len; p++)
      y10_pieces_append (pieces, &g_array_index (x->pieces, Y10Piece, p));
    dim[1] += x->dim[1];
  }
  return y10_onnx_features (pieces, dim, 4);
}

static Value *
cut (const Values *self, const Value *x, guint axis, gint64 first, gint64 last)
{
  gint64 dim[Y10_ONNX_MAX_DIMS];

  memcpy (dim, x->dim, sizeof dim);
  dim[axis] = last - first;
  if (x->kind == Y10_ONNX_NUMBERS) {
    Value *v = y10_onnx_numbers (last - first);

    memcpy (v->number, x->number + first, v->n * sizeof *v->number);
    return v;
  }
  if (dim[axis] == x->dim[axis])
    return y10_onnx_copy (x);
  if (axis == 1 && x->n_dims == 4)
    return scaled (y10_onnx_features (y10_pieces_cut (x->pieces, first, last),
                       dim, 4),
        x->scale);
  return scaled (y10_onnx_expression (y10_expressions_intern (self->expressions,
                                          "slice %u %" G_GINT64_FORMAT
                                          " %" G_GINT64_FORMAT " %u",
                                          axis, first, last,
                                          y10_onnx_unscaled_id (self, x)),
                     dim, x->n_dims),
      x->scale);
}

/* One number of an input, or since it became one of an attribute. */
static gboolean
get_number (Values *self, const Node *node, guint i, const char *attribute,
    gint64 *number)
{
  const Value *v = y10_onnx_input_of_kind (self, node, i, Y10_ONNX_NUMBERS);
  const Y10OnnxAttribute *a = y10_onnx_attribute (node, attribute);

  if (v && v->n == 1)
    *number = y10_onnx_to_integer (v->number[0]);
  else if (!*y10_onnx_input (node, i) && a && a->n_integers == 1)
    *number = a->integers[0];
  else
    return FALSE;
  return TRUE;
}

static Value *
eval_slice (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_value (self, node, 0);
  gint64 first, last, axis = 0, step = 1;
  guint d;

  if (!x || x->kind == Y10_ONNX_UNKNOWN
      || !get_number (self, node, 1, "starts", &first)
      || !get_number (self, node, 2, "ends", &last))
    return NULL;
  if (!get_number (self, node, 3, "axes", &axis)
      && (*y10_onnx_input (node, 3) || x->n_dims != 1))
    return NULL;
  if ((*y10_onnx_input (node, 4) && !get_number (self, node, 4, "steps", &step))
      || step != 1 || !get_axis (axis, x->n_dims, &d)
      || (x->kind == Y10_ONNX_NUMBERS && x->n_dims != 1))
    return NULL;
  first = CLAMP (first < 0 ? first + x->dim[d] : first, 0, x->dim[d]);
  last = CLAMP (last < 0 ? last + x->dim[d] : last, 0, x->dim[d]);
  return first < last ? cut (self, x, d, first, last) : NULL;
}

/* Output @i of a Split. */
static Value *
eval_split (Values *self, const Node *node, guint i)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);
  const Value *sizes = y10_onnx_input_of_kind (self, node, 1, Y10_ONNX_NUMBERS);
  const Y10OnnxAttribute *list = y10_onnx_attribute (node, "split");
  gint64 first = 0, size = 0, n = node->out->len;
  guint axis;

  if (!x || !get_axis (y10_onnx_integer (node, "axis", 0), x->n_dims, &axis)
      || (sizes && sizes->n != n) || (list && list->n_integers != n)
      || (!sizes && *y10_onnx_input (node, 1)))
    return NULL;
  for (guint k = 0; k <= i; k++) {
    first += size;
    size = sizes ? y10_onnx_to_integer (sizes->number[k])
        : list   ? list->integers[k]
                 : (x->dim[axis] + n - 1) / n;
    if (!sizes && !list)
      size = MIN (size, x->dim[axis] - first);
    if (size < 1 || size > x->dim[axis] - first)
      return NULL;
  }
  return cut (self, x, axis, first, first + size);
}

/* One part of a SplitToSequence, which PyTorch's newer exporter writes for a
 * Split: a scalar is the size of every part but the last. */
static Value *
eval_sequence_at (Values *self, const Node *node)
{
  const Node *split = g_hash_table_lookup (self->graph->producers,
      y10_onnx_input (node, 0));
  const Value *at = y10_onnx_input_of_kind (self, node, 1, Y10_ONNX_NUMBERS);
  const Value *x, *sizes;
  gint64 first = 0, size = 0, i;
  guint axis;

  if (!split || strcmp (split->op, "SplitToSequence") || *split->domain || !at
      || at->n != 1)
    return NULL;
  x = y10_onnx_input_of_kind (self, split, 0, Y10_ONNX_FEATURES);
  sizes = y10_onnx_input_of_kind (self, split, 1, Y10_ONNX_NUMBERS);
  i = y10_onnx_to_integer (at->number[0]);
  if (!x || !sizes || i < 0 || i >= Y10_ONNX_MAX_VALUES
      || !get_axis (y10_onnx_integer (split, "axis", 0), x->n_dims, &axis)
      || (sizes->n_dims && i >= sizes->n))
    return NULL;
  for (gint64 k = 0; k <= i; k++) {
    first += size;
    size = y10_onnx_to_integer (sizes->number[sizes->n_dims ? k : 0]);
    if (!sizes->n_dims)
      size = MIN (size, x->dim[axis] - first);
    if (size < 1 || size > x->dim[axis] - first)
      return NULL;
  }
  return cut (self, x, axis, first, first + size);
}

static Value *
eval_max_pool (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);

  if (!x || x->n_dims != 4 || !all_are (node, "kernel_shape", 5, FALSE)
      || !all_are (node, "pads", 2, FALSE)
      || !all_are (node, "strides", 1, TRUE)
      || !all_are (node, "dilations", 1, TRUE)
      || y10_onnx_integer (node, "ceil_mode", 0)
      || !is_text (node, "auto_pad", "NOTSET", TRUE))
    return NULL;
  return y10_onnx_expression (y10_expressions_intern (self->expressions,
                                  "maxpool 5 %u", y10_onnx_id (self, x)),
      x->dim, 4);
}

/* Of the ways to round a coordinate, which for a factor of 2 give the pixel
 * that holds it. */
static gboolean
rounds_down (const Node *node)
{
  if (!strcmp (node->op, "Upsample")
      || is_text (node, "coordinate_transformation_mode", "asymmetric", FALSE))
    return !strcmp (node->op, "Upsample")
        || is_text (node, "nearest_mode", "floor", FALSE);
  return (is_text (node, "coordinate_transformation_mode", "half_pixel", TRUE)
             || is_text (node, "coordinate_transformation_mode",
                 "pytorch_half_pixel", FALSE))
      && (is_text (node, "nearest_mode", "round_prefer_floor", TRUE)
          || is_text (node, "nearest_mode", "round_prefer_ceil", FALSE));
}

/* Resize, Upsample */
static Value *
eval_resize (Values *self, const Node *node)
{
  const gboolean old = !strcmp (node->op, "Upsample");
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);
  const Value *scales = y10_onnx_input_of_kind (self, node, old ? 1 : 2,
      Y10_ONNX_NUMBERS);
  const Value *sizes = y10_onnx_input_of_kind (self, node, 3, Y10_ONNX_NUMBERS);
  gint64 dim[4];

  if (!x || x->n_dims != 4 || !is_text (node, "mode", "nearest", TRUE)
      || !rounds_down (node) || y10_onnx_attribute (node, "axes"))
    return NULL;
  if (sizes ? sizes->n != 4 : !scales || scales->n != 4)
    return NULL;
  for (guint i = 0; i < 4; i++) {
    gdouble size = sizes ? sizes->number[i] : x->dim[i] * scales->number[i];

    dim[i] = i < 2 ? x->dim[i] : 2 * x->dim[i];
    if (size != (gdouble) dim[i])
      return NULL;
  }
  return y10_onnx_expression (y10_expressions_intern (self->expressions,
                                  "upsample2x %u", y10_onnx_id (self, x)),
      dim, 4);
}

static Value *
reshape (const Values *self, const Value *x, const gint64 *dim, guint n_dims)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (n_dims == x->n_dims && !memcmp (dim, x->dim, n_dims * sizeof *dim))
    return y10_onnx_copy (x);
  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? "x" : "", dim[i]);
  return scaled (y10_onnx_expression (y10_expressions_intern (self->expressions,
                                          "reshape %s %u", text->str,
                                          y10_onnx_unscaled_id (self, x)),
                     dim, n_dims),
      x->scale);
}

static Value *
eval_reshape (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_value (self, node, 0);
  const Value *shape = y10_onnx_input_of_kind (self, node, 1, Y10_ONNX_NUMBERS);
  gint64 dim[Y10_ONNX_MAX_DIMS], all = 1, known = 1;
  gint missing = -1;

  if (!x || x->kind == Y10_ONNX_UNKNOWN || !shape)
    return NULL;
  if (x->kind == Y10_ONNX_NUMBERS)
    return y10_onnx_copy (x);
  if (!shape->n || shape->n > Y10_ONNX_MAX_DIMS)
    return NULL;
  for (guint i = 0; i < x->n_dims; i++)
    all *= x->dim[i];
  for (guint i = 0; i < shape->n; i++) {
    gdouble size = shape->number[i];

    if (!(size >= -1 && size <= Y10_ONNX_MAX_DIM)
        || (size == 0 && i >= x->n_dims) || (size == -1 && missing >= 0))
      return NULL;
    dim[i] = size == 0 ? x->dim[i] : (gint64) size;
    if (size == -1)
      missing = (gint) i;
    else if (dim[i] > G_MAXINT32 / known)
      return NULL;
    else
      known *= dim[i];
  }
  if (missing >= 0 && known)
    dim[missing] = all / known;
  if (known * (missing >= 0 ? dim[missing] : 1) != all)
    return NULL;
  return reshape (self, x, dim, shape->n);
}

static Value *
eval_transpose (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);
  const Y10OnnxAttribute *perm = y10_onnx_attribute (node, "perm");
  char text[Y10_ONNX_MAX_DIMS + 1] = "";
  gint64 dim[Y10_ONNX_MAX_DIMS];

  if (!x || !perm || perm->n_integers != x->n_dims)
    return NULL;
  for (guint i = 0; i < x->n_dims; i++) {
    if (perm->integers[i] < 0 || perm->integers[i] >= x->n_dims)
      return NULL;
    dim[i] = x->dim[perm->integers[i]];
    text[i] = (char) ('0' + perm->integers[i]);
  }
  return scaled (y10_onnx_expression (y10_expressions_intern (self->expressions,
                                          "transpose %s %u", text,
                                          y10_onnx_unscaled_id (self, x)),
                     dim, x->n_dims),
      x->scale);
}

static Value *
eval_mat_mul (Values *self, const Node *node)
{
  const Value *a = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);
  const Value *b = y10_onnx_input_of_kind (self, node, 1, Y10_ONNX_FEATURES);
  gint64 dim[4];

  if (!a || !b || a->n_dims != 4 || b->n_dims != 4 || a->dim[3] != b->dim[2]
      || a->dim[0] != b->dim[0] || a->dim[1] != b->dim[1])
    return NULL;
  memcpy (dim, a->dim, sizeof dim);
  dim[3] = b->dim[3];
  return scaled (y10_onnx_expression (y10_expressions_intern (self->expressions,
                                          "matmul %u %u",
                                          y10_onnx_unscaled_id (self, a),
                                          y10_onnx_unscaled_id (self, b)),
                     dim, 4),
      a->scale * b->scale);
}

static Value *
eval_softmax (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);
  guint axis;

  if (!x || !get_axis (y10_onnx_integer (node, "axis", -1), x->n_dims, &axis))
    return NULL;
  return y10_onnx_expression (y10_expressions_intern (self->expressions,
                                  "softmax %u %u", axis, y10_onnx_id (self, x)),
      x->dim, x->n_dims);
}

static const struct
{
  const char *op;
  Value *(*eval) (Values *self, const Node *node);
} operators[] = {
  { "Conv", eval_conv },
  { "BatchNormalization", eval_norm },
  { "Sigmoid", eval_sigmoid },
  { "Mul", eval_arithmetic },
  { "Add", eval_arithmetic },
  { "Sub", eval_arithmetic },
  { "Div", eval_arithmetic },
  { "Concat", eval_concat },
  { "Slice", eval_slice },
  { "MaxPool", eval_max_pool },
  { "Resize", eval_resize },
  { "Upsample", eval_resize },
  { "Reshape", eval_reshape },
  { "Transpose", eval_transpose },
  { "MatMul", eval_mat_mul },
  { "SequenceAt", eval_sequence_at },
  { "Softmax", eval_softmax },
  { "Shape", y10_onnx_eval_shape },
  { "Gather", y10_onnx_eval_gather },
  { "Squeeze", y10_onnx_eval_squeeze },
  { "Unsqueeze", y10_onnx_eval_squeeze },
  { "Identity", eval_same },
  { "Cast", eval_cast },
  { "Floor", y10_onnx_eval_floor },
};

Value *
y10_onnx_eval (Values *self, const Node *node, guint output)
{
  if (*node->domain && strcmp (node->domain, "ai.onnx"))
    return NULL;
  if (!strcmp (node->op, "Split"))
    return eval_split (self, node, output);
  for (guint i = 0; !output && i < G_N_ELEMENTS (operators); i++)
    if (!strcmp (node->op, operators[i].op))
      return operators[i].eval (self, node);
  return NULL;
}
