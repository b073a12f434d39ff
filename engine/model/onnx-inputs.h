/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/onnx-value.h"

G_BEGIN_DECLS

/* The values of all outputs of an ONNX graph for one input size: numbers for
 * shapes, expressions for tensors computed from the image, or unknown. */
typedef struct
{
  const Y10OnnxGraph *graph;
  Y10Expressions *expressions;
  GHashTable *by_name; /* of Y10OnnxValue; the graph owns the names */
  GHashTable *modules; /* node → module */
} Y10OnnxValues;

/* The value of input @i of @node; NULL if it is omitted or a
 * constant that is not a shape. */
const Y10OnnxValue *y10_onnx_input_value (Y10OnnxValues *self,
    const Y10OnnxNode *node, guint i);
/* Likewise, but NULL if it is of another kind. */
const Y10OnnxValue *y10_onnx_input_of_kind (Y10OnnxValues *self,
    const Y10OnnxNode *node, guint i, Y10OnnxKind kind);
guint y10_onnx_id (const Y10OnnxValues *self, const Y10OnnxValue *value);
/* The expression without its scale. Linear operators pass the scale on, because
 * exporters move it. */
guint y10_onnx_unscaled_id (const Y10OnnxValues *self,
    const Y10OnnxValue *value);

G_END_DECLS
