/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/graph.h"

G_BEGIN_DECLS

/* Of a network's input: each side is a multiple of 32. */
#define Y10_MAX_INPUT_SIZE 8192

static inline gboolean
y10_is_input_size (guint64 pixels)
{
  return pixels >= 32 && pixels <= Y10_MAX_INPUT_SIZE && pixels % 32 == 0;
}

/* Builds the graph of @model for an input of @width × @height, multiples of 32;
 * @head is not AUTO. */
Y10Graph *y10_model_build_graph (const Y10Model *model, guint width,
    guint height, Y10Head head, GError **error);

/* y10_model_save() with other tensors. */
gboolean y10_model_save_changed (const Y10Model *model,
    const Y10TensorChanges *changes, const char *path, GError **error);

/* See y10_tensor_file_get_identity(). */
const char *y10_model_get_identity (const Y10Model *model);

G_END_DECLS
