/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/image.h>

#include "cpu/kernels/isa.h"
#include "cpu/threadpool.h"

G_BEGIN_DECLS

/* Bytes of scratch, aligned to 64, for any picture into inputs of this width,
 * read by a team of this many. */
gsize y10_cpu_preprocess_scratch (guint dst_width, guint threads);

/* y10_ref_preprocess() to the bit. No @team: the calling thread alone. */
void y10_cpu_preprocess (const Y10Image * image,
    const Y10Letterbox * letterbox, Y10ThreadPool * team, gpointer scratch,
    gfloat * planes);

/* "avx512", "avx2" or "c": which kernels it runs. */
const char *y10_cpu_preprocess_impl (void);

G_END_DECLS
