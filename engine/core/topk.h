/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gfloat logit; /* y10_topk_score() replaces it with the score */
  guint32 anchor;
  guint32 class_id;
} Y10Candidate;

/* The best @capacity candidates so far: a heap with the worst at its root. */
typedef struct
{
  guint n, capacity;
  gfloat floor; /* lower logits are rejected: logit of the
                                 * confidence, later of the worst kept */
  Y10Candidate *heap;
} Y10TopK;

/* A logit slightly below the one whose sigmoid is @confidence. */
gfloat y10_head_logit_floor (gfloat confidence);
void y10_topk_init (Y10TopK *topk, Y10Candidate *heap, guint capacity,
    gfloat floor);
void y10_topk_push (Y10TopK *topk, gfloat logit, guint32 anchor,
    guint32 class_id);
/* Sorts by score, anchor, class. */
void y10_topk_sort (Y10TopK *topk);
/* Replaces the logits of the sorted candidates with scores, keeping the order.
 * Returns how many reach @confidence. */
guint y10_topk_score (Y10TopK *topk, gfloat confidence);
gfloat y10_head_sigmoid (gfloat logit);

G_END_DECLS
