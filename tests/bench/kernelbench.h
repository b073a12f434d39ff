/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#pragma once

/* What the parts of bench-kernels share: cases, which are kernels with their parameters. */

#include <string.h>

#include <glib.h>

#include "driver/launch.h"

G_BEGIN_DECLS

#define SETS 4 /* of buffers */
#define SIZE 640
#define SOURCE_WIDTH 1920
#define SOURCE_HEIGHT 1080
#define MAX_PARAMS 512 /* bytes of a kernel's parameters */

typedef struct
{
  const Y10CudaDriver *d;
  Y10CudaKernels kernels;
  CUstream stream;
  CUevent events[2];
  Y10KType type;
  gint batch, repeats, rounds;
  const char *only;
  guint n_printed;
  CUdeviceptr memory, end; /* one allocation, of which the case takes parts */
} Bench;

/* A case: a kernel and SETS parameters that differ in their buffers. */
typedef struct
{
  char name[64];
  CUfunction function;
  Y10KLaunch launch;
  guint8 params[SETS][MAX_PARAMS] __attribute__ ((aligned (16)));
} Case;

#define CHECK(call, what) y10_cuda_check (d, call, what, error)

#define SET(c, i, p) \
  G_STMT_START \
  { \
    G_STATIC_ASSERT (sizeof (p) <= MAX_PARAMS); \
    memcpy ((c)->params[i], &(p), sizeof (p)); \
  } \
  G_STMT_END

/* Takes memory for the case that has begun. */
void *bench_take (Bench *b, gsize size);
/* Copies what the case needs to there. */
gboolean bench_upload (Bench *b, const void *to, gconstpointer from, gsize size,
    GError **error);
/* Starts a case: its buffers may take the place of the last one's. Returns whether it
 * is wanted. */
gboolean bench_begin (Bench *b, Case *c, CUfunction function,
    const char *format, ...) G_GNUC_PRINTF (4, 5);
/* Measures the case and prints it. */
gboolean bench_measure (Bench *b, const Case *c, GError **error);

/* The cases of the head at that confidence. */
gboolean bench_head (Bench *b, float confidence, GError **error);

G_END_DECLS
