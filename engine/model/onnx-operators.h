/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/onnx-value.h"
#include "model/onnx-values.h"

G_BEGIN_DECLS

/* State shared by the operators. */

struct _Y10OnnxValues
{
  const Y10OnnxGraph *graph;
  Y10Expressions *expressions;
  GHashTable *by_name;          /* of Y10OnnxValue; the graph owns the names */
  GHashTable *modules;          /* node → module */
};

/* onnx-values.c: the value of input @i of @node; NULL if it is omitted or a
 * constant that is not a shape. */
const Y10OnnxValue *y10_onnx_input_value (Y10OnnxValues * self,
    const Y10OnnxNode * node, guint i);
/* Likewise, but NULL if it is of another kind. */
const Y10OnnxValue *y10_onnx_input_of_kind (Y10OnnxValues * self,
    const Y10OnnxNode * node, guint i, Y10OnnxKind kind);
guint y10_onnx_id (const Y10OnnxValues * self,
    const Y10OnnxValue * value);
/* The expression without its scale. Linear operators pass the scale on, because
 * exporters move it. */
guint y10_onnx_unscaled_id (const Y10OnnxValues * self,
    const Y10OnnxValue * value);

/* onnx-operators.c: evaluates output number @output of @node; NULL if
 * unknown. */
Y10OnnxValue *y10_onnx_eval (Y10OnnxValues * self, const Y10OnnxNode * node,
    guint output);
/* Returns an integer attribute, or @otherwise if it is missing. */
gint64 y10_onnx_integer (const Y10OnnxNode * node, const char *name,
    gint64 otherwise);

/* onnx-shapes.c: operators on numbers. @op: '+', '-', '*' or '/'. */
Y10OnnxValue *y10_onnx_eval_numbers (char op, const Y10OnnxValue * a,
    const Y10OnnxValue * b);
Y10OnnxValue *y10_onnx_concat_numbers (Y10OnnxValues * self,
    const Y10OnnxNode * node);
Y10OnnxValue *y10_onnx_eval_floor (Y10OnnxValues * self,
    const Y10OnnxNode * node);
Y10OnnxValue *y10_onnx_eval_shape (Y10OnnxValues * self,
    const Y10OnnxNode * node);
Y10OnnxValue *y10_onnx_eval_gather (Y10OnnxValues * self,
    const Y10OnnxNode * node);
Y10OnnxValue *y10_onnx_eval_squeeze (Y10OnnxValues * self,
    const Y10OnnxNode * node);

G_END_DECLS
