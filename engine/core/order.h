/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Which ops have to run one after the other. */

#include "core/graph.h"

G_BEGIN_DECLS

typedef struct _Y10Order Y10Order;

/* @pairs: what the first op of a pair reads, the second one reads, too, and one that makes
 * logits of what the pair writes. */
Y10Order *y10_order_new (const Y10Graph *graph, gboolean pairs);
void y10_order_free (Y10Order *order);
/* Whether all ops that use the one tensor end before any that uses the other
 * begins. The input is written before all ops, and logits are read after them. */
gboolean y10_order_separates (const Y10Order *order, guint tensor, guint other);

G_END_DECLS
