/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* ONNX files as Ultralytics and YOLOv10's authors export them. Each convolution
 * is named after the module that it was exported from: by the path in the
 * node's name, "/model.0/conv/Conv", or else by the name of its weight. An
 * initializer's name alone proves nothing: exporters merge equal ones, and name
 * those of another head. Whether the graph is the network of these names is
 * proved afterwards, in model/onnx-proof.c. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "weights/onnx-read.h"
#include "weights/protobuf.h"

#define BATCH_NORM_EPS 1e-3
#define ONE2ONE "one2one_"

typedef struct
{
  Y10TensorFile *file;
  Y10OnnxGraph *graph;
  gboolean has_both; /* heads */
  GError **error;
} Namer;

G_GNUC_PRINTF (2, 3)
static gboolean
bad (Namer *n, const char *format, ...)
{
  g_autofree char *text = NULL, *shown = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  shown = g_utf8_make_valid (text, -1);
  g_set_error (n->error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
      "%s is not an ONNX file that can be read: %s",
      y10_tensor_file_get_path (n->file), shown);
  return FALSE;
}

/* Returns "cv3.0.0.1.conv" of "model.23.cv3.0.0.1.conv", also with ONE2ONE before
 * it, or NULL if the module is not in the head. Other modules have a cv2 and a
 * cv3 without levels. */
static char *
after_head (char *module)
{
  char *leaf = module + strlen ("model."), *branch;

  while (g_ascii_isdigit (*leaf))
    leaf++;
  if (*leaf++ != '.')
    return NULL;
  branch = g_str_has_prefix (leaf, ONE2ONE) ? leaf + strlen (ONE2ONE) : leaf;
  return g_str_has_prefix (branch, "dfl.")
          || ((g_str_has_prefix (branch, "cv2.")
                  || g_str_has_prefix (branch, "cv3."))
              && g_ascii_isdigit (branch[4]))
      ? leaf
      : NULL;
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
    if (!*part[i] || (!module->len && !g_str_has_prefix (part[i], "model.")))
      continue;
    if (*last && g_str_has_prefix (part[i], last)
        && part[i][strlen (last)] == '.')
      g_string_append (module, part[i] + strlen (last));
    else
      g_string_append_printf (module, "%s%s", module->len ? "." : "", part[i]);
    last = part[i];
  }
  return g_str_has_prefix (module->str, "model.") ? g_strdup (module->str)
                                                  : NULL;
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
  return g_str_has_prefix (name, "model.") ? g_strndup (name, end - name)
                                           : NULL;
}

/* Returns the module of a convolution, or NULL if it belongs to none of the
 * network's, such as one of an algorithm after the head, or DFL, which the head
 * computes. */
static char *
module_of_conv (const Namer *n, const Y10OnnxNode *node)
{
  const Y10OnnxTensor *weight = y10_onnx_constant (n->graph,
      y10_onnx_input (node, 1));
  char *module = module_of_path (node->name), *leaf;

  if (!module && weight && weight->name)
    module = module_of_weight (weight->name);
  leaf = module ? after_head (module) : NULL;
  if (leaf && g_str_has_prefix (leaf, "dfl."))
    g_clear_pointer (&module, g_free);
  return module;
}

/* "model.23.one2one_cv2.0.0.conv" → "model.23.cv2.0.0.conv". */
static char *
remove_one2one (const char *module)
{
  const char *at = strstr (module, ONE2ONE "cv");

  return at ? g_strdup_printf ("%.*s%s", (int) (at - module), module,
             at + strlen (ONE2ONE))
            : NULL;
}

/* torch.onnx.export() of a model that Ultralytics did not prepare keeps both
 * heads. */
static gboolean
has_both_heads (const Namer *n)
{
  g_autoptr (GHashTable)
      modules = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer module;

  for (guint i = 0; i < n->graph->nodes->len; i++) {
    const Y10OnnxNode *node = n->graph->nodes->pdata[i];
    char *name = strcmp (node->op, "Conv") ? NULL : module_of_conv (n, node);

    if (name)
      g_hash_table_add (modules, name);
  }
  g_hash_table_iter_init (&iter, modules);
  while (g_hash_table_iter_next (&iter, &module, NULL)) {
    g_autofree char *plain = remove_one2one (module);

    if (plain && g_hash_table_contains (modules, plain))
      return TRUE;
  }
  return FALSE;
}

/* An export with one head mixes the names of both, and the nodes after the head
 * tell which one it is: only one2one has a TopK. Takes @module. */
static char *
name_head (const Namer *n, char *module)
{
  gboolean one2one = n->graph->has_top_k && !n->graph->has_nms;
  g_autofree char *given = module;
  g_autofree char *plain = remove_one2one (module);
  char *leaf = after_head (module);

  if (!n->graph->has_top_k && !n->graph->has_nms && n->graph->has_end2end)
    one2one = n->graph->end2end;
  if (plain && !one2one && !n->has_both)
    return g_steal_pointer (&plain);
  if (!plain && one2one && !n->has_both && leaf)
    return g_strdup_printf ("%.*s" ONE2ONE "%s", (int) (leaf - module), module,
        leaf);
  return g_steal_pointer (&given);
}

static gboolean
add_weight (Namer *n, const Y10OnnxNode *node, const char *operand,
    const char *name)
{
  const Y10OnnxTensor *t = y10_onnx_constant (n->graph, operand);
  const char *dtype = !t             ? NULL
      : t->type == Y10_ONNX_FLOAT    ? "F32"
      : t->type == Y10_ONNX_FLOAT16  ? "F16"
      : t->type == Y10_ONNX_BFLOAT16 ? "BF16"
                                     : NULL;
  gsize dim[Y10_MAX_DIMS];
  guint64 size = t ? t->size : 0;
  guint part = 0;

  if (!t)
    return bad (n,
        "the weights of node \"%s\" are no constant: \"%s\" comes "
        "from another node",
        node->name, operand);
  if (!dtype)
    return bad (n,
        "tensor \"%s\" of node \"%s\" has data type %d; expected "
        "FLOAT, FLOAT16 or BFLOAT16",
        t->name, node->name, t->type);
  for (guint i = 0; i < t->n_dims; i++)
    dim[i] = t->dim[i];
  if (t->location) {
    guint64 part_size;

    part = y10_tensor_file_open_part (n->file, t->location, n->error);
    if (!part)
      return FALSE;
    part_size = y10_tensor_file_get_part_size (n->file, part);
    /* "length" is optional. */
    if (!size
        && !g_uint64_checked_mul (&size, y10_onnx_count_elements (t),
            y10_onnx_element_size (t->type)))
      size = G_MAXUINT64;
    if (t->offset > part_size || size > part_size - t->offset)
      return bad (n,
          "tensor \"%s\" has %" G_GUINT64_FORMAT
          " bytes at byte %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
          " of \"%s\"",
          t->name, size, t->offset, part_size, t->location);
  }
  return y10_tensor_file_add (n->file, name, dtype, dim, NULL, t->n_dims, part,
      t->offset, size, n->error);
}

static gboolean
add_named (Namer *n, const Y10OnnxNode *node, guint operand, const char *module,
    const char *leaf)
{
  g_autofree char *name = g_strconcat (module, leaf, NULL);

  return add_weight (n, node, y10_onnx_input (node, operand), name);
}

/* A BatchNorm that the exporter did not fold belongs to the preceding
 * convolution. */
static gboolean
add_norm (Namer *n, const Y10OnnxNode *node)
{
  static const char *const leaves[] = { ".bn.weight", ".bn.bias",
    ".bn.running_mean", ".bn.running_var" };
  const Y10OnnxNode *conv = g_hash_table_lookup (n->graph->producers,
      y10_onnx_input (node, 0));
  const Y10OnnxAttribute *eps = y10_onnx_attribute (node, "epsilon");
  g_autofree char *module = conv ? module_of_path (conv->name) : NULL;

  if (!module || !g_str_has_suffix (module, ".conv")
      || strcmp (conv->op, "Conv"))
    return TRUE; /* if it is used, the proof rejects it */
  if (!eps || fabs (eps->real - BATCH_NORM_EPS) > 1e-8)
    return bad (n, "node \"%s\" has epsilon %g; expected %g", node->name,
        eps ? eps->real : 1e-5, BATCH_NORM_EPS);
  module[strlen (module) - strlen (".conv")] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (leaves); i++)
    if (!add_named (n, node, i + 1, module, leaves[i]))
      return FALSE;
  return TRUE;
}

static gboolean
add_conv (Namer *n, Y10OnnxNode *node)
{
  char *module = module_of_conv (n, node);

  if (!module)
    return TRUE;
  module = name_head (n, module);
  if (g_hash_table_contains (n->graph->convs, module)) {
    bad (n, "two convolutions have the name \"%s\"", module);
    g_free (module);
    return FALSE;
  }
  g_hash_table_insert (n->graph->convs, module, node);
  return add_named (n, node, 1, module, ".weight")
      && (!*y10_onnx_input (node, 2)
          || add_named (n, node, 2, module, ".bias"));
}

/* A convolution that a MaxPool reads has no activation. In some networks only the
 * file tells whether there is one; the proof compares it with the graph. */
static void
note_activation (Namer *n, const Y10OnnxNode *pool)
{
  const Y10OnnxNode *conv = g_hash_table_lookup (n->graph->producers,
      y10_onnx_input (pool, 0));
  g_autofree char *module = conv && !strcmp (conv->op, "Conv")
      ? module_of_conv (n, conv)
      : NULL;

  if (!module || !g_str_has_suffix (module, ".conv"))
    return;
  module[strlen (module) - strlen (".conv")] = '\0';
  y10_tensor_file_set_activation (n->file, module, "Identity");
}

static gboolean
add_weights (Namer *n)
{
  n->has_both = has_both_heads (n);
  for (guint i = 0; i < n->graph->nodes->len; i++) {
    Y10OnnxNode *node = n->graph->nodes->pdata[i];

    if (g_strrstr (node->op, "uantizeLinear")
        || g_str_has_prefix (node->op, "QLinear")
        || g_str_has_suffix (node->op, "Integer"))
      return bad (n,
          "node \"%s\" is a %s: it is quantised; expected floating "
          "point",
          node->name, node->op);
    if (!strcmp (node->op, "Conv") && !add_conv (n, node))
      return FALSE;
    if (!strcmp (node->op, "BatchNormalization") && !add_norm (n, node))
      return FALSE;
    if (!strcmp (node->op, "MaxPool"))
      note_activation (n, node);
  }
  return TRUE;
}

/* The size that the graph was exported for overrides the one in the
 * metadata. */
static void
set_size (Namer *n)
{
  g_autofree char *size = NULL;

  if (!n->graph->width || !n->graph->height)
    return;
  size = g_strdup_printf ("[%u, %u]", n->graph->height, n->graph->width);
  y10_tensor_file_set_meta (n->file, "imgsz", size);
}

gboolean
y10_onnx_probe (const guint8 *data, gsize size)
{
  /* ir_version first, then a string or the graph */
  return size > 3 && data[0] == 0x08 && data[1] < 0x20
      && (data[2] & 7) == Y10_PROTO_BYTES;
}

gboolean
y10_onnx_parse (Y10TensorFile *file, GError **error)
{
  Namer n = { .file = file, .graph = y10_onnx_graph_new (), .error = error };

  y10_tensor_file_take_onnx (file, n.graph);
  if (!y10_onnx_read (file, n.graph, error) || !add_weights (&n))
    return FALSE;
  set_size (&n);
  return TRUE;
}
