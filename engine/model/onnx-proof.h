/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/graph.h"
#include "weights/onnx-graph.h"

G_BEGIN_DECLS

/* Checks that each convolution of @onnx has the same inputs as the one with
 * the same name in @graph, which has the size that the file was exported
 * for. The error names the file and the node that differs. @title: what messages
 * call the network. */
gboolean y10_onnx_prove (const Y10OnnxGraph *onnx, const Y10Graph *graph,
    const Y10TensorFile *file, const char *title, GError **error);

G_END_DECLS
