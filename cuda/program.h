/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A program: the weights on the device, and what its batch sizes run. Programs of
 * other input sizes have the weights of the first one, their base. */

#include <pthread.h>

#include "device.h"
#include "kernels/view.h"
#include "opplans.h"
#include "prepare.h"

G_BEGIN_DECLS

/* Of each tensor in the arena and each packed array of weights. */
#define Y10_CUDA_ALIGN 256
/* Channels are padded to this: 16 bytes of half precision. */
#define Y10_CUDA_BLOCK 8

typedef struct _Y10CudaTune Y10CudaTune;

struct _Y10Program
{
  Y10Device *device;
  Y10Program *base; /* the first one; itself */
  const Y10Plan *plan;
  Y10Precision precision;
  Y10KType type;
  guint elem_size;
  CUdeviceptr weights; /* of all ops; the base's, if weights_size is 0 */
  gsize weights_size;
  gsize *weight, *bias;      /* one an op: bytes from weights */
  char hash[17];             /* of the weights */
  gboolean stem;             /* op 0 is a stem, which reads the pictures */
  Y10CudaLanes *lanes;       /* of the ops */
  Y10CudaPreparer *preparer; /* NULL: no batch size was requested */
  guint64 occurred;          /* batch sizes that steps have had */

  pthread_mutex_t preparing; /* one thread at a time makes op plans */
  pthread_mutex_t lock;      /* of what follows */
  guint64 sizes;             /* prepared or requested */
  Y10CudaOpPlans *batches[Y10_CUDA_MAX_SIZE]; /* [n - 1]: newest, or NULL */
  Y10CudaOpPlans *in_use; /* by the slots, at the most images */
  guint in_use_images;
  int version; /* atomic: counts publications */

  /* Of the base, for all of its programs. */
  Y10CudaTune *tune;          /* searches for faster plans; NULL: off */
  const char *not_tuned;      /* why; or NULL */
  int n_submitted, n_running; /* atomic: steps so far; not waited for yet */
  int n_preparing;            /* atomic: batch sizes that are requested */
};

/* @base: for an input of another size, the first program; NULL: this is it. */
Y10Program *y10_cuda_program_new (Y10Device *device, Y10Program *base,
    const Y10Plan *plan, Y10Precision precision, GCancellable *cancellable,
    GError **error);
void y10_cuda_program_free (Y10Program *program);
Y10KType y10_cuda_type (Y10Precision precision);

/* Prepares @n images in the background, unless they are already. */
void y10_cuda_program_request (Y10Program *program, guint n,
    Y10TuneChanged changed, gpointer data);

G_END_DECLS
