/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The computation of tensors as expressions in canonical form. Equal
 * expressions have equal ids, in whichever graph they occur. */

/* Channels [first, last) of an expression that has @total channels. */
typedef struct
{
  guint id;
  gint64 first, last, total;
} Y10Piece;

/* A tensor: consecutive pieces along the channels. A concat joins pieces and
 * a split cuts them; neither is an expression. */
typedef GArray Y10Pieces;

typedef struct _Y10Expressions Y10Expressions;

#define Y10_EXPRESSION_NONE 0 /* not the id of any expression */

Y10Expressions *y10_expressions_new (void);
void y10_expressions_free (Y10Expressions *self);
/* Returns the id of the formatted expression, whose operands are ids, or
 * Y10_EXPRESSION_NONE if the memory limit is reached. */
guint y10_expressions_intern (Y10Expressions *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Returns Y10_EXPRESSION_NONE if there is no such expression. */
guint y10_expressions_find (Y10Expressions *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
guint y10_expressions_add (Y10Expressions *self, guint a, guint b);
guint y10_expressions_conv (Y10Expressions *self, const char *module,
    gint64 kernel, gint64 stride, gint64 pad, gint64 groups, guint in);
/* Multiplies by @factor, rounded to three digits, the precision of half
 * floats. */
guint y10_expressions_scale (Y10Expressions *self, guint id, gdouble factor);
/* Returns one expression for all pieces. */
guint y10_expressions_join (Y10Expressions *self, const Y10Pieces *pieces);

Y10Pieces *y10_pieces_new (guint id, gint64 channels);
/* Appends a piece and merges it with the last one if they are adjacent. */
void y10_pieces_append (Y10Pieces *pieces, const Y10Piece *piece);
/* Returns channels [first, last). */
Y10Pieces *y10_pieces_cut (const Y10Pieces *pieces, gint64 first, gint64 last);

G_END_DECLS
