/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Memory plan: the tensors of a graph laid out in one arena for one backend. */

#include "core/graph.h"

G_BEGIN_DECLS

/* The memory layout that a backend requires. Each segment's channels are
 * padded to a multiple of @block. Blocked layouts are [channels /
 * block][height][width] [block] (block 1: planar); @channels_last is
 * [height][width][padded channels]. */
typedef struct
{
  guint block;
  gboolean channels_last;
  guint elem_size;    /* bytes of an activation; logits always 4 */
  gboolean half;      /* 2-byte elements: IEEE half, else bfloat16 */
  gboolean quantized; /* tensors with scales have 1-byte elements */
  guint input_block;  /* block of the input tensor; 1: three planes */
  guint input_elem_size;
  gsize align;       /* of each tensor in the arena, bytes */
  guint max_run;     /* images of one submit whose arenas form one
                                 * batch; 1: separate arenas */
  gboolean parallel; /* ops whose data allow it run at the same time */
  gboolean pairs;    /* two ops that are a pair may run as one, which
                                 * reads while it writes */
} Y10Layout;

/* Location of a tensor. */
typedef struct
{
  gsize offset, size; /* bytes, within the arena of one image */
  guint block, elem_size;
  guint padded_channels;   /* of all segments */
  guint *seg_start;        /* first padded channel of each segment;
                                 * n_segs + 1 entries */
  guint first_op, last_op; /* the tensor is live from first to last */
} Y10Storage;

typedef struct
{
  const Y10Graph *graph; /* borrowed */
  Y10Layout layout;
  Y10Storage *storage; /* one per tensor */
  gsize arena_size;    /* bytes per image */
} Y10Plan;

Y10Plan *y10_plan_new (const Y10Graph *graph, const Y10Layout *layout,
    GError **error);
void y10_plan_free (Y10Plan *plan);

/* Bytes from the start of the arena to the first element of the view. */
gsize y10_plan_view_offset (const Y10Plan *plan, Y10View v);
/* Channels including padding; several segments have padding in between. */
guint y10_plan_view_padded (const Y10Plan *plan, Y10View v);
/* Whether two views share memory, at any times. Views of different channels of one
 * tensor interleave pixel by pixel, but do not overlap. */
gboolean y10_plan_views_overlap (const Y10Plan *plan, Y10View a, Y10View b);
/* Approximate bytes of packed weights: padded, in the layout's element type. */
guint64 y10_plan_weights_size (const Y10Plan *plan);
/* Sets physical[c] to the padded channel, relative to the view, of channel
 * c. */
void y10_plan_view_map (const Y10Plan *plan, Y10View v, guint *physical);
/* Copy a view to and from planar floats. */
void y10_plan_view_export (const Y10Plan *plan, Y10View v, const guint8 *arena,
    gfloat *nchw);
void y10_plan_view_import (const Y10Plan *plan, Y10View v, guint8 *arena,
    const gfloat *nchw);

G_END_DECLS
