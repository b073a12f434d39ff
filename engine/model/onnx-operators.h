/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/onnx-inputs.h"

G_BEGIN_DECLS

/* Evaluates output number @output of @node; NULL if unknown. */
Y10OnnxValue *y10_onnx_eval (Y10OnnxValues *self, const Y10OnnxNode *node,
    guint output);

G_END_DECLS
