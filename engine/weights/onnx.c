/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* ONNX files as Ultralytics and YOLOv10's authors export them. The reader keeps
 * the nodes and where the weights are, and names each convolution after the
 * module that it was exported from: by the path in the node's name,
 * "/model.0/conv/Conv", or else by the name of its weight. An initializer's
 * name alone proves nothing: exporters merge equal ones, and name those of
 * another head. Whether the graph is the network of these names is proved
 * afterwards, in model/onnx-proof.c. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "base/half.h"
#include "weights/onnx.h"
#include "weights/protobuf.h"

#define MAX_NODES 16384
#define MAX_TENSORS 16384
#define MAX_OPERANDS 256
#define MAX_ATTRIBUTES 32
#define MAX_NAME 512
#define MAX_META (1u << 16)
#define MAX_METAS 64
/* Names, attributes and small constants: a yolov10x has 1 MB. */
#define MAX_MEMORY (32u << 20)
#define BATCH_NORM_EPS 1e-3

/* TensorProto.DataType */
enum { TYPE_FLOAT = 1, TYPE_INT32 = 6, TYPE_INT64 = 7, TYPE_FLOAT16 = 10,
  TYPE_DOUBLE = 11, TYPE_BFLOAT16 = 16 };

typedef struct
{
  Y10ProtoReader *proto;
  Y10TensorFile *file;
  Y10OnnxGraph *graph;
  guint n_tensors, n_metas;
  gsize memory;
  gboolean has_top_k, has_nms, has_end2end, end2end;
} Reader;

static void
tensor_free (gpointer p)
{
  Y10OnnxTensor *t = p;

  g_free (t->name);
  g_free (t->location);
  g_free (t->values);
  g_free (t);
}

static void
attribute_clear (gpointer p)
{
  Y10OnnxAttribute *a = p;

  g_free (a->name);
  g_free (a->text);
  g_free (a->integers);
}

static void
node_free (gpointer p)
{
  Y10OnnxNode *node = p;

  g_free (node->op);
  g_free (node->name);
  g_free (node->domain);
  g_ptr_array_unref (node->in);
  g_ptr_array_unref (node->out);
  g_array_unref (node->attributes);
  g_free (node);
}

static Y10OnnxGraph *
graph_new (void)
{
  Y10OnnxGraph *graph = g_new0 (Y10OnnxGraph, 1);

  graph->nodes = g_ptr_array_new_with_free_func (node_free);
  graph->producers = g_hash_table_new (g_str_hash, g_str_equal);
  graph->tensors = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
      tensor_free);
  graph->convs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return graph;
}

void
y10_onnx_graph_free (Y10OnnxGraph *graph)
{
  if (!graph)
    return;
  g_hash_table_unref (graph->convs);
  g_hash_table_unref (graph->producers);
  g_hash_table_unref (graph->tensors);
  g_ptr_array_unref (graph->nodes);
  g_free (graph->input);
  g_free (graph);
}

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

/* Replaces *@text. It becomes valid UTF-8, as it may be in a message. */
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

static void
add_text (Reader *r, const Y10ProtoField *field, GPtrArray *list)
{
  char *text = NULL;

  if (list->len == MAX_OPERANDS)
    bad (r, "a node has more than %d operands", MAX_OPERANDS);
  else
    read_text (r, field, &text);
  if (text)
    g_ptr_array_add (list, text);
}

static guint
element_size (gint type)
{
  switch (type) {
    case TYPE_FLOAT:
    case TYPE_INT32:
      return 4;
    case TYPE_INT64:
    case TYPE_DOUBLE:
      return 8;
    case TYPE_FLOAT16:
    case TYPE_BFLOAT16:
      return 2;
    default:
      return 0;
  }
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

  for (guint i = element_size (type); i-- > 0;)
    bits = bits << 8 | p[i];
  switch (type) {
    case TYPE_INT32:
      return (gint32) bits;
    case TYPE_INT64:
      return (gdouble) (gint64) bits;
    case TYPE_FLOAT16:
      return y10_half_to_float ((guint16) bits);
    case TYPE_BFLOAT16:
      return y10_bfloat_to_float ((guint16) bits);
    case TYPE_DOUBLE:
      memcpy (&real, &bits, sizeof real);
      return real;
    default:
      v.u = (guint32) bits;
      return v.f;
  }
}

/* Elements that the shape of @t needs; G_MAXUINT64 if that overflows. */
static guint64
count_elements (const Y10OnnxTensor *t)
{
  guint64 n = 1;

  for (guint i = 0; i < t->n_dims; i++)
    if (!g_uint64_checked_mul (&n, n, (guint64) t->dim[i]))
      return G_MAXUINT64;
  return n;
}

/* Keeps the elements of a small constant, which may be a shape. @list: values
 * that were not raw, one more than the limit if there are too many. */
static void
read_values (Reader *r, Y10OnnxTensor *t, const GArray *list)
{
  guint elem_size = element_size (t->type);
  guint8 data[8 * Y10_ONNX_MAX_VALUES];

  guint64 n = list->len ? list->len : elem_size ? t->size / elem_size : 0;

  if (!n || n > Y10_ONNX_MAX_VALUES || n != count_elements (t)
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

/* The repeated number fields of a tensor, packed or not. */
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

/* One entry of external_data; "location", "offset" and "length" say where the
 * elements are. */
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
      case 1:                  /* dims */
        if (field.wire == Y10_PROTO_VARINT)
          add_dim (r, t, (gint64) field.value);
        else
          while (y10_proto_next_packed (r->proto, &field.bytes, &value))
            add_dim (r, t, (gint64) value);
        break;
      case 2:                  /* data_type */
        t->type = (gint) field.value;
        break;
      case 5:                  /* int32_data */
      case 7:                  /* int64_data */
        read_list (r, &field, list);
        break;
      case 4:                  /* float_data, packed: as raw data */
      case 9:                  /* raw_data */
        if (field.wire != Y10_PROTO_BYTES
            || field.bytes.next == field.bytes.end)
          break;
        t->offset = field.bytes.next;
        t->size = field.bytes.end - field.bytes.next;
        break;
      case 8:
        read_text (r, &field, &t->name);
        break;
      case 13:                 /* external_data */
        if (field.wire == Y10_PROTO_BYTES)
          read_external (r, field.bytes, t);
        break;
    }
  if (!t->location)
    read_values (r, t, list);
  return t;
}

/* Takes @t, which gets @name unless it is NULL. */
static void
add_constant (Reader *r, Y10OnnxTensor *t, const char *name)
{
  if (name) {
    g_free (t->name);
    t->name = g_strdup (name);
  }
  if (!t->name || g_hash_table_contains (r->graph->tensors, t->name)) {
    bad (r, "a constant has no name, or that of another one");
    tensor_free (t);
    return;
  }
  g_hash_table_insert (r->graph->tensors, t->name, t);
}

/* A Constant's "value" goes to *@constant. */
static void
read_attribute (Reader *r, Y10ProtoMessage message, Y10OnnxNode *node,
    Y10OnnxTensor **constant)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (gdouble));
  Y10OnnxAttribute a = { NULL, };
  Y10ProtoField field;
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
      case 2:                  /* f */
        v.u = (guint32) field.value;
        a.real = v.f;
        break;
      case 3:                  /* i */
        a.integer = (gint64) field.value;
        break;
      case 4:                  /* s */
        read_text (r, &field, &a.text);
        break;
      case 5:                  /* t */
        if (field.wire == Y10_PROTO_BYTES && !*constant)
          *constant = read_tensor (r, field.bytes);
        break;
      case 8:                  /* ints */
        read_list (r, &field, list);
        break;
    }
  if (list->len && spend (r, list->len * sizeof (gint64))) {
    a.n_integers = list->len;
    a.integers = g_new (gint64, list->len);
    for (guint i = 0; i < list->len; i++)
      a.integers[i] = y10_onnx_to_integer (g_array_index (list, gdouble, i));
  }
  if (!a.name)
    a.name = g_strdup ("");
  g_array_append_val (node->attributes, a);
}

static Y10OnnxNode *
node_new (void)
{
  Y10OnnxNode *node = g_new0 (Y10OnnxNode, 1);

  node->in = g_ptr_array_new_with_free_func (g_free);
  node->out = g_ptr_array_new_with_free_func (g_free);
  node->attributes = g_array_new (FALSE, FALSE, sizeof (Y10OnnxAttribute));
  g_array_set_clear_func (node->attributes, attribute_clear);
  return node;
}

static void
read_node (Reader *r, Y10ProtoMessage message)
{
  Y10OnnxNode *node = node_new ();
  Y10OnnxTensor *constant = NULL;
  Y10ProtoField field;

  g_ptr_array_add (r->graph->nodes, node);
  if (r->graph->nodes->len > MAX_NODES)
    bad (r, "it has more than %d nodes", MAX_NODES);
  spend (r, sizeof *node);
  while (y10_proto_next (r->proto, &message, &field))
    switch (field.number) {
      case 1:
        add_text (r, &field, node->in);
        break;
      case 2:
        add_text (r, &field, node->out);
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
  if (constant && node->out->len == 1 && !strcmp (node->op, "Constant"))
    add_constant (r, constant, node->out->pdata[0]);
  else if (constant)
    tensor_free (constant);
  for (guint i = 0; i < node->out->len; i++)
    if (*(char *) node->out->pdata[i]
        && !g_hash_table_insert (r->graph->producers, node->out->pdata[i],
            node))
      bad (r, "two nodes make \"%s\"", (char *) node->out->pdata[i]);
  r->has_top_k |= !strcmp (node->op, "TopK");
  r->has_nms |= !strcmp (node->op, "NonMaxSuppression");
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
    shape = (Y10ProtoMessage) { 0, 0 };
    while (y10_proto_next (r->proto, &message, &field))
      if (field.number == path[depth] && field.wire == Y10_PROTO_BYTES)
        shape = field.bytes;
    message = shape;
  }
  /* Old exporters list the weights as inputs, too. */
  if (!name || r->graph->input)
    return;
  r->graph->input = g_steal_pointer (&name);
  while (y10_proto_next (r->proto, &shape, &field)) {
    guint64 size = 0;

    while (field.wire == Y10_PROTO_BYTES && field.bytes.next < field.bytes.end) {
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
    r->has_end2end = TRUE;
    r->end2end = !g_ascii_strcasecmp (value, "true");
  }
}

const Y10OnnxAttribute *
y10_onnx_attribute (const Y10OnnxNode *node, const char *name)
{
  for (guint i = 0; i < node->attributes->len; i++) {
    const Y10OnnxAttribute *a =
        &g_array_index (node->attributes, Y10OnnxAttribute, i);

    if (!strcmp (a->name, name))
      return a;
  }
  return NULL;
}

const char *
y10_onnx_input (const Y10OnnxNode *node, guint i)
{
  return i < node->in->len ? node->in->pdata[i] : "";
}

gboolean
y10_onnx_is_float_cast (const Y10OnnxNode *node)
{
  const Y10OnnxAttribute *to = y10_onnx_attribute (node, "to");

  return !strcmp (node->op, "Cast") && to && (to->integer == TYPE_FLOAT
      || to->integer == TYPE_FLOAT16 || to->integer == TYPE_BFLOAT16
      || to->integer == TYPE_DOUBLE);
}

const Y10OnnxTensor *
y10_onnx_constant (const Y10OnnxGraph *graph, const char *name)
{
  for (guint i = 0; i < 16; i++) {
    const Y10OnnxTensor *t = g_hash_table_lookup (graph->tensors, name);
    const Y10OnnxNode *node;

    if (t)
      return t;
    node = g_hash_table_lookup (graph->producers, name);
    if (!node || (strcmp (node->op, "Identity") && !y10_onnx_is_float_cast (node)))
      return NULL;
    name = y10_onnx_input (node, 0);
  }
  return NULL;
}

/* "/model.23/cv3.0/cv3.0.0/cv3.0.0.1/conv/Conv" → "model.23.cv3.0.0.1.conv".
 * NULL: the name is no path. */
static char *
module_of_path (const char *name)
{
  g_auto (GStrv) part = g_strsplit (name, "/", -1);
  g_autoptr (GString) module = g_string_new (NULL);
  const char *last = "";

  for (guint i = 0; part[i] && part[i + 1]; i++) {
    /* Modules around the network have other names. */
    if (!*part[i]
        || (!module->len && !g_str_has_prefix (part[i], "model.")))
      continue;
    if (*last && g_str_has_prefix (part[i], last)
        && part[i][strlen (last)] == '.')
      g_string_append (module, part[i] + strlen (last));
    else
      g_string_append_printf (module, "%s%s", module->len ? "." : "", part[i]);
    last = part[i];
  }
  return g_str_has_prefix (module->str, "model.")
      ? g_strdup (module->str) : NULL;
}

/* "model.model.0.conv.weight" → "model.0.conv". */
static char *
module_of_weight (const char *name)
{
  const char *end = strrchr (name, '.');

  if (!end || strcmp (end, ".weight"))
    return NULL;
  if (g_str_has_prefix (name, "model.model."))
    name += strlen ("model.");
  return g_str_has_prefix (name, "model.")
      ? g_strndup (name, end - name) : NULL;
}

/* An export has one head, and what follows it says which: TopK alone belongs to
 * one2one. The names of its convolutions say nothing. */
static char *
name_head (const Reader *r, char *module)
{
  gboolean one2one = r->has_top_k && !r->has_nms;
  char *at = strstr (module, "one2one_cv"), *renamed;

  if (!r->has_top_k && !r->has_nms && r->has_end2end)
    one2one = r->end2end;
  if (at && !one2one) {
    memmove (at, at + strlen ("one2one_"),
        strlen (at + strlen ("one2one_")) + 1);
    return module;
  }
  at = at || !one2one || !g_str_has_prefix (module, "model.23.cv")
      ? NULL : module + strlen ("model.23.");
  if (!at)
    return module;
  renamed = g_strdup_printf ("model.23.one2one_%s", at);
  g_free (module);
  return renamed;
}

static gboolean
add_weight (Reader *r, const Y10OnnxNode *node, const char *operand,
    const char *name)
{
  const Y10OnnxTensor *t = y10_onnx_constant (r->graph, operand);
  const char *dtype = !t ? NULL : t->type == TYPE_FLOAT ? "F32"
      : t->type == TYPE_FLOAT16 ? "F16"
      : t->type == TYPE_BFLOAT16 ? "BF16" : NULL;
  gsize dim[Y10_MAX_DIMS];
  guint64 size = t ? t->size : 0;
  guint part = 0;

  if (!t)
    return bad (r, "the weights of node \"%s\" are no constant: \"%s\" comes "
        "from another node", node->name, operand);
  if (!dtype)
    return bad (r, "tensor \"%s\" of node \"%s\" has data type %d; expected "
        "FLOAT, FLOAT16 or BFLOAT16", t->name, node->name, t->type);
  for (guint i = 0; i < t->n_dims; i++)
    dim[i] = t->dim[i];
  if (t->location) {
    guint64 part_size;

    part = y10_tensor_file_open_part (r->file, t->location,
        &r->proto->error);
    if (!part)
      return FALSE;
    part_size = y10_tensor_file_get_part_size (r->file, part);
    /* "length" may be left out. */
    if (!size && !g_uint64_checked_mul (&size, count_elements (t),
            element_size (t->type)))
      size = G_MAXUINT64;
    if (t->offset > part_size || size > part_size - t->offset)
      return bad (r, "tensor \"%s\" has %" G_GUINT64_FORMAT " bytes at byte %"
          G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " of \"%s\"", t->name,
          size, t->offset, part_size, t->location);
  }
  return y10_tensor_file_add (r->file, name, dtype, dim, NULL, t->n_dims, part,
      t->offset, size, &r->proto->error);
}

static gboolean
add_named (Reader *r, const Y10OnnxNode *node, guint operand,
    const char *module, const char *leaf)
{
  g_autofree char *name = g_strconcat (module, leaf, NULL);

  return add_weight (r, node, y10_onnx_input (node, operand), name);
}

/* A BatchNorm that the exporter did not fold belongs to the convolution before
 * it. */
static gboolean
add_norm (Reader *r, const Y10OnnxNode *node)
{
  static const char *const leaves[] = {
    ".bn.weight", ".bn.bias", ".bn.running_mean", ".bn.running_var"
  };
  const Y10OnnxNode *conv = g_hash_table_lookup (r->graph->producers,
      y10_onnx_input (node, 0));
  const Y10OnnxAttribute *eps = y10_onnx_attribute (node, "epsilon");
  g_autofree char *module = conv ? module_of_path (conv->name) : NULL;

  if (!module || !g_str_has_suffix (module, ".conv")
      || strcmp (conv->op, "Conv"))
    return TRUE;                /* the proof rejects it if it is in use */
  if (!eps || fabs (eps->real - BATCH_NORM_EPS) > 1e-8)
    return bad (r, "node \"%s\" has epsilon %g; expected %g", node->name,
        eps ? eps->real : 1e-5, BATCH_NORM_EPS);
  module[strlen (module) - strlen (".conv")] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (leaves); i++)
    if (!add_named (r, node, i + 1, module, leaves[i]))
      return FALSE;
  return TRUE;
}

/* Convolutions that are no module, such as those of an algorithm after the
 * head, are left out. */
static gboolean
add_conv (Reader *r, Y10OnnxNode *node)
{
  const Y10OnnxTensor *weight = y10_onnx_constant (r->graph,
      y10_onnx_input (node, 1));
  char *module = module_of_path (node->name);

  if (!module && weight && weight->name)
    module = module_of_weight (weight->name);
  if (!module)
    return TRUE;
  module = name_head (r, module);
  if (g_hash_table_contains (r->graph->convs, module)) {
    bad (r, "two convolutions have the name \"%s\"", module);
    g_free (module);
    return FALSE;
  }
  g_hash_table_insert (r->graph->convs, module, node);
  return add_named (r, node, 1, module, ".weight")
      && (!*y10_onnx_input (node, 2)
      || add_named (r, node, 2, module, ".bias"));
}

static gboolean
add_weights (Reader *r)
{
  for (guint i = 0; i < r->graph->nodes->len; i++) {
    Y10OnnxNode *node = r->graph->nodes->pdata[i];

    if (g_strrstr (node->op, "uantizeLinear")
        || g_str_has_prefix (node->op, "QLinear")
        || g_str_has_suffix (node->op, "Integer"))
      return bad (r, "node \"%s\" is a %s: it is quantised; expected floating "
          "point", node->name, node->op);
    if (!strcmp (node->op, "Conv") && !add_conv (r, node))
      return FALSE;
    if (!strcmp (node->op, "BatchNormalization") && !add_norm (r, node))
      return FALSE;
  }
  return TRUE;
}

/* The size that it was exported for goes before the one that metadata name. */
static void
set_size (Reader *r)
{
  g_autofree char *size = NULL;

  if (!r->graph->width || !r->graph->height)
    return;
  size = g_strdup_printf ("[%u, %u]", r->graph->height, r->graph->width);
  y10_tensor_file_set_meta (r->file, "imgsz", size);
}

gboolean
y10_onnx_probe (const guint8 *data, gsize size)
{
  /* ir_version first, then a field of text or the graph */
  return size > 3 && data[0] == 0x08 && data[1] < 0x20
      && (data[2] & 7) == Y10_PROTO_BYTES;
}

gboolean
y10_onnx_parse (Y10TensorFile *file, GError **error)
{
  g_autofree Y10ProtoReader *proto = g_new0 (Y10ProtoReader, 1);
  Reader r = {.proto = proto,.file = file,.graph = graph_new () };
  Y10ProtoMessage message = { 0, y10_tensor_file_get_size (file) };
  Y10ProtoField field;
  guint n_graphs = 0;

  y10_tensor_file_take_onnx (file, r.graph);
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
  if (!proto->error && add_weights (&r))
    set_size (&r);
  if (!proto->error)
    return TRUE;
  g_propagate_error (error, proto->error);
  return FALSE;
}
