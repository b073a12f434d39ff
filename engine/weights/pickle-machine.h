/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "weights/pickle.h"

G_BEGIN_DECLS

struct _Y10Pickle
{
  const guint8 *start, *next, *end;
  gsize budget, used;
  GPtrArray *blocks;
  guint8 *block; /* memory; the first @block_used bytes are in use */
  gsize block_used;
  Y10PickleValue **stack, **memo;
  gsize depth, stack_size, n_memo, memo_size;
  Y10PickleValue *root;
  char *why;        /* set: the machine has stopped */
  guint8 sink[128]; /* returned by allocations after a failure */
};

/* Stops the machine; the first reason counts. */
void y10_pickle_fail (Y10Pickle *m, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* NULL after a failure. */
gpointer y10_pickle_allocate (Y10Pickle *m, gsize size);
/* Never NULL. After a failure it is a place that nobody reads. */
Y10PickleValue *y10_pickle_make (Y10Pickle *m, Y10PickleKind kind);

void y10_pickle_push (Y10Pickle *m, Y10PickleValue *value);
/* The topmost value, never NULL; a mark is a failure. */
Y10PickleValue *y10_pickle_top (Y10Pickle *m);
Y10PickleValue *y10_pickle_pop (Y10Pickle *m);
/* The position of the topmost mark on the stack, to which the caller pops. */
gsize y10_pickle_find_mark (Y10Pickle *m);

gboolean y10_pickle_holds_items (const Y10PickleValue *value);
void y10_pickle_append (Y10Pickle *m, Y10PickleValue *to,
    Y10PickleValue *const *values, gsize n);
/* Moves what is above the topmost mark into the container below it; @is_new:
 * into a new container, which is pushed. */
void y10_pickle_take_marked (Y10Pickle *m, Y10PickleValue *is_new,
    gboolean pairs);

/* Stores the topmost value in the memo, or pushes one from there. */
void y10_pickle_put (Y10Pickle *m, gsize index);
void y10_pickle_get (Y10Pickle *m, gsize index);

G_END_DECLS
