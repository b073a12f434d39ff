/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A network as a list of ops over tensors. Independent of how a backend lays
 * out memory, which is plan.h's job. */

#include <math.h>
#include <y10/model.h>

#include "weights/weights.h"

G_BEGIN_DECLS

typedef enum
{
  Y10_OP_CONV,     /* convolution, bias, optional SiLU, optional residual add */
  Y10_OP_MAXPOOL5, /* 5x5 max, stride 1, padding 2 */
  Y10_OP_UPSAMPLE2X, /* nearest neighbour */
  Y10_OP_ATTENTION,  /* softmax(q'k * scale) v + depthwise 3x3 (v), per head */
} Y10OpKind;

#define Y10_N_OP_KINDS (Y10_OP_ATTENTION + 1)

typedef enum
{
  Y10_ACT_NONE,
  Y10_ACT_SILU,
} Y10Act;

typedef enum
{
  Y10_ROLE_INPUT, /* 3 channels R, G, B in [0, 1] */
  Y10_ROLE_ACTIVATION,
  Y10_ROLE_LOGITS, /* read by the head: fp32 at every precision */
} Y10TensorRole;

/* Activations of one image. The operands of a concat, or the parts of a split,
 * are consecutive segments. */
typedef struct
{
  Y10TensorRole role;
  guint height, width;
  guint n_segs;
  guint *seg_channels; /* unpadded channels of each segment */
  /* One for each unpadded channel of a tensor that is stored in 8 bits in int8,
   * as value / scale + zero; NULL: never. */
  gfloat *scale;
  guint8 *zero;
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
  char *name; /* name of the module in the checkpoint */
  Y10View in, out;
  Y10View add; /* conv: added after the activation; may equal
                                 * @out (in place) */
  guint conv;  /* conv: index into the weights; attention:
                                 * its depthwise positional conv */
  guint kernel, stride, pad, groups;
  Y10Act act;
  gboolean quantized; /* conv: the file has its weights as integers */
  guint heads, key_dim, head_dim; /* attention. in: segments q, k, v of each
                                         * head; out: one segment per head */
} Y10Op;

#define Y10_MAX_LEVELS 4

/* How a head's box logits become boxes. */
typedef enum
{
  Y10_HEAD_KIND_DFL,  /* distributions over n_bins, to four edges */
  Y10_HEAD_KIND_LTRB, /* n_bins is 1: the distances to four edges */
} Y10HeadKind;

typedef struct
{
  guint width, height;  /* of the input, pixels */
  Y10Head head;         /* never AUTO */
  gboolean multi_label; /* with NMS: all classes of an anchor are candidates */
  Y10HeadKind head_kind;
  guint n_classes, n_bins, n_anchors;
  Y10View input;
  guint n_levels;              /* anchor grids, the finest first */
  Y10View box[Y10_MAX_LEVELS]; /* 4 × n_bins logits: left, top, right, bottom */
  Y10View cls[Y10_MAX_LEVELS];  /* n_classes logits */
  guint stride[Y10_MAX_LEVELS]; /* input pixels per anchor, such as 8, 16, 32 */
  guint n_layers;
  Y10View *layer; /* output of each module before the head */

  guint n_tensors, n_ops;
  Y10Tensor *tensors;
  Y10Op *ops; /* in execution order */
  Y10Weights *weights;
  gboolean quantized; /* some ops are */
} Y10Graph;

/* Used by model structures. After a failed call the builder keeps the first
 * error and ignores all further calls. */
typedef struct _Y10GraphBuilder Y10GraphBuilder;

Y10GraphBuilder *y10_graph_builder_new (const Y10TensorFile *file, guint width,
    guint height);
Y10View y10_graph_builder_input (Y10GraphBuilder *b);
Y10View y10_graph_builder_tensor (Y10GraphBuilder *b, Y10TensorRole role,
    guint height, guint width, const guint *seg_channels, guint n_segs);
void y10_graph_builder_op (Y10GraphBuilder *b, const Y10Op *op);
Y10View y10_graph_builder_concat (Y10GraphBuilder *b, const Y10View *views,
    guint n_views);
Y10Weights *y10_graph_builder_weights (Y10GraphBuilder *b);
guint y10_graph_builder_channels (Y10GraphBuilder *b, Y10View v);
void y10_graph_builder_size (Y10GraphBuilder *b, Y10View v, guint *height,
    guint *width);
void y10_graph_builder_fail (Y10GraphBuilder *b, GError *error);
gboolean y10_graph_builder_failed (Y10GraphBuilder *b);
/* Frees the builder. Resolves each view to its root tensor, so that the
 * graph and its ops refer to no tensor that is part of another. */
Y10Graph *y10_graph_builder_finish (Y10GraphBuilder *b, Y10Graph *fields,
    GError **error);

/* quant.c: sets the scales of all tensors from the convolutions that read them. Call
 * it for a finished graph. */
gboolean y10_graph_read_scales (Y10Graph *graph, const char *path,
    GError **error);
/* The scales and zero points of the view's channels; NULL if it has none. */
const gfloat *y10_graph_view_scale (const Y10Graph *graph, Y10View v,
    const guint8 **zero);

void y10_graph_free (Y10Graph *graph);
/* Converts an anchor index to its level and grid cell. */
void y10_graph_locate (const Y10Graph *graph, guint32 anchor, guint *level,
    guint *row, guint *column);
guint y10_graph_view_channels (const Y10Graph *graph, Y10View v);

/* TRUE: candidates go through NMS. */
static inline gboolean
y10_graph_has_nms (const Y10Graph *graph)
{
  return graph->head != Y10_HEAD_ONE2ONE;
}

/* TRUE: the best class of each anchor is a candidate. FALSE: every pair of anchor and
 * class is. */
static inline gboolean
y10_graph_has_best_class (const Y10Graph *graph)
{
  return y10_graph_has_nms (graph) && !graph->multi_label;
}

/* The first op of the tail that computes box logits only. */
guint y10_graph_first_box_op (const Y10Graph *graph);
/* Whether op @op is a depthwise convolution that the next op, a 1×1 convolution, reads
 * all of, and nobody else: one kernel can compute both. */
gboolean y10_graph_is_pair (const Y10Graph *graph, guint op);
/* Whether op @op is a pair with the next one, and the op after these makes logits of just
 * what they write, by a 1×1 convolution: one kernel can compute all three. */
gboolean y10_graph_is_logits_pair (const Y10Graph *graph, guint op);
/* Whether op @op is a 1×1 convolution that adds nothing, and the next op upsamples just
 * what it writes: one kernel can do both. */
gboolean y10_graph_is_upsampled (const Y10Graph *graph, guint op);
/* How many ops from @op on are one of these together; 1: it is none. */
guint y10_graph_count_joint (const Y10Graph *graph, guint op);
guint64 y10_graph_op_flops (const Y10Graph *graph, const Y10Op *op);
const char *y10_op_kind_get_name (Y10OpKind kind);

/* The 8 bits of @value; ties go to even, NaN to 0. @inverse: 1 / scale. */
static inline guint8
y10_quantize (gfloat value, gfloat inverse, guint8 zero)
{
  gfloat v = value * inverse + zero;

  return !(v > 0) ? 0 : v >= 255 ? 255 : (guint8) nearbyintf (v);
}

G_END_DECLS
