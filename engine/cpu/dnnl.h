/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "cpu/cpu.h"

G_BEGIN_DECLS

#ifdef HAVE_DNNL

Y10Dnnl *y10_dnnl_new (void);
void y10_dnnl_free (Y10Dnnl * dnnl);
/* Returns a new string such as "oneDNN 2.6.3", or NULL if it is not used. */
char *y10_dnnl_describe (const Y10Dnnl * dnnl);

/* Makes oneDNN run @op if that is faster than our own kernels: sets op->dnnl,
 * op->impl and op->weight_size. */
void y10_dnnl_conv_new (Y10Dnnl * dnnl, const Y10CpuCompile * c,
    Y10CpuOp * op);
void y10_dnnl_conv_free (Y10DnnlConv * conv);
/* Packs weights and bias to @packed and @packed_bias, which must outlive
 * @conv. */
gboolean y10_dnnl_conv_pack (Y10DnnlConv * conv, const Y10CpuCompile * c,
    const Y10CpuOp * op, const gfloat * weight, const gfloat * bias,
    guint8 * packed, gfloat * packed_bias, GError ** error);
/* Runs the convolution on the image in @arena. */
gboolean y10_dnnl_conv_run (Y10DnnlConv * conv, guint8 * arena,
    GError ** error);

#else

/* Built without oneDNN: our own kernels run all convolutions. */

static inline Y10Dnnl *
y10_dnnl_new (void)
{
  return NULL;
}

static inline void
y10_dnnl_free (Y10Dnnl *dnnl)
{
}

static inline char *
y10_dnnl_describe (const Y10Dnnl *dnnl)
{
  return NULL;
}

static inline void
y10_dnnl_conv_new (Y10Dnnl *dnnl, const Y10CpuCompile *c, Y10CpuOp *op)
{
}

static inline void
y10_dnnl_conv_free (Y10DnnlConv *conv)
{
}

static inline gboolean
y10_dnnl_conv_pack (Y10DnnlConv *conv, const Y10CpuCompile *c,
    const Y10CpuOp *op, const gfloat *weight, const gfloat *bias,
    guint8 *packed, gfloat *packed_bias, GError **error)
{
  return TRUE;
}

static inline gboolean
y10_dnnl_conv_run (Y10DnnlConv *conv, guint8 *arena, GError **error)
{
  return TRUE;
}

#endif

G_END_DECLS
