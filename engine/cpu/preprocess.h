/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/image.h>

#include "cpu/kernels/isa.h"
#include "cpu/threadpool.h"

G_BEGIN_DECLS

/* Bytes of scratch memory, aligned to 64, that suffice for any picture, an
 * input of this width and this many threads. */
gsize y10_cpu_preprocess_scratch (guint dst_width, guint threads);

/* Computes the same bits as y10_ref_preprocess(). @pool: (nullable): NULL
 * uses only the calling thread. */
void y10_cpu_preprocess (const Y10Image *image, const Y10Letterbox *letterbox,
    Y10ThreadPool *pool, gpointer scratch, gfloat *planes);

/* Name of the kernels in use: "avx512", "avx2" or "c". */
const char *y10_cpu_preprocess_impl (void);

G_END_DECLS
