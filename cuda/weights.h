/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The weights as the kernels read them. */

#include "core/backend.h"

G_BEGIN_DECLS

/* Weights and biases of all ops in the layouts of the kernels; the caller frees the
 * bytes. */
guint8 *y10_cuda_pack (const Y10Program *program, gsize *size, GError **error);
/* Whether the weights of @program's base are packed as its own would be. */
gboolean y10_cuda_packs_alike (const Y10Program *program);

G_END_DECLS
