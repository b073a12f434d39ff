/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The tensors beside the weights of a quantized convolution CONV:
 *   CONV.weight            I8 [out, in, k, k]
 *   CONV.weight_scale      F32 [out]
 *   CONV.input_scale       F32 [in]
 *   CONV.input_zero_point  U8 [in]
 * An input x is stored as q = round (x / input_scale + input_zero_point), and
 * CONV.weight × weight_scale / input_scale is the weight of x. The scales of the
 * input are part of the integers, so that they cost nothing at run time. A
 * convolution whose weights are floats may have the two tensors of the input, too:
 * its input is then stored in 8 bits. */

#include "weights/weights.h"

G_BEGIN_DECLS

/* NULL: the file does not have it. */
typedef struct
{
  const Y10TensorEntry *weight_scale, *input_scale, *input_zero_point;
} Y10Quantized;

/* Finds the tensors beside @weight, whose name is @conv and ".weight", and checks
 * which there are, and their types and shapes. */
gboolean y10_quantized_find (const Y10TensorFile *file, const char *conv,
    const Y10TensorEntry *weight, guint in_channels, Y10Quantized *quantized,
    GError **error);
/* Reads @n scales and checks that they are positive and that a float holds their
 * inverse. */
gboolean y10_quantized_read_scale (const Y10TensorFile *file,
    const Y10TensorEntry *entry, gfloat *scale, GError **error);

G_END_DECLS
