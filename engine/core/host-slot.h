/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the slots of backends that compute in host memory have in common. The
 * backend allocates the arenas, fills them and finds the head's candidates.
 * Threads: as in core/backend.h. */

#include "core/backend.h"
#include "core/head.h"

G_BEGIN_DECLS

typedef struct
{
  Y10HeadParams params; /* params.classes: NULL or the next field */
  guint8 *classes;      /* n_classes */
  Y10Letterbox letterbox;
  Y10Detection *rows; /* max_rows */
  Y10Rows result;
} Y10HostImage;

/* The first member of a backend's struct _Y10Slot, where the functions for its
 * class find it. */
typedef struct
{
  const Y10Plan *plan; /* borrowed */
  guint max_batch, max_rows;
  guint8 *arenas;           /* the backend's, one per image */
  gsize arena_stride;       /* bytes between them; the backend's */
  Y10HostImage *images;     /* max_batch */
  Y10Candidate *candidates; /* of one image */
  guint capacity;           /* of candidates */
  gfloat *boxes;
  guint8 *keep;
  gint64 inference, postprocess; /* of the last submit, nanoseconds */
} Y10HostSlot;

/* Allocates all but the arenas. */
void y10_host_slot_init (Y10HostSlot *slot, const Y10Plan *plan,
    guint max_batch, guint max_rows);
/* Frees what init has allocated. */
void y10_host_slot_clear (Y10HostSlot *slot);

/* The first element of a view of floats in the arena of image @i. */
gfloat *y10_host_slot_floats (const Y10HostSlot *slot, guint i, Y10View view);
/* The part of load that is not reading the image: copies its arguments. */
void y10_host_slot_set_image (Y10HostSlot *slot, guint i,
    const Y10Letterbox *letterbox, const Y10HeadParams *params);
/* The head of image @i: between these two, the backend pushes the candidates to
 * @topk and completes the box logits. */
void y10_host_slot_begin_head (Y10HostSlot *slot, guint i, Y10TopK *topk);
void y10_host_slot_finish_head (Y10HostSlot *slot, guint i, Y10TopK *topk);

static inline guint8 *
y10_host_slot_arena (const Y10HostSlot *slot, guint i)
{
  return slot->arenas + i * slot->arena_stride;
}

/* For the backend's class. */
const Y10Rows *y10_host_slot_rows (Y10Slot *slot, guint i);
void y10_host_slot_times (Y10Slot *slot, gint64 *inference,
    gint64 *postprocess);
gboolean y10_host_slot_read_tensor (Y10Slot *slot, guint i, Y10View view,
    gfloat *nchw, GError **error);
/* Leaves padding as it is. */
gboolean y10_host_slot_write_tensor (Y10Slot *slot, guint i, Y10View view,
    const gfloat *nchw, GError **error);
void y10_host_slot_poison (Y10Slot *slot);

G_END_DECLS
