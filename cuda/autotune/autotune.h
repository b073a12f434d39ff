/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Searches, verifies and measures fused plans for running programs, in separate
 * threads. */

#include "program.h"

G_BEGIN_DECLS

/* autotune/autotune.c. Tunes @program, which is a base, and all that have it. Begins
 * with its most images, unless there will be programs of other sizes. Calls @changed from
 * the tuner's threads on each progress. Returns NULL and sets @error to the reason if
 * there is nothing to tune. */
Y10CudaTune *y10_cuda_tune_new (Y10Program *program, Y10TuneChanged changed,
    gpointer data, GError **error);
/* Stops the threads, which may have to finish building a plan. */
void y10_cuda_tune_free (Y10CudaTune *tune);
/* Requests tuning for steps of @n images of @program. Any thread. */
void y10_cuda_tune_add (Y10CudaTune *tune, Y10Program *program, guint n);
/* Forgets requests for @program. FALSE: the threads still work for it, and have been
 * told to leave it. */
gboolean y10_cuda_tune_leave (Y10CudaTune *tune, const Y10Program *program);
void y10_cuda_tune_get_progress (Y10CudaTune *tune,
    Y10TuningProgress *progress);

/* autotune/verify.c: a trial runs one convolution on synthetic data, with its own
 * stream and memory. One thread at a time. */
typedef struct _Y10CudaTrial Y10CudaTrial;

Y10CudaTrial *y10_cuda_trial_new (Y10Device *device, GError **error);
void y10_cuda_trial_free (Y10CudaTrial *trial);
/* Generates synthetic data for @desc, which is fused, and computes the expected
 * output with our own kernel. */
gboolean y10_cuda_trial_begin (Y10CudaTrial *trial, const Y10CudaConvDesc *desc,
    gsize workspace, GError **error);
/* Returns FALSE and sets @error if the plan fails or its output differs from that
 * of our own kernel. @difference: the largest difference relative to the
 * tolerance, or 0 if the plan could not run. */
gboolean y10_cuda_trial_verify (Y10CudaTrial *trial, Y10CudaConvPlan *plan,
    double *difference, GError **error);
/* The same for a plan of stage BIAS and its epilogue. */
gboolean y10_cuda_trial_verify_unfused (Y10CudaTrial *trial,
    Y10CudaConvPlan *plan, double *difference, GError **error);
/* Measures each plan in nanoseconds; @bias, if it is not NULL, together with its
 * epilogue. */
gboolean y10_cuda_trial_measure (Y10CudaTrial *trial, Y10CudaConvPlan *bias,
    Y10CudaConvPlan *const *fused, guint n, GCancellable *cancellable,
    gint64 *bias_ns, gint64 *fused_ns, GError **error);

G_END_DECLS
