/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Every op of every backend against the reference. */

#include "core/backend.h"

G_BEGIN_DECLS

#define MAX_SEGS 48

typedef struct
{
  guint n;
  guint channels[MAX_SEGS];
} Segs;

typedef enum
{
  RESIDUAL_NONE,
  RESIDUAL_SEPARATE, /* added from another tensor */
  RESIDUAL_IN_PLACE, /* added to the output in place */
} Residual;

/* One op, or a chain of identical ones, with private tensors. */
typedef struct
{
  Y10OpKind kind;
  Segs in, out;
  guint height, width; /* of the input */
  guint batch;
  guint kernel, stride;
  gboolean depthwise, silu;
  Residual residual;
  gboolean guards;                /* the views lie inside larger tensors */
  gboolean same_tensor;           /* input and output are views of one tensor */
  gboolean from_input, to_logits; /* tensor roles */
  guint chain;                    /* maxpool5: the length of the chain */
  guint heads, key_dim, head_dim;
} OpCase;

typedef struct
{
  Y10Head head;
  guint width, height;         /* of the network's input */
  guint src_width, src_height; /* of the picture */
  guint n_classes, n_bins;
  float confidence, iou;
  gboolean agnostic, ties, nan;
  gboolean multi_label; /* with NMS: all classes of an anchor */
  guint max_detections;
  guint unwanted; /* every n-th class is filtered out; 0: none is */
} HeadCase;

typedef struct
{
  Y10PixelFormat format;
  Y10ColorMatrix matrix;
  gboolean full_range;
  guint width, height, x, y; /* the region; the frame is slightly larger */
  guint dst_width, dst_height;
} PreprocessCase;

typedef enum
{
  CASE_OP,
  CASE_HEAD,
  CASE_PREPROCESS,
} CaseType;

typedef struct
{
  CaseType type;
  char *name;   /* description; --case= matches it */
  gboolean odd; /* a shape that none of the six variants has */
  union
  {
    OpCase op;
    HeadCase head;
    PreprocessCase preprocess;
  };
} Case;

/* An open device of a backend in one precision. */
typedef struct
{
  const Y10BackendClass *class;
  Y10Precision precision;
  Y10Device *device;
  Y10Layout layout;
} Runner;

typedef struct
{
  gboolean ok, skipped;
  char *why; /* when not ok, or skipped; g_free */
  char impl[96];
  double largest, nmse; /* against the reference */
  /* --bench */
  double ns, spread;   /* median, and (p90 - p10) / median */
  double flops, bytes; /* of one run */
} Result;

typedef struct
{
  guint64 seed;
  gboolean bench;
  double seconds; /* measuring time per case */
} Options;

/* cases.c: the ops of all variants at @width × @height, and the other
 * shapes. */
GPtrArray *cases_new (guint width, guint height, gboolean variants);
const char *case_op (const Case *c);

/* run.c, head.c, preprocess.c: @reference is the ref backend. */
void run_op_case (const Case *c, const Runner *runner, const Runner *reference,
    const Options *options, Result *result);
void run_head_case (const Case *c, const Runner *runner,
    const Runner *reference, const Options *options, Result *result);
void run_preprocess_case (const Case *c, const Runner *runner,
    const Runner *reference, const Options *options, Result *result);

/* run.c */
G_GNUC_PRINTF (2, 3)
void result_fail (Result *result, const char *format, ...);

/* graph.c: a network that consists of one case and has seeded weights. */
typedef struct
{
  Y10Graph *graph;
  guint n_ops;     /* the ops to run; those after them keep the
                                 * tensors alive */
  guint n_tensors; /* the tensors to compare */
} CaseGraph;

CaseGraph *case_graph_new (const OpCase *op, guint64 seed,
    Y10Precision precision);
/* @value rounded to the precision's activations and weights. */
float case_rounded (Y10Precision precision, float value);
void case_graph_free (CaseGraph *graph);
/* The graph of variant n, s, m, b, l or x with weights of zero. */
Y10Graph *variant_graph_new (char variant, guint width, guint height,
    Y10Head head);
/* The graph of a tiny network with @n_classes and @n_bins (16 or 8). */
Y10Graph *tiny_graph_new (guint width, guint height, guint n_classes,
    guint n_bins, Y10Head head);

/* A plan, a program and a slot: what a backend needs to run a graph. */
typedef struct
{
  const Runner *runner;
  Y10Plan *plan;
  Y10Program *program;
  Y10Slot *slot;
} Instance;

gboolean instance_init (Instance *instance, const Runner *runner,
    const Y10Graph *graph, guint batch, guint max_rows, GError **error);
void instance_clear (Instance *instance);

G_END_DECLS
