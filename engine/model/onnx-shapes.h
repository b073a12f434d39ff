/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/onnx-inputs.h"

G_BEGIN_DECLS

/* Operators on numbers. @op: '+', '-', '*' or '/'. */
Y10OnnxValue *y10_onnx_eval_numbers (char op, const Y10OnnxValue *a,
    const Y10OnnxValue *b);
Y10OnnxValue *y10_onnx_concat_numbers (Y10OnnxValues *self,
    const Y10OnnxNode *node);
Y10OnnxValue *y10_onnx_eval_floor (Y10OnnxValues *self,
    const Y10OnnxNode *node);
Y10OnnxValue *y10_onnx_eval_shape (Y10OnnxValues *self,
    const Y10OnnxNode *node);
Y10OnnxValue *y10_onnx_eval_gather (Y10OnnxValues *self,
    const Y10OnnxNode *node);
Y10OnnxValue *y10_onnx_eval_squeeze (Y10OnnxValues *self,
    const Y10OnnxNode *node);

G_END_DECLS
