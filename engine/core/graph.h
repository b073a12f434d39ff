/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A network as a list of ops over tensors. Nothing here knows how a backend
 * lays out memory; that is plan.h. */

#include <y10/model.h>

#include "weights/weights.h"

G_BEGIN_DECLS

typedef enum
{
  Y10_OP_CONV,      /* convolution, bias, SiLU or none, residual add or none */
  Y10_OP_MAXPOOL5,  /* 5x5 max, stride 1, padding 2 */
  Y10_OP_UPSAMPLE2X,        /* nearest neighbour */
  Y10_OP_ATTENTION, /* softmax(q'k * scale) v + depthwise 3x3 (v), per head */
} Y10OpKind;

#define Y10_N_OP_KINDS (Y10_OP_ATTENTION + 1)

typedef enum
{
  Y10_ACT_NONE,
  Y10_ACT_SILU,
} Y10Act;

typedef enum
{
  Y10_ROLE_INPUT,       /* 3 channels R, G, B in [0, 1] */
  Y10_ROLE_ACTIVATION,
  Y10_ROLE_LOGITS,      /* read by the head: fp32 in every precision */
} Y10TensorRole;

/* Activations of one image: the operands of a concat, or what a split takes
 * apart, lie one after another as segments. */
typedef struct
{
  Y10TensorRole role;
  guint height, width;
  guint n_segs;
  guint *seg_channels;          /* logical channels of each segment */
} Y10Tensor;

/* Segments [first, first + n) of a tensor. n == 0: no tensor. */
typedef struct
{
  guint tensor;
  guint first, n;
} Y10View;

typedef struct
{
  Y10OpKind kind;
  char *name;                   /* the module in the checkpoint */
  Y10View in, out;
  Y10View add;                  /* conv: added after the activation; may be
                                 * the very view written (in place) */
  guint conv;                   /* conv: index into the weights; attention:
                                 * the depthwise conv of its positions */
  guint kernel, stride, pad, groups;
  Y10Act act;
  guint heads, key_dim, head_dim;       /* attention; in: segments q k v of
                                         * each head; out: one a head */
} Y10Op;

#define Y10_MAX_LEVELS 4

/* How a head's box logits become boxes. */
typedef enum
{
  Y10_HEAD_KIND_DFL,            /* distributions over n_bins, to four edges */
} Y10HeadKind;

typedef struct
{
  guint width, height;          /* of the input, pixels */
  Y10Head head;                 /* never AUTO */
  Y10HeadKind head_kind;
  guint n_classes, n_bins, n_anchors;
  Y10View input;
  guint n_levels;               /* grids of anchors, the finest first */
  Y10View box[Y10_MAX_LEVELS];    /* 4 × n_bins logits: left, top, right, bottom */
  Y10View cls[Y10_MAX_LEVELS];  /* n_classes logits */
  guint stride[Y10_MAX_LEVELS]; /* input pixels per anchor, as 8, 16, 32 */
  guint n_layers;
  Y10View *layer;               /* what each module before the head gives */

  guint n_tensors, n_ops;
  Y10Tensor *tensors;
  Y10Op *ops;                   /* in the order they run */
  Y10Weights *weights;
} Y10Graph;

/* graph.c: what a model's structure builds with. After a failed call the builder holds
 * the first error and every further call does nothing. */
typedef struct _Y10GraphBuilder Y10GraphBuilder;

Y10GraphBuilder *y10_graph_builder_new (const Y10TensorFile * file,
    guint width, guint height);
Y10View y10_graph_builder_input (Y10GraphBuilder * b);
Y10View y10_graph_builder_tensor (Y10GraphBuilder * b, Y10TensorRole role,
    guint height, guint width, const guint * seg_channels, guint n_segs);
void y10_graph_builder_op (Y10GraphBuilder * b, const Y10Op * op);
Y10View y10_graph_builder_concat (Y10GraphBuilder * b, const Y10View * views,
    guint n_views);
Y10Weights *y10_graph_builder_weights (Y10GraphBuilder * b);
guint y10_graph_builder_channels (Y10GraphBuilder * b, Y10View v);
void y10_graph_builder_size (Y10GraphBuilder * b, Y10View v, guint * height,
    guint * width);
void y10_graph_builder_fail (Y10GraphBuilder * b, GError * error);
gboolean y10_graph_builder_failed (Y10GraphBuilder * b);
/* Frees the builder. Resolves every view to the tensor it lies in, so that
 * @graph and the views of its ops name no tensor that is part of another. */
Y10Graph *y10_graph_builder_finish (Y10GraphBuilder * b, Y10Graph * fields,
    GError ** error);

void y10_graph_free (Y10Graph * graph);
/* Which level and grid cell an anchor is. */
void y10_graph_locate (const Y10Graph * graph, guint32 anchor, guint * level,
    guint * row, guint * column);
guint y10_graph_view_channels (const Y10Graph * graph, Y10View v);

/* Whether each anchor's best class goes through NMS; else all pairs of anchor
 * and class are detections. */
static inline gboolean
y10_graph_has_nms (const Y10Graph *graph)
{
  return graph->head != Y10_HEAD_ONE2ONE;
}

/* The ops from here on are what only boxes are computed from. */
guint y10_graph_first_box_op (const Y10Graph * graph);
guint64 y10_graph_op_flops (const Y10Graph * graph, const Y10Op * op);
const char *y10_op_kind_get_name (Y10OpKind kind);

G_END_DECLS
