/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/expressions.h"
#include "weights/onnx-graph.h"

G_BEGIN_DECLS

/* The value of one output of a node. */

#define Y10_ONNX_MAX_DIMS 6
#define Y10_ONNX_MAX_DIM (1 << 24) /* the product of two does not overflow */

typedef enum
{
  Y10_ONNX_UNKNOWN,
  Y10_ONNX_NUMBERS,  /* a shape, or an operand of its computation */
  Y10_ONNX_FEATURES, /* computed from the image */
} Y10OnnxKind;

typedef struct
{
  Y10OnnxKind kind;
  const Y10OnnxNode *culprit; /* UNKNOWN: the first node that is unknown */
  guint n_dims;
  gint64 dim[Y10_ONNX_MAX_DIMS];
  guint n; /* NUMBERS */
  gdouble *number;
  Y10Pieces *pieces; /* FEATURES: along dim[1] */
  gdouble scale;     /* FEATURES: factor to multiply them by */
} Y10OnnxValue;

Y10OnnxValue *y10_onnx_unknown (const Y10OnnxNode *culprit);
/* A vector of zeros. */
Y10OnnxValue *y10_onnx_numbers (guint n);
/* Takes @pieces. */
Y10OnnxValue *y10_onnx_features (Y10Pieces *pieces, const gint64 *dim,
    guint n_dims);
/* Features that consist of expression @id only. */
Y10OnnxValue *y10_onnx_expression (guint id, const gint64 *dim, guint n_dims);
/* Returns NULL if @tensor is too large to be a shape. */
Y10OnnxValue *y10_onnx_value_constant (const Y10OnnxTensor *tensor);
Y10OnnxValue *y10_onnx_copy (const Y10OnnxValue *value);
void y10_onnx_value_free (gpointer value);
/* Whether no dimension is 0 and their product does not overflow. Operators
 * rely on it for their inputs. */
gboolean y10_onnx_value_has_valid_dims (const Y10OnnxValue *value);

G_END_DECLS
