/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The thread that prepares batch sizes while steps run; the base's n_preparing counts
 * what is to do. Any thread may call these functions; free ends the thread and waits for
 * the convolution it is at. */

#include "core/backend.h"

G_BEGIN_DECLS

typedef struct _Y10CudaPreparer Y10CudaPreparer;

Y10CudaPreparer *y10_cuda_preparer_new (Y10Program *program,
    Y10TuneChanged changed, gpointer data, GError **error);
void y10_cuda_preparer_free (Y10CudaPreparer *preparer);
void y10_cuda_preparer_add (Y10CudaPreparer *preparer, guint n);

G_END_DECLS
