/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/expressions.h"
#include "weights/onnx.h"

G_BEGIN_DECLS

/* What every output of an ONNX graph is, for an input of one size: numbers where
 * it is a shape, an expression where it is made from the image, or unknown. */
typedef struct _Y10OnnxValues Y10OnnxValues;

Y10OnnxValues *y10_onnx_values_new (const Y10OnnxGraph * graph,
    Y10Expressions * expressions, guint width, guint height);
void y10_onnx_values_free (Y10OnnxValues * values);
/* Y10_EXPRESSION_NONE: unknown. */
guint y10_onnx_values_get_id (const Y10OnnxValues * values, const char *name);
/* The node to name when @conv is not what is expected, and in @why the rest of
 * the sentence. */
const Y10OnnxNode *y10_onnx_values_get_culprit (const Y10OnnxValues * values,
    const Y10OnnxNode * conv, const char **why);

G_END_DECLS
