/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/onnx-inputs.h"

G_BEGIN_DECLS

/* Evaluates all nodes of @graph for one input size. */
Y10OnnxValues *y10_onnx_values_new (const Y10OnnxGraph *graph,
    Y10Expressions *expressions, guint width, guint height);
void y10_onnx_values_free (Y10OnnxValues *values);
/* Returns Y10_EXPRESSION_NONE if unknown. */
guint y10_onnx_values_get_id (const Y10OnnxValues *values, const char *name);
/* Returns the node to name in the error if @conv differs, and in @why the
 * end of the sentence about it. */
const Y10OnnxNode *y10_onnx_values_get_culprit (const Y10OnnxValues *values,
    const Y10OnnxNode *conv, const char **why);

G_END_DECLS
