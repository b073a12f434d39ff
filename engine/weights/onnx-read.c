/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Parses the messages of an ONNX file (onnx.proto) to a graph. Weights are
 * not read: a tensor is a range of the file. The file is untrusted: each
 * list has a limit, and all names share one. */

#include "config.h"

#include <string.h>

#include "base/half.h"
#include "weights/onnx-read.h"
#include "weights/protobuf.h"

#define MAX_NODES 16384
#define MAX_TENSORS 16384
#define MAX_OPERANDS 256
#define MAX_ATTRIBUTES 32
#define MAX_NAME 512
#define MAX_META (1u << 16)
#define MAX_METAS 64
/* For names, attributes and small constants; a yolov10x needs 1 MB. */
#define MAX_MEMORY (32u << 20)
/* Of an output: its entries in two tables and its value in the proof. */
#define OUTPUT_SIZE 256

typedef struct
{
  Y10ProtoReader *proto;
  Y10TensorFile *file;
  Y10OnnxGraph *graph;
  guint n_tensors, n_metas;
  gsize memory;
} Reader;

G_GNUC_PRINTF (2, 3)
static gboolean
bad (Reader *r, const char *format, ...)
{
  g_autofree char *text = NULL, *shown = NULL;
  va_list args;

  if (r->proto->error)
    return FALSE;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  shown = g_utf8_make_valid (text, -1);
  g_set_error (&r->proto->error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
      "%s is not an ONNX file that can be read: %s",
      y10_tensor_file_get_path (r->file), shown);
  return FALSE;
}

static gboolean
spend (Reader *r, gsize size)
{
  r->memory += size + 64;
  return r->memory <= MAX_MEMORY
      || bad (r, "its graph needs more than %u MB of memory", MAX_MEMORY >> 20);
}

/* Replaces *@text. Makes it valid UTF-8, because messages may contain it. */
static void
read_text (Reader *r, const Y10ProtoField *field, char **text)
{
  g_autofree char *read = NULL;

  if (!spend (r, field->bytes.end - field->bytes.next))
    return;
  read = y10_proto_text (r->proto, field, MAX_NAME);
  g_free (*text);
  *text = read ? g_utf8_make_valid (read, -1) : NULL;
}

/* Adds an operand to the list of a node. @weight: bytes that it costs besides
 * its name. */
static void
add_text (Reader *r, const Y10ProtoField *field, GPtrArray *list, gsize weight)
{
  char *text = NULL;

  spend (r, weight);
  if (list->len == MAX_OPERANDS)
    bad (r, "a node has more than %d operands", MAX_OPERANDS);
  else
    read_text (r, field, &text);
  if (text)
    g_ptr_array_add (list, text);
}

static gdouble
get_element (gint type, const guint8 *p)
{
  union
  {
    guint32 u;
    gfloat f;
  } v;
  guint64 bits = 0;
  gdouble real;

  for (guint i = y10_onnx_element_size (type); i-- > 0;)
    bits = bits << 8 | p[i];
  switch (type) {
    case Y10_ONNX_INT32:
      return (gint32) bits;
    case Y10_ONNX_INT64:
      return (gdouble) (gint64) bits;
    case Y10_ONNX_FLOAT16:
      return y10_half_to_float ((guint16) bits);
    case Y10_ONNX_BFLOAT16:
      return y10_bfloat_to_float ((guint16) bits);
    case Y10_ONNX_DOUBLE:
      memcpy (&real, &bits, sizeof real);
      return real;
    default:
      v.u = (guint32) bits;
      return v.f;
  }
}

/* Copies the elements of a small constant, which may be a shape. @list: its
 * elements unless they are raw data; one more than the limit if there are
 * too many. */
static void
read_values (Reader *r, Y10OnnxTensor *t, const GArray *list)
{
  guint elem_size = y10_onnx_element_size (t->type);
  guint8 data[8 * Y10_ONNX_MAX_VALUES];

  guint64 n = list->len ? list->len : elem_size ? t->size / elem_size : 0;

  if (!n || n > Y10_ONNX_MAX_VALUES || n != y10_onnx_count_elements (t)
      || !spend (r, n * sizeof (gdouble)))
    return;
  t->n_values = n;
  if (list->len) {
    t->values = g_memdup2 (list->data, n * sizeof (gdouble));
    return;
  }
  if (!y10_tensor_file_read (r->file, t->offset, data,
          (gsize) t->n_values * elem_size, &r->proto->error)) {
    t->n_values = 0;
    return;
  }
  t->values = g_new (gdouble, t->n_values);
  for (guint i = 0; i < t->n_values; i++)
    t->values[i] = get_element (t->type, data + i * elem_size);
}

static void
add_dim (Reader *r, Y10OnnxTensor *t, gint64 dim)
{
  if (t->n_dims == Y10_MAX_DIMS || dim < 0)
    bad (r, "a tensor has more than %d dimensions or a negative one",
        Y10_MAX_DIMS);
  else
    t->dim[t->n_dims++] = dim;
}

/* Reads a repeated numeric field of a tensor, packed or not. */
static void
read_list (Reader *r, const Y10ProtoField *field, GArray *list)
{
  Y10ProtoMessage packed = field->bytes;
  gdouble value;
  guint64 bits;

  if (field->wire == Y10_PROTO_VARINT) {
    value = (gdouble) (gint64) field->value;
    if (list->len <= Y10_ONNX_MAX_VALUES)
      g_array_append_val (list, value);
    return;
  }
  while (list->len <= Y10_ONNX_MAX_VALUES
      && y10_proto_next_packed (r->proto, &packed, &bits)) {
    value = (gdouble) (gint64) bits;
    g_array_append_val (list, value);
  }
}

static guint64
parse_uint (const char *text)
{
  return text ? g_ascii_strtoull (text, NULL, 10) : 0;
}

/* Reads an entry of external_data: "location", "offset" or "length" of the
 * elements. */
static void
read_external (Reader *r, Y10ProtoMessage message, Y10OnnxTensor *t)
{
  g_autofree char *key = NULL, *value = NULL;
  Y10ProtoField field;

  while (y10_proto_next (r->proto, &message, &field))
    if (field.number == 1 || field.number == 2)
      read_text (r, &field, field.number == 1 ? &key : &value);
  if (!key || !value)
    return;
  if (!strcmp (key, "location")) {
    g_free (t->location);
    t->location = g_steal_pointer (&value);
  } else if (!strcmp (key, "offset")) {
    t->offset = parse_uint (value);
  } else if (!strcmp (key, "length")) {
    t->size = parse_uint (value);
  }
}

static Y10OnnxTensor *
read_tensor (Reader *r, Y10ProtoMessage message)
{
  Y10OnnxTensor *t = g_new0 (Y10OnnxTensor, 1);
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (gdouble));
  Y10ProtoField field;
  guint64 value;

  if (++r->n_tensors > MAX_TENSORS)
    bad (r, "it has more than %d tensors", MAX_TENSORS);
  spend (r, sizeof *t);
  while (y10_proto_next (r->proto, &message, &field))
    switch (field.number) {
      case 1: /* dims */
        if (field.wire == Y10_PROTO_VARINT)
          add_dim (r, t, (gint64) field.value);
        else
          while (y10_proto_next_packed (r->proto, &field.bytes, &value))
            add_dim (r, t, (gint64) value);
        break;
      case 2: /* data_type */
        t->type = (gint) field.value;
        break;
      case 5: /* int32_data */
      case 7: /* int64_data */
        read_list (r, &field, list);
        break;
      case 4: /* float_data, packed: as raw data */
      case 9: /* raw_data */
        if (field.wire != Y10_PROTO_BYTES
            || field.bytes.next == field.bytes.end)
          break;
        t->offset = field.bytes.next;
        t->size = field.bytes.end - field.bytes.next;
        break;
      case 8:
        read_text (r, &field, &t->name);
        break;
      case 13: /* external_data */
        if (field.wire == Y10_PROTO_BYTES)
          read_external (r, field.bytes, t);
        break;
    }
  if (!t->location)
    read_values (r, t, list);
  return t;
}

/* Takes @t and names it @name, unless that is NULL. */
static void
add_constant (Reader *r, Y10OnnxTensor *t, const char *name)
{
  if (name) {
    g_free (t->name);
    t->name = g_strdup (name);
  }
  if (!t->name || g_hash_table_contains (r->graph->tensors, t->name)) {
    bad (r, "a constant has no name or a duplicate one");
    y10_onnx_tensor_free (t);
    return;
  }
  g_hash_table_insert (r->graph->tensors, t->name, t);
}

/* Stores the "value" of a Constant in *@constant. */
static void
read_attribute (Reader *r, Y10ProtoMessage message, Y10OnnxNode *node,
    Y10OnnxTensor **constant)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (gdouble));
  Y10OnnxAttribute a = {
    NULL,
  };
  Y10ProtoField field;
  gdouble number;
  union
  {
    guint32 u;
    gfloat f;
  } v;

  if (node->attributes->len == MAX_ATTRIBUTES)
    bad (r, "a node has more than %d attributes", MAX_ATTRIBUTES);
  spend (r, sizeof a);
  while (y10_proto_next (r->proto, &message, &field))
    switch (field.number) {
      case 1:
        read_text (r, &field, &a.name);
        break;
      case 2: /* f */
        v.u = (guint32) field.value;
        a.real = v.f;
        break;
      case 3: /* i */
        a.integer = (gint64) field.value;
        break;
      case 4: /* s */
        read_text (r, &field, &a.text);
        break;
      case 5: /* t */
        if (field.wire == Y10_PROTO_BYTES && !*constant)
          *constant = read_tensor (r, field.bytes);
        break;
      case 7: /* floats */
        v.u = (guint32) field.value;
        number = v.f;
        if (field.wire == Y10_PROTO_FIXED32 && list->len <= Y10_ONNX_MAX_VALUES)
          g_array_append_val (list, number);
        break;
      case 8: /* ints */
        read_list (r, &field, list);
        break;
    }
  if (list->len && spend (r, list->len * (sizeof (gint64) + sizeof number))) {
    a.n_integers = list->len;
    a.integers = g_new (gint64, list->len);
    a.numbers = g_memdup2 (list->data, list->len * sizeof number);
    for (guint i = 0; i < list->len; i++)
      a.integers[i] = y10_onnx_to_integer (a.numbers[i]);
  }
  if (!a.name)
    a.name = g_strdup ("");
  g_array_append_val (node->attributes, a);
}

/* What a Constant holds in an attribute for numbers; NULL: in none of them. */
static Y10OnnxTensor *
make_constant (Reader *r, const Y10OnnxNode *node)
{
  const Y10OnnxAttribute *list = y10_onnx_attribute (node, "value_ints");
  const Y10OnnxAttribute *reals = y10_onnx_attribute (node, "value_floats");
  const Y10OnnxAttribute *one = y10_onnx_attribute (node, "value_int");
  const Y10OnnxAttribute *real = y10_onnx_attribute (node, "value_float");
  gboolean whole = list || one;
  guint n;
  Y10OnnxTensor *t;

  list = list ? list : reals;
  n = list ? list->n_integers : 1;
  if ((!list && !one && !real) || !n || n > Y10_ONNX_MAX_VALUES
      || ++r->n_tensors > MAX_TENSORS
      || !spend (r, sizeof *t + n * sizeof *t->values))
    return NULL;
  t = g_new0 (Y10OnnxTensor, 1);
  t->type = whole ? Y10_ONNX_INT64 : Y10_ONNX_FLOAT;
  t->n_dims = list ? 1 : 0;
  t->dim[0] = n;
  t->n_values = n;
  t->values = g_new (gdouble, n);
  for (guint i = 0; i < n; i++)
    t->values[i] = list ? list->numbers[i]
        : one           ? (gdouble) one->integer
                        : real->real;
  return t;
}

static void
read_node (Reader *r, Y10ProtoMessage message)
{
  Y10OnnxNode *node = y10_onnx_node_new ();
  Y10OnnxTensor *constant = NULL;
  Y10ProtoField field;

  g_ptr_array_add (r->graph->nodes, node);
  if (r->graph->nodes->len > MAX_NODES)
    bad (r, "it has more than %d nodes", MAX_NODES);
  spend (r, sizeof *node);
  while (y10_proto_next (r->proto, &message, &field))
    switch (field.number) {
      case 1:
        add_text (r, &field, node->in, 0);
        break;
      case 2:
        add_text (r, &field, node->out, OUTPUT_SIZE);
        break;
      case 3:
        read_text (r, &field, &node->name);
        break;
      case 4:
        read_text (r, &field, &node->op);
        break;
      case 5:
        if (field.wire == Y10_PROTO_BYTES)
          read_attribute (r, field.bytes, node, &constant);
        break;
      case 7:
        read_text (r, &field, &node->domain);
        break;
    }
  if (!node->op)
    node->op = g_strdup ("");
  if (!node->name)
    node->name = g_strdup ("");
  if (!node->out->len)
    bad (r, "node \"%s\" (%s) has no output", node->name, node->op);
  if (!node->domain)
    node->domain = g_strdup ("");
  if (!constant && !strcmp (node->op, "Constant"))
    constant = make_constant (r, node);
  if (constant && node->out->len == 1 && !strcmp (node->op, "Constant"))
    add_constant (r, constant, node->out->pdata[0]);
  else if (constant)
    y10_onnx_tensor_free (constant);
  for (guint i = 0; i < node->out->len; i++)
    if (*(char *) node->out->pdata[i]
        && !g_hash_table_insert (r->graph->producers, node->out->pdata[i],
            node))
      bad (r, "two nodes make \"%s\"", (char *) node->out->pdata[i]);
  r->graph->has_top_k |= !strcmp (node->op, "TopK");
  r->graph->has_nms |= !strcmp (node->op, "NonMaxSuppression");
}

/* ValueInfoProto → TypeProto → TypeProto.Tensor → TensorShapeProto → dims. */
static void
read_input (Reader *r, Y10ProtoMessage message)
{
  static const guint path[] = { 2, 1, 2 };
  Y10ProtoMessage at = message, shape = { 0, 0 };
  g_autofree char *name = NULL;
  Y10ProtoField field;
  guint n_dims = 0;

  while (y10_proto_next (r->proto, &at, &field))
    if (field.number == 1)
      read_text (r, &field, &name);
  for (guint depth = 0; depth < G_N_ELEMENTS (path); depth++) {
    shape = (Y10ProtoMessage){ 0, 0 };
    while (y10_proto_next (r->proto, &message, &field))
      if (field.number == path[depth] && field.wire == Y10_PROTO_BYTES)
        shape = field.bytes;
    message = shape;
  }
  /* Old exporters list the weights among the inputs. */
  if (!name || r->graph->input)
    return;
  r->graph->input = g_steal_pointer (&name);
  while (y10_proto_next (r->proto, &shape, &field)) {
    guint64 size = 0;

    while (
        field.wire == Y10_PROTO_BYTES && field.bytes.next < field.bytes.end) {
      Y10ProtoField value;

      if (!y10_proto_next (r->proto, &field.bytes, &value))
        return;
      if (value.number == 1 && value.wire == Y10_PROTO_VARINT)
        size = value.value;
    }
    n_dims++;
    if (size > 65536)
      continue;
    if (n_dims == 1)
      r->graph->batch = size;
    if (n_dims == 3)
      r->graph->height = size;
    if (n_dims == 4)
      r->graph->width = size;
  }
}

static void
read_graph (Reader *r, Y10ProtoMessage message)
{
  Y10ProtoMessage again = message;
  Y10ProtoField field;

  while (y10_proto_next (r->proto, &message, &field)) {
    if (field.wire != Y10_PROTO_BYTES)
      continue;
    if (field.number == 1)
      read_node (r, field.bytes);
    else if (field.number == 5)
      add_constant (r, read_tensor (r, field.bytes), NULL);
  }
  while (y10_proto_next (r->proto, &again, &field))
    if (field.number == 11 && field.wire == Y10_PROTO_BYTES)
      read_input (r, field.bytes);
}

static void
read_meta (Reader *r, Y10ProtoMessage message)
{
  g_autofree char *key = NULL, *value = NULL;
  Y10ProtoField field;

  if (++r->n_metas > MAX_METAS)
    return;
  while (y10_proto_next (r->proto, &message, &field)) {
    if (field.number == 1)
      read_text (r, &field, &key);
    else if (field.number == 2 && !value)
      value = y10_proto_text (r->proto, &field, MAX_META);
  }
  if (!key || !value)
    return;
  if (!strcmp (key, "names") || !strcmp (key, "imgsz"))
    y10_tensor_file_set_meta (r->file, key, value);
  if (!strcmp (key, "end2end")) {
    r->graph->has_end2end = TRUE;
    r->graph->end2end = !g_ascii_strcasecmp (value, "true");
  }
}

gboolean
y10_onnx_read (Y10TensorFile *file, Y10OnnxGraph *graph, GError **error)
{
  g_autofree Y10ProtoReader *proto = g_new0 (Y10ProtoReader, 1);
  Reader r = { .proto = proto, .file = file, .graph = graph };
  Y10ProtoMessage message = { 0, y10_tensor_file_get_size (file) };
  Y10ProtoField field;
  guint n_graphs = 0;

  proto->file = file;
  while (y10_proto_next (proto, &message, &field)) {
    if (field.wire != Y10_PROTO_BYTES)
      continue;
    if (field.number == 7 && n_graphs++ == 0)
      read_graph (&r, field.bytes);
    else if (field.number == 14)
      read_meta (&r, field.bytes);
  }
  if (!proto->error && !n_graphs)
    bad (&r, "it has no graph");
  if (!proto->error)
    return TRUE;
  g_propagate_error (error, proto->error);
  return FALSE;
}
