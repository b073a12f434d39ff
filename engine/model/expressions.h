/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What tensors are computed from, as expressions in canonical form. Equal
 * expressions have equal ids, whichever graph they come from. */

/* Channels [first, last) of an expression that has @total. */
typedef struct
{
  guint id;
  gint64 first, last, total;
} Y10Piece;

/* A tensor: pieces one after another along the channels. A concat joins them, a
 * split cuts them, so that neither leaves a trace of its own. */
typedef GArray Y10Pieces;

typedef struct _Y10Expressions Y10Expressions;

#define Y10_EXPRESSION_NONE 0   /* an id that no expression has */

Y10Expressions *y10_expressions_new (void);
void y10_expressions_free (Y10Expressions * self);
/* The id of the expression that @format spells; operands are ids.
 * Y10_EXPRESSION_NONE when memory for them is used up. */
guint y10_expressions_intern (Y10Expressions * self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Y10_EXPRESSION_NONE if there is no such expression. */
guint y10_expressions_find (Y10Expressions * self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
guint y10_expressions_add (Y10Expressions * self, guint a, guint b);
guint y10_expressions_conv (Y10Expressions * self, const char *module,
    gint64 kernel, gint64 stride, gint64 pad, gint64 groups, guint in);
/* @factor: to three digits, which is what half precision keeps. */
guint y10_expressions_scale (Y10Expressions * self, guint id, gdouble factor);
/* All pieces as one expression. */
guint y10_expressions_join (Y10Expressions * self, const Y10Pieces * pieces);

Y10Pieces *y10_pieces_new (guint id, gint64 channels);
/* Joins what touches. */
void y10_pieces_append (Y10Pieces * pieces, const Y10Piece * piece);
/* Channels [first, last). */
Y10Pieces *y10_pieces_cut (const Y10Pieces * pieces, gint64 first,
    gint64 last);

G_END_DECLS
