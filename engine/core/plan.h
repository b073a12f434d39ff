/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A graph laid out in one arena for one backend. */

#include "core/graph.h"

G_BEGIN_DECLS

/* How a backend wants activations. A segment's channels are padded to
 * @block. Blocked layouts are [channels / block][height][width][block] (block
 * 1: planar); @channels_last is [height][width][all padded channels]. */
typedef struct
{
  guint block;
  gboolean channels_last;
  guint elem_size;              /* bytes of an activation; logits have 4 */
  gboolean half;                /* two bytes are IEEE half, else bfloat16 */
  guint input_block;            /* the input has its own: 1 = three planes */
  guint input_elem_size;
  gsize align;                  /* of each tensor in the arena, bytes */
  guint max_run;                /* images of one submit that share an arena
                                 * laid out as one batch; 1: an arena each */
} Y10Layout;

/* Where a tensor lies. */
typedef struct
{
  gsize offset, size;           /* bytes, in the arena of one image */
  guint block, elem_size;
  guint padded_channels;        /* of all segments */
  guint *seg_start;             /* first padded channel of each segment,
                                 * n_segs + 1 of them */
  guint first_op, last_op;      /* ops between which it is live */
} Y10Storage;

typedef struct
{
  const Y10Graph *graph;        /* borrowed */
  Y10Layout layout;
  Y10Storage *storage;          /* one a tensor */
  gsize arena_size;             /* bytes an image */
} Y10Plan;

Y10Plan *y10_plan_new (const Y10Graph * graph, const Y10Layout * layout,
    GError ** error);
void y10_plan_free (Y10Plan * plan);

/* Bytes from the arena's start to the view's first element. */
gsize y10_plan_view_offset (const Y10Plan * plan, Y10View v);
/* Channels with padding; a view of several segments has padding inside. */
guint y10_plan_view_padded (const Y10Plan * plan, Y10View v);
/* About the bytes that packed weights take: padded, of the layout's type. */
guint64 y10_plan_weights_size (const Y10Plan * plan);
/* physical[c] = padded channel, from the view's start, of logical channel c. */
void y10_plan_view_map (const Y10Plan * plan, Y10View v, guint * physical);
/* Copies a view to or from planar floats. */
void y10_plan_view_export (const Y10Plan * plan, Y10View v,
    const guint8 * arena, gfloat * nchw);
void y10_plan_view_import (const Y10Plan * plan, Y10View v, guint8 * arena,
    const gfloat * nchw);

G_END_DECLS
