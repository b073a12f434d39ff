/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#include "config.h"

#include <math.h>
#include <string.h>

#include "model/expressions.h"

/* Of all texts; a yolov10x has 100 KB. */
#define MAX_MEMORY (8u << 20)

struct _Y10Expressions
{
  GHashTable *ids; /* text → id */
  gsize memory;
};

Y10Expressions *
y10_expressions_new (void)
{
  Y10Expressions *self = g_new0 (Y10Expressions, 1);

  self->ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

void
y10_expressions_free (Y10Expressions *self)
{
  g_hash_table_unref (self->ids);
  g_free (self);
}

/* Takes @text. */
static guint
intern (Y10Expressions *self, char *text)
{
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (self->ids, text));

  self->memory += id ? 0 : strlen (text) + 64;
  if (id || self->memory > MAX_MEMORY) {
    g_free (text);
    return id;
  }
  id = g_hash_table_size (self->ids) + 1;
  g_hash_table_insert (self->ids, text, GUINT_TO_POINTER (id));
  return id;
}

guint
y10_expressions_intern (Y10Expressions *self, const char *format, ...)
{
  va_list args;
  char *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return intern (self, text);
}

guint
y10_expressions_find (Y10Expressions *self, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->ids, text));
}

guint
y10_expressions_add (Y10Expressions *self, guint a, guint b)
{
  return y10_expressions_intern (self, "add %u %u", MIN (a, b), MAX (a, b));
}

guint
y10_expressions_conv (Y10Expressions *self, const char *module, gint64 kernel,
    gint64 stride, gint64 pad, gint64 groups, guint in)
{
  return y10_expressions_intern (self,
      "conv %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
      " %" G_GINT64_FORMAT " %u",
      module, kernel, stride, pad, groups, in);
}

guint
y10_expressions_scale (Y10Expressions *self, guint id, gdouble factor)
{
  return y10_expressions_intern (self, "scale %d %u",
      isnan (factor) ? 0 : (int) CLAMP (factor * 1000 + 0.5, -1e9, 1e9), id);
}

guint
y10_expressions_join (Y10Expressions *self, const Y10Pieces *pieces)
{
  const Y10Piece *p = (const Y10Piece *) (gpointer) pieces->data;
  GString *text;

  if (pieces->len == 1 && p->first == 0 && p->last == p->total)
    return p->id;
  text = g_string_new ("join");
  for (guint i = 0; i < pieces->len; i++)
    g_string_append_printf (text, " %u:%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT,
        p[i].id, p[i].first, p[i].last);
  return intern (self, g_string_free (text, FALSE));
}

Y10Pieces *
y10_pieces_new (guint id, gint64 channels)
{
  Y10Pieces *pieces = g_array_new (FALSE, FALSE, sizeof (Y10Piece));
  const Y10Piece piece = { id, 0, channels, channels };

  g_array_append_val (pieces, piece);
  return pieces;
}

void
y10_pieces_append (Y10Pieces *pieces, const Y10Piece *piece)
{
  Y10Piece *last = pieces->len
      ? &g_array_index (pieces, Y10Piece, pieces->len - 1)
      : NULL;

  if (last && last->id == piece->id && last->last == piece->first)
    last->last = piece->last;
  else
    g_array_append_vals (pieces, piece, 1);
}

Y10Pieces *
y10_pieces_cut (const Y10Pieces *pieces, gint64 first, gint64 last)
{
  Y10Pieces *cut = g_array_new (FALSE, FALSE, sizeof (Y10Piece));
  gint64 at = 0;

  for (guint i = 0; i < pieces->len; i++) {
    Y10Piece piece = g_array_index (pieces, Y10Piece, i);
    gint64 n = piece.last - piece.first;
    gint64 from = MAX (first - at, 0), to = MIN (last - at, n);

    at += n;
    if (from >= to)
      continue;
    piece.last = piece.first + to;
    piece.first += from;
    y10_pieces_append (cut, &piece);
  }
  return cut;
}
