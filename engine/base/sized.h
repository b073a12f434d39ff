/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Copies the caller's struct @from over @to, a struct of @size bytes that
 * holds the defaults. Both begin with their size, a gsize; @to's is @size
 * afterwards. A @from that is shorter was compiled against an older library;
 * the remaining fields of @to keep their values. Returns FALSE with
 * Y10_ERROR_INVALID_ARGUMENT if @from is shorter than @first_size, the size
 * of its first version, and with Y10_ERROR_UNSUPPORTED if it sets a field
 * that this library does not know. */
gboolean y10_sized_read (gpointer to, gsize size, gconstpointer from,
    gsize first_size, const char *type, GError **error);
/* Copies @from, of @size bytes, to the caller's struct @to, as far as its size
 * allows. Logs a critical warning if that is less than @first_size. */
void y10_sized_write (gpointer to, gconstpointer from, gsize size,
    gsize first_size, const char *type);

/* Size of the first version of @Type, whose last member was @last. */
#define Y10_FIRST_SIZE(Type, last) \
  (G_STRUCT_OFFSET (Type, last) + sizeof ((Type *) NULL)->last)
#define Y10_SIZED_READ(Type, last, to, from, error) \
  y10_sized_read ((to), sizeof (Type), (from), Y10_FIRST_SIZE (Type, last), \
      #Type, (error))
#define Y10_SIZED_WRITE(Type, last, to, from) \
  y10_sized_write ((to), (from), sizeof (Type), Y10_FIRST_SIZE (Type, last), \
      #Type)

G_END_DECLS
