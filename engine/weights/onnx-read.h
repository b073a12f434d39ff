/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "weights/onnx-graph.h"

G_BEGIN_DECLS

/* Fills @graph from a file, and the file's metadata. */
gboolean y10_onnx_read (Y10TensorFile *file, Y10OnnxGraph *graph,
    GError **error);

G_END_DECLS
