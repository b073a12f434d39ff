/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/engine.h>
#include <y10/image.h>

G_BEGIN_DECLS

/**
 * Y10Quantizer:
 *
 * Converts a model to 8-bit integers. It needs to see pictures first, because
 * the range of each activation depends on them.
 *
 * Since: 0.2
 */
typedef struct _Y10Quantizer Y10Quantizer;

Y10_API Y10Quantizer *y10_quantizer_new (Y10Model *model, guint threads,
    GError **error);
Y10_API void y10_quantizer_free (Y10Quantizer *quantizer);
Y10_API gboolean y10_quantizer_add (Y10Quantizer *quantizer,
    const Y10Image *image, GError **error);
Y10_API gboolean y10_quantizer_save (Y10Quantizer *quantizer, const char *path,
    GError **error);
Y10_API Y10Engine *y10_quantizer_get_engine (const Y10Quantizer *quantizer);
Y10_API gboolean y10_quantizer_compare (Y10Quantizer *quantizer,
    Y10Engine *engine, const Y10Image *image, double *signal, double *noise,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10Quantizer, y10_quantizer_free)

G_END_DECLS
