/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Fused plans for a program that is already running: found, compared and timed
 * in threads of their own. */

#include "cuda.h"

G_BEGIN_DECLS

/* autotune/autotune.c. @changed is called from the tuner's threads whenever its progress
 * has changed. NULL, with the reason in @error, where there is nothing to do. */
Y10CudaTune *y10_cuda_tune_new (Y10Program * program, Y10TuneChanged changed,
    gpointer data, GError ** error);
/* Ends its threads; a plan that is being built is waited for. */
void y10_cuda_tune_free (Y10CudaTune * tune);
/* Steps of @n images occur: they are worth looking at. Any thread. */
void y10_cuda_tune_add (Y10CudaTune * tune, guint n);
void y10_cuda_tune_get_progress (Y10CudaTune * tune,
    Y10TuningProgress * progress);

/* autotune/verify.c: one convolution with made-up numbers, on a stream and in memory of
 * its own. One thread at a time. */
typedef struct _Y10CudaTrial Y10CudaTrial;

Y10CudaTrial *y10_cuda_trial_new (Y10Device * device, GError ** error);
void y10_cuda_trial_free (Y10CudaTrial * trial);
/* Makes the numbers of @desc, a fused one, and what our own kernel makes of
 * them. */
gboolean y10_cuda_trial_begin (Y10CudaTrial * trial,
    const Y10CudaConvDesc * desc, gsize workspace, GError ** error);
/* FALSE and error: cannot be run, or gives something else than our own kernel.
 * @difference: the largest, as a part of what is allowed; 0 where it could not
 * be run. */
gboolean y10_cuda_trial_verify (Y10CudaTrial * trial, Y10CudaConvPlan * plan,
    double *difference, GError ** error);
/* Nanoseconds of each plan; @bias is timed with what has to follow it. */
gboolean y10_cuda_trial_measure (Y10CudaTrial * trial, Y10CudaConvPlan * bias,
    Y10CudaConvPlan * const * fused, guint n, GCancellable * cancellable,
    gint64 * bias_ns, gint64 * fused_ns, GError ** error);

G_END_DECLS
