/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Evaluates the nodes of an ONNX graph in their order, which the format requires
 * to be that of the data. Operators are those of the exports of YOLOv10; any
 * other one, or an attribute that changes what it computes, makes the outputs
 * unknown, which matters only if a convolution of the network reads them. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "model/onnx-values.h"

#define MAX_DIMS 6
/* Of a concat; a C2f of yolov10x has 8. */
#define MAX_PIECES 32
/* Of one dimension and of all; products of two dimensions do not overflow. */
#define MAX_DIM (1 << 24)
#define MAX_ELEMENTS ((gint64) 1 << 40)

typedef enum
{
  UNKNOWN,
  NUMBERS,
  FEATURES,
} Kind;

typedef struct
{
  Kind kind;
  const Y10OnnxNode *culprit;   /* UNKNOWN: where it began */
  guint n_dims;
  gint64 dim[MAX_DIMS];
  guint n;                      /* NUMBERS */
  gdouble *number;
  Y10Pieces *pieces;            /* FEATURES: along dim[1] */
  gdouble scale;                /* FEATURES: that they are multiplied by */
} Value;

struct _Y10OnnxValues
{
  const Y10OnnxGraph *graph;
  Y10Expressions *expressions;
  GHashTable *by_name;          /* Value; the names are the graph's */
  GHashTable *modules;          /* node → module */
};

typedef Y10OnnxValues Values;
typedef Y10OnnxNode Node;

static void
value_free (gpointer p)
{
  Value *v = p;

  g_free (v->number);
  g_clear_pointer (&v->pieces, g_array_unref);
  g_free (v);
}

static Value *
unknown (const Node *culprit)
{
  Value *v = g_new0 (Value, 1);

  v->culprit = culprit;
  return v;
}

static Value *
numbers (guint n)
{
  Value *v = g_new0 (Value, 1);

  v->kind = NUMBERS;
  v->n = n;
  v->number = g_new0 (gdouble, n);
  v->n_dims = 1;
  v->dim[0] = n;
  return v;
}

/* Takes @pieces. */
static Value *
features (Y10Pieces *pieces, const gint64 *dim, guint n_dims)
{
  Value *v = g_new0 (Value, 1);

  v->kind = FEATURES;
  v->pieces = pieces;
  v->scale = 1;
  v->n_dims = n_dims;
  memcpy (v->dim, dim, n_dims * sizeof *dim);
  return v;
}

static Value *
expression (guint id, const gint64 *dim, guint n_dims)
{
  return features (y10_pieces_new (id, n_dims > 1 ? dim[1] : 1), dim, n_dims);
}

static Value *
copy (const Value *v)
{
  Value *c = g_memdup2 (v, sizeof *v);

  c->number = g_memdup2 (v->number, v->n * sizeof *v->number);
  c->pieces = v->pieces ? g_array_copy (v->pieces) : NULL;
  return c;
}

static Value *
constant (const Y10OnnxTensor *t)
{
  Value *v;

  if (!t->n_values || t->n_dims > MAX_DIMS)
    return NULL;
  v = numbers (t->n_values);
  memcpy (v->number, t->values, t->n_values * sizeof *t->values);
  v->n_dims = t->n_dims;
  memcpy (v->dim, t->dim, t->n_dims * sizeof *t->dim);
  return v;
}

/* Input @i; NULL: not given, or a constant that is no shape. */
static const Value *
input (Values *self, const Node *node, guint i)
{
  const char *name = y10_onnx_input (node, i);
  const Y10OnnxTensor *t;
  Value *v;

  v = *name ? g_hash_table_lookup (self->by_name, name) : NULL;
  if (v || !*name)
    return v;
  t = g_hash_table_lookup (self->graph->tensors, name);
  v = t ? constant (t) : NULL;
  if (v)
    g_hash_table_insert (self->by_name, (gpointer) t->name, v);
  return v;
}

static const Value *
input_of_kind (Values *self, const Node *node, guint i, Kind kind)
{
  const Value *v = input (self, node, i);

  return v && v->kind == kind ? v : NULL;
}

/* Without its scale, which linear operators pass on: exporters move it. */
static guint
unscaled_id_of (const Values *self, const Value *v)
{
  return y10_expressions_join (self->expressions, v->pieces);
}

static guint
id_of (const Values *self, const Value *v)
{
  guint id = unscaled_id_of (self, v);

  return v->scale == 1 ? id
      : y10_expressions_scale (self->expressions, id, v->scale);
}

/* Sets the scale of @v, which may be NULL. */
static Value *
scaled (Value *v, gdouble scale)
{
  if (v)
    v->scale = scale;
  return v;
}

static gint64
integer (const Node *node, const char *name, gint64 otherwise)
{
  const Y10OnnxAttribute *a = y10_onnx_attribute (node, name);

  return a ? a->integer : otherwise;
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
all_are (const Node *node, const char *name, gint64 value,
    gboolean otherwise)
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
  const Value *x = input_of_kind (self, node, 0, FEATURES);
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
  return expression (y10_expressions_conv (self->expressions, module, kernel,
          stride, pad, integer (node, "group", 1), id_of (self, x)), dim, 4);
}

static Value *
eval_same (Values *self, const Node *node)
{
  const Value *x = input (self, node, 0);

  return x ? copy (x) : NULL;
}

/* A shape that is computed in floating point. */
static Value *
eval_floor (Values *self, const Node *node)
{
  const Value *x = input_of_kind (self, node, 0, NUMBERS);
  Value *v = x ? copy (x) : NULL;

  for (guint i = 0; v && i < v->n; i++)
    v->number[i] = floor (v->number[i]);
  return v;
}

/* Of features, a Cast to integers would round. */
static Value *
eval_cast (Values *self, const Node *node)
{
  const Value *x = input (self, node, 0);

  return x && (x->kind == NUMBERS || y10_onnx_is_float_cast (node))
      ? copy (x) : NULL;
}

/* The reader gave its constants to the convolution before it. */
static Value *
eval_norm (Values *self, const Node *node)
{
  const Value *x = input_of_kind (self, node, 0, FEATURES);
  const Node *conv = g_hash_table_lookup (self->graph->producers,
      y10_onnx_input (node, 0));

  return x && conv && !strcmp (conv->op, "Conv")
      && !integer (node, "training_mode", 0)
      ? expression (y10_expressions_intern (self->expressions, "norm %u",
          id_of (self, x)), x->dim, x->n_dims) : NULL;
}

static Value *
eval_sigmoid (Values *self, const Node *node)
{
  const Value *x = input_of_kind (self, node, 0, FEATURES);

  return x ? expression (y10_expressions_intern (self->expressions,
          "sigmoid %u", id_of (self, x)), x->dim, x->n_dims) : NULL;
}

static gboolean
same_dims (const Value *a, const Value *b)
{
  return a->n_dims == b->n_dims
      && !memcmp (a->dim, b->dim, a->n_dims * sizeof *a->dim);
}

static gdouble
calculate (char op, gdouble a, gdouble b)
{
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return b ? trunc (a / b) : 0;     /* shapes are integers */
  }
}

static Value *
eval_numbers (char op, const Value *a, const Value *b)
{
  Value *v;

  if (a->n != b->n && a->n != 1 && b->n != 1)
    return NULL;
  v = copy (a->n >= b->n ? a : b);
  for (guint i = 0; i < v->n; i++)
    v->number[i] = calculate (op, a->number[a->n == 1 ? 0 : i],
        b->number[b->n == 1 ? 0 : i]);
  return v;
}

static Value *
eval_product (Values *self, const Value *a, const Value *b)
{
  Y10Expressions *e = self->expressions;
  guint x = id_of (self, a), y = id_of (self, b);

  if (!same_dims (a, b))
    return NULL;
  if (y10_expressions_find (e, "sigmoid %u", x) == y)
    return expression (y10_expressions_intern (e, "silu %u", x), a->dim,
        a->n_dims);
  if (y10_expressions_find (e, "sigmoid %u", y) == x)
    return expression (y10_expressions_intern (e, "silu %u", y), a->dim,
        a->n_dims);
  return NULL;
}

/* Add, Sub, Mul, Div */
static Value *
eval_arithmetic (Values *self, const Node *node)
{
  const char op = node->op[0] == 'A' ? '+' : node->op[0] == 'S' ? '-'
      : node->op[0] == 'M' ? '*' : '/';
  const Value *a = input (self, node, 0), *b = input (self, node, 1);

  if (!a || !b || a->kind == UNKNOWN || b->kind == UNKNOWN)
    return NULL;
  if (a->kind == NUMBERS && b->kind == NUMBERS)
    return eval_numbers (op, a, b);
  if (a->kind == NUMBERS && op != '/' && op != '-') {
    const Value *swap = a;

    a = b;
    b = swap;
  }
  if (a->kind == FEATURES && b->kind == NUMBERS && b->n == 1
      && (op == '*' || op == '/') && b->number[0] && isfinite (b->number[0]))
    return scaled (copy (a), op == '*' ? a->scale * b->number[0]
        : a->scale / b->number[0]);
  if (a->kind != FEATURES || b->kind != FEATURES)
    return NULL;
  if (op == '*')
    return eval_product (self, a, b);
  return op == '+' && same_dims (a, b)
      ? expression (y10_expressions_add (self->expressions, id_of (self, a),
          id_of (self, b)), a->dim, a->n_dims) : NULL;
}

static Value *
concat_numbers (Values *self, const Node *node)
{
  Value *v = numbers (0);

  for (guint i = 0; i < node->in->len; i++) {
    const Value *x = input_of_kind (self, node, i, NUMBERS);

    if (!x || v->n + x->n > Y10_ONNX_MAX_VALUES) {
      value_free (v);
      return NULL;
    }
    v->number = g_renew (gdouble, v->number, v->n + x->n);
    memcpy (v->number + v->n, x->number, x->n * sizeof *x->number);
    v->n += x->n;
  }
  v->dim[0] = v->n;
  return v;
}

static Value *
eval_concat (Values *self, const Node *node)
{
  const Value *first = input (self, node, 0);
  Y10Pieces *pieces;
  gint64 dim[4];
  guint axis;

  if (!first || first->kind == UNKNOWN)
    return NULL;
  if (first->kind == NUMBERS)
    return concat_numbers (self, node);
  if (first->n_dims != 4 || !get_axis (integer (node, "axis", -1), 4, &axis)
      || axis != 1)
    return NULL;
  memcpy (dim, first->dim, sizeof dim);
  dim[1] = 0;
  pieces = g_array_new (FALSE, FALSE, sizeof (Y10Piece));
  for (guint i = 0; i < node->in->len; i++) {
    const Value *x = input_of_kind (self, node, i, FEATURES);

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
  return features (pieces, dim, 4);
}

static Value *
cut (const Values *self, const Value *x, guint axis, gint64 first,
    gint64 last)
{
  gint64 dim[MAX_DIMS];

  memcpy (dim, x->dim, sizeof dim);
  dim[axis] = last - first;
  if (x->kind == NUMBERS) {
    Value *v = numbers (last - first);

    memcpy (v->number, x->number + first, v->n * sizeof *v->number);
    return v;
  }
  if (dim[axis] == x->dim[axis])
    return copy (x);
  if (axis == 1 && x->n_dims == 4)
    return scaled (features (y10_pieces_cut (x->pieces, first, last), dim, 4),
        x->scale);
  return scaled (expression (y10_expressions_intern (self->expressions,
              "slice %u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %u", axis,
              first, last, unscaled_id_of (self, x)), dim, x->n_dims),
      x->scale);
}

/* One number of an input, or since it became one of an attribute. */
static gboolean
get_number (Values *self, const Node *node, guint i, const char *attribute,
    gint64 *number)
{
  const Value *v = input_of_kind (self, node, i, NUMBERS);
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
  const Value *x = input (self, node, 0);
  gint64 first, last, axis = 0, step = 1;
  guint d;

  if (!x || x->kind == UNKNOWN
      || !get_number (self, node, 1, "starts", &first)
      || !get_number (self, node, 2, "ends", &last))
    return NULL;
  if (!get_number (self, node, 3, "axes", &axis)
      && (*y10_onnx_input (node, 3) || x->n_dims != 1))
    return NULL;
  if ((*y10_onnx_input (node, 4)
          && !get_number (self, node, 4, "steps", &step)) || step != 1
      || !get_axis (axis, x->n_dims, &d)
      || (x->kind == NUMBERS && x->n_dims != 1))
    return NULL;
  first = CLAMP (first < 0 ? first + x->dim[d] : first, 0, x->dim[d]);
  last = CLAMP (last < 0 ? last + x->dim[d] : last, 0, x->dim[d]);
  return first < last ? cut (self, x, d, first, last) : NULL;
}

/* Output @i of a Split. */
static Value *
eval_split (Values *self, const Node *node, guint i)
{
  const Value *x = input_of_kind (self, node, 0, FEATURES);
  const Value *sizes = input_of_kind (self, node, 1, NUMBERS);
  const Y10OnnxAttribute *list = y10_onnx_attribute (node, "split");
  gint64 first = 0, size = 0, n = node->out->len;
  guint axis;

  if (!x || !get_axis (integer (node, "axis", 0), x->n_dims, &axis)
      || (sizes && sizes->n != n) || (list && list->n_integers != n)
      || (!sizes && *y10_onnx_input (node, 1)))
    return NULL;
  for (guint k = 0; k <= i; k++) {
    first += size;
    size = sizes ? y10_onnx_to_integer (sizes->number[k]) : list ? list->integers[k]
        : (x->dim[axis] + n - 1) / n;
    if (!sizes && !list)
      size = MIN (size, x->dim[axis] - first);
    if (size < 1 || size > x->dim[axis] - first)
      return NULL;
  }
  return cut (self, x, axis, first, first + size);
}

static Value *
eval_max_pool (Values *self, const Node *node)
{
  const Value *x = input_of_kind (self, node, 0, FEATURES);

  if (!x || x->n_dims != 4 || !all_are (node, "kernel_shape", 5, FALSE)
      || !all_are (node, "pads", 2, FALSE)
      || !all_are (node, "strides", 1, TRUE)
      || !all_are (node, "dilations", 1, TRUE)
      || integer (node, "ceil_mode", 0)
      || !is_text (node, "auto_pad", "NOTSET", TRUE))
    return NULL;
  return expression (y10_expressions_intern (self->expressions,
          "maxpool 5 %u", id_of (self, x)), x->dim, 4);
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
  const Value *x = input_of_kind (self, node, 0, FEATURES);
  const Value *scales = input_of_kind (self, node, old ? 1 : 2, NUMBERS);
  const Value *sizes = input_of_kind (self, node, 3, NUMBERS);
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
  return expression (y10_expressions_intern (self->expressions,
          "upsample2x %u", id_of (self, x)), dim, 4);
}

static Value *
reshape (const Values *self, const Value *x, const gint64 *dim, guint n_dims)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (n_dims == x->n_dims && !memcmp (dim, x->dim, n_dims * sizeof *dim))
    return copy (x);
  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? "x" : "", dim[i]);
  return scaled (expression (y10_expressions_intern (self->expressions,
              "reshape %s %u", text->str, unscaled_id_of (self, x)), dim,
          n_dims), x->scale);
}

static Value *
eval_reshape (Values *self, const Node *node)
{
  const Value *x = input (self, node, 0);
  const Value *shape = input_of_kind (self, node, 1, NUMBERS);
  gint64 dim[MAX_DIMS], all = 1, known = 1;
  gint missing = -1;

  if (!x || x->kind == UNKNOWN || !shape)
    return NULL;
  if (x->kind == NUMBERS)
    return copy (x);
  if (!shape->n || shape->n > MAX_DIMS)
    return NULL;
  for (guint i = 0; i < x->n_dims; i++)
    all *= x->dim[i];
  for (guint i = 0; i < shape->n; i++) {
    gdouble size = shape->number[i];

    if (!(size >= -1 && size <= MAX_DIM) || (size == 0 && i >= x->n_dims)
        || (size == -1 && missing >= 0))
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
  const Value *x = input_of_kind (self, node, 0, FEATURES);
  const Y10OnnxAttribute *perm = y10_onnx_attribute (node, "perm");
  char text[MAX_DIMS + 1] = "";
  gint64 dim[MAX_DIMS];

  if (!x || !perm || perm->n_integers != x->n_dims)
    return NULL;
  for (guint i = 0; i < x->n_dims; i++) {
    if (perm->integers[i] < 0 || perm->integers[i] >= x->n_dims)
      return NULL;
    dim[i] = x->dim[perm->integers[i]];
    text[i] = (char) ('0' + perm->integers[i]);
  }
  return scaled (expression (y10_expressions_intern (self->expressions,
              "transpose %s %u", text, unscaled_id_of (self, x)), dim,
          x->n_dims), x->scale);
}

static Value *
eval_mat_mul (Values *self, const Node *node)
{
  const Value *a = input_of_kind (self, node, 0, FEATURES);
  const Value *b = input_of_kind (self, node, 1, FEATURES);
  gint64 dim[4];

  if (!a || !b || a->n_dims != 4 || b->n_dims != 4 || a->dim[3] != b->dim[2]
      || a->dim[0] != b->dim[0] || a->dim[1] != b->dim[1])
    return NULL;
  memcpy (dim, a->dim, sizeof dim);
  dim[3] = b->dim[3];
  return scaled (expression (y10_expressions_intern (self->expressions,
              "matmul %u %u", unscaled_id_of (self, a),
              unscaled_id_of (self, b)), dim, 4), a->scale * b->scale);
}

static Value *
eval_softmax (Values *self, const Node *node)
{
  const Value *x = input_of_kind (self, node, 0, FEATURES);
  guint axis;

  if (!x || !get_axis (integer (node, "axis", -1), x->n_dims, &axis))
    return NULL;
  return expression (y10_expressions_intern (self->expressions,
          "softmax %u %u", axis, id_of (self, x)), x->dim, x->n_dims);
}

static Value *
eval_shape (Values *self, const Node *node)
{
  const Value *x = input_of_kind (self, node, 0, FEATURES);
  gint64 first = integer (node, "start", 0), last;
  Value *v;

  if (!x)
    return NULL;
  last = integer (node, "end", x->n_dims);
  if (first < 0 || last > x->n_dims || first >= last)
    return NULL;
  v = numbers (last - first);
  for (guint i = 0; i < v->n; i++)
    v->number[i] = (gdouble) x->dim[first + i];
  return v;
}

static Value *
eval_gather (Values *self, const Node *node)
{
  const Value *x = input_of_kind (self, node, 0, NUMBERS);
  const Value *indices = input_of_kind (self, node, 1, NUMBERS);
  Value *v;

  if (!x || !indices)
    return NULL;
  v = copy (indices);
  for (guint i = 0; i < v->n; i++) {
    gdouble at = v->number[i] < 0 ? v->number[i] + x->n : v->number[i];

    if (!(at >= 0 && at < x->n)) {
      value_free (v);
      return NULL;
    }
    v->number[i] = x->number[(guint) at];
  }
  return v;
}

/* Squeeze, Unsqueeze: of shapes, whose dimensions nobody asks for. */
static Value *
eval_squeeze (Values *self, const Node *node)
{
  const Value *x = input_of_kind (self, node, 0, NUMBERS);
  Value *v = x ? copy (x) : NULL;

  if (v) {
    v->n_dims = 1;
    v->dim[0] = v->n;
  }
  return v;
}

static const struct
{
  const char *op;
  Value *(*eval) (Values * self, const Node * node);
} operators[] = {
  {"Conv", eval_conv}, {"BatchNormalization", eval_norm},
  {"Sigmoid", eval_sigmoid}, {"Mul", eval_arithmetic},
  {"Add", eval_arithmetic}, {"Sub", eval_arithmetic},
  {"Div", eval_arithmetic}, {"Concat", eval_concat}, {"Slice", eval_slice},
  {"MaxPool", eval_max_pool}, {"Resize", eval_resize},
  {"Upsample", eval_resize}, {"Reshape", eval_reshape},
  {"Transpose", eval_transpose}, {"MatMul", eval_mat_mul},
  {"Softmax", eval_softmax}, {"Shape", eval_shape}, {"Gather", eval_gather},
  {"Squeeze", eval_squeeze}, {"Unsqueeze", eval_squeeze},
  {"Identity", eval_same}, {"Cast", eval_cast}, {"Floor", eval_floor},
};

/* Where an unknown value of @node began. */
static const Node *
find_culprit (Values *self, const Node *node)
{
  for (guint i = 0; i < node->in->len; i++) {
    const Value *v = input (self, node, i);

    if (v && v->kind == UNKNOWN)
      return v->culprit;
  }
  return node;
}

static Value *
eval (Values *self, const Node *node, guint output)
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

/* Operators rely on this of what they read. */
static gboolean
has_valid_dims (const Value *v)
{
  gint64 all = 1;

  for (guint i = 0; i < v->n_dims; i++) {
    if (v->dim[i] < 1 || v->dim[i] > MAX_DIM)
      return FALSE;
    all *= v->dim[i];
    if (all > MAX_ELEMENTS)
      return FALSE;
  }
  return TRUE;
}

static void
eval_outputs (Values *self, const Node *node)
{
  for (guint i = 0; i < node->out->len; i++) {
    const char *name = node->out->pdata[i];
    Value *v;

    if (!*name || g_hash_table_contains (self->by_name, name)
        || g_hash_table_contains (self->graph->tensors, name))
      continue;
    v = eval (self, node, i);
    if (v && v->kind == FEATURES && (!has_valid_dims (v) || !id_of (self, v))) {
      value_free (v);
      v = NULL;
    }
    g_hash_table_insert (self->by_name, (gpointer) name,
        v ? v : unknown (find_culprit (self, node)));
  }
}

Y10OnnxValues *
y10_onnx_values_new (const Y10OnnxGraph *graph, Y10Expressions *expressions,
    guint width, guint height)
{
  Values *self = g_new0 (Values, 1);
  const gint64 dim[] = { MAX (graph->batch, 1), 3, height, width };
  GHashTableIter iter;
  gpointer module, node;

  self->graph = graph;
  self->expressions = expressions;
  self->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
      value_free);
  self->modules = g_hash_table_new (NULL, NULL);
  g_hash_table_iter_init (&iter, graph->convs);
  while (g_hash_table_iter_next (&iter, &module, &node))
    g_hash_table_insert (self->modules, node, module);
  if (graph->input)
    g_hash_table_insert (self->by_name, graph->input,
        expression (y10_expressions_intern (expressions, "images"), dim, 4));
  for (guint i = 0; i < graph->nodes->len; i++)
    eval_outputs (self, graph->nodes->pdata[i]);
  return self;
}

void
y10_onnx_values_free (Y10OnnxValues *self)
{
  g_hash_table_unref (self->by_name);
  g_hash_table_unref (self->modules);
  g_free (self);
}

guint
y10_onnx_values_get_id (const Y10OnnxValues *self, const char *name)
{
  const Value *v = g_hash_table_lookup (self->by_name, name);

  return v && v->kind == FEATURES ? id_of (self, v) : Y10_EXPRESSION_NONE;
}

const Y10OnnxNode *
y10_onnx_values_get_culprit (const Y10OnnxValues *self,
    const Y10OnnxNode *conv, const char **why)
{
  const Value *v = g_hash_table_lookup (self->by_name, conv->out->pdata[0]);
  const Node *producer = g_hash_table_lookup (self->graph->producers,
      y10_onnx_input (conv, 0));

  if (v && v->kind == UNKNOWN && v->culprit != conv) {
    *why = "computes what no YOLOv10 does";
    return v->culprit;
  }
  if (v && v->kind == UNKNOWN) {
    *why = "has attributes that no YOLOv10 has";
    return conv;
  }
  *why = "has other inputs or attributes than there";
  return producer ? producer : conv;
}
