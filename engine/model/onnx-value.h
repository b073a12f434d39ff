/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/expressions.h"
#include "weights/onnx.h"

G_BEGIN_DECLS

/* One output of a node. */

#define Y10_ONNX_MAX_DIMS 6

typedef enum
{
  Y10_ONNX_UNKNOWN,
  Y10_ONNX_NUMBERS,             /* a shape, or what a shape is computed from */
  Y10_ONNX_FEATURES,            /* made from the image */
} Y10OnnxKind;

typedef struct
{
  Y10OnnxKind kind;
  const Y10OnnxNode *culprit;   /* UNKNOWN: where it began */
  guint n_dims;
  gint64 dim[Y10_ONNX_MAX_DIMS];
  guint n;                      /* NUMBERS */
  gdouble *number;
  Y10Pieces *pieces;            /* FEATURES: along dim[1] */
  gdouble scale;                /* FEATURES: that they are multiplied by */
} Y10OnnxValue;

Y10OnnxValue *y10_onnx_unknown (const Y10OnnxNode * culprit);
/* A vector of zeros. */
Y10OnnxValue *y10_onnx_numbers (guint n);
/* Takes @pieces. */
Y10OnnxValue *y10_onnx_features (Y10Pieces * pieces, const gint64 * dim,
    guint n_dims);
/* Features that are all of expression @id. */
Y10OnnxValue *y10_onnx_expression (guint id, const gint64 * dim,
    guint n_dims);
/* NULL: @tensor is too large to be a shape. */
Y10OnnxValue *y10_onnx_value_constant (const Y10OnnxTensor * tensor);
Y10OnnxValue *y10_onnx_copy (const Y10OnnxValue * value);
void y10_onnx_value_free (gpointer value);
/* Whether products of its dimensions cannot overflow and none is empty.
 * Operators rely on this of what they read. */
gboolean y10_onnx_value_has_valid_dims (const Y10OnnxValue * value);

G_END_DECLS
