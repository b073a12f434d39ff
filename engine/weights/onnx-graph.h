/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "weights/weights.h"

G_BEGIN_DECLS

/* The graph of an ONNX file (onnx.proto, IR versions 3 to 13), without the
 * weights. model/onnx-proof.c compares it with the network that is run. */

/* TensorProto.DataType */
enum
{
  Y10_ONNX_FLOAT = 1,
  Y10_ONNX_INT32 = 6,
  Y10_ONNX_INT64 = 7,
  Y10_ONNX_FLOAT16 = 10,
  Y10_ONNX_DOUBLE = 11,
  Y10_ONNX_BFLOAT16 = 16
};

#define Y10_ONNX_MAX_VALUES 64 /* of a constant that may be a shape */

typedef struct
{
  char *name;
  guint n_dims;
  gint64 dim[Y10_MAX_DIMS];
  gint type;            /* TensorProto.DataType */
  guint64 offset, size; /* raw elements in the file; size 0: none */
  guint n_values;       /* integers or floats of a small constant */
  gdouble *values;
  char *location; /* nullable: the file that contains it */
} Y10OnnxTensor;

typedef struct
{
  char *name, *text; /* text: NULL if it is not a string */
  gint64 integer;
  gdouble real;
  guint n_integers;
  gint64 *integers;
  gdouble *numbers; /* the same ones, or floats */
} Y10OnnxAttribute;

typedef struct
{
  char *op, *name, *domain;
  GPtrArray *in, *out; /* names; "": omitted */
  GArray *attributes;  /* Y10OnnxAttribute */
} Y10OnnxNode;

struct _Y10OnnxGraph
{
  GPtrArray *nodes;      /* Y10OnnxNode, in the file's order */
  GHashTable *producers; /* output → Y10OnnxNode */
  GHashTable *tensors;   /* initializers and constants by name */
  GHashTable *convs;     /* module → Y10OnnxNode */
  char *input;
  guint batch, width, height;    /* of the input; 0: dynamic */
  gboolean has_top_k, has_nms;   /* whether it contains such nodes */
  gboolean has_end2end, end2end; /* from the metadata */
};

Y10OnnxGraph *y10_onnx_graph_new (void);
void y10_onnx_graph_free (Y10OnnxGraph *graph);
Y10OnnxNode *y10_onnx_node_new (void);
void y10_onnx_tensor_free (gpointer tensor);
/* Bytes of an element; 0 for types that are never read. */
guint y10_onnx_element_size (gint type);
/* Number of elements in the shape of @tensor; G_MAXUINT64 if it overflows. */
guint64 y10_onnx_count_elements (const Y10OnnxTensor *tensor);

/* Converts @value to an integer, clamped to ±2⁵³: INT64_MAX, which exporters
 * write for "to the end", stays large. NaN becomes 0. */
static inline gint64
y10_onnx_to_integer (gdouble value)
{
  const gdouble most = 9007199254740992.0;

  return value >= most ? (gint64) most
      : value <= -most ? (gint64) -most
      : value == value ? (gint64) value
                       : 0;
}

const Y10OnnxAttribute *y10_onnx_attribute (const Y10OnnxNode *node,
    const char *name);
/* Returns an integer attribute, or @otherwise if it is missing. */
gint64 y10_onnx_integer (const Y10OnnxNode *node, const char *name,
    gint64 otherwise);
/* Name of input @i, or "" if it is omitted. */
const char *y10_onnx_input (const Y10OnnxNode *node, guint i);
/* Whether @node is a Cast between floating-point types, which the proof ignores;
 * a Cast to integers rounds. */
gboolean y10_onnx_is_float_cast (const Y10OnnxNode *node);
/* The constant of this name, looked up through Identity nodes and such
 * casts; NULL if it is not a constant. */
const Y10OnnxTensor *y10_onnx_constant (const Y10OnnxGraph *graph,
    const char *name);

G_END_DECLS
