/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Deterministic weights and inputs, the same in any language. */

#include <glib.h>

G_BEGIN_DECLS

/* Element i of tensor @name: 24 random bits as a float in [-1, 1). */
void y10_seeded_fill (const char *name, guint64 seed, gsize n, float *out);
/* The same, scaled by the kind of tensor, so that activations keep their
 * magnitude through the network and scores spread. */
void y10_seeded_tensor (const char *name, const gsize *dim, guint n_dims,
    guint64 seed, float *out);
/* The input "images" in [0, 1). */
void y10_seeded_images (gsize n, guint64 seed, float *out);
/* Writes an F32 safetensors file from a JSON object of shapes by name. */
gboolean y10_seeded_write (const char *shapes_json, guint64 seed,
    const char *out_path, GError **error);

G_END_DECLS
