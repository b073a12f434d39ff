/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gfloat logit;                 /* y10_topk_score() makes it a score */
  guint32 anchor;
  guint32 class_id;
} Y10Candidate;

/* The best @capacity candidates so far, as a heap whose root is the worst. */
typedef struct
{
  guint n, capacity;
  gfloat floor;                 /* below this no candidate can be kept: the
                                 * confidence's logit, then the worst kept */
  Y10Candidate *heap;
} Y10TopK;

/* The largest logit whose sigmoid may still be below @confidence. */
gfloat y10_head_logit_floor (gfloat confidence);
void y10_topk_init (Y10TopK * topk, Y10Candidate * heap, guint capacity,
    gfloat floor);
void y10_topk_push (Y10TopK * topk, gfloat logit, guint32 anchor,
    guint32 class_id);
/* Sorts by score, anchor, class. */
void y10_topk_sort (Y10TopK * topk);
/* Turns the logits of the sorted candidates into scores, in order. Returns how
 * many reach @confidence. */
guint y10_topk_score (Y10TopK * topk, gfloat confidence);
gfloat y10_head_sigmoid (gfloat logit);

G_END_DECLS
