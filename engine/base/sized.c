/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Public structs that may grow begin with their size, which tells the
 * library which fields the caller's version has. This file is the only one
 * that compares sizes. */

#include "config.h"

#include "base/sized.h"

#include <string.h>

#include <y10/error.h>

static gboolean
is_zero (const guint8 *data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (data[i])
      return FALSE;
  return TRUE;
}

gboolean
y10_sized_read (gpointer to, gsize size, gconstpointer from, gsize first_size,
    const char *type, GError **error)
{
  gsize given;

  memcpy (&given, from, sizeof given);
  if (given < first_size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "%s.size is %" G_GSIZE_FORMAT
        "; expected sizeof (%s), which is %" G_GSIZE_FORMAT,
        type, given, type, size);
    return FALSE;
  }
  if (given > size && !is_zero ((const guint8 *) from + size, given - size)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "%s.size is %" G_GSIZE_FORMAT
        ", and a field beyond the first %" G_GSIZE_FORMAT
        " bytes is set, which this version of the library does "
        "not have",
        type, given, size);
    return FALSE;
  }
  memcpy (to, from, MIN (given, size));
  memcpy (to, &size, sizeof size);
  return TRUE;
}

void
y10_sized_write (gpointer to, gconstpointer from, gsize size, gsize first_size,
    const char *type)
{
  gsize given;

  memcpy (&given, to, sizeof given);
  if (given < first_size) {
    g_critical ("%s.size is %" G_GSIZE_FORMAT "; expected sizeof (%s), which "
                "is %" G_GSIZE_FORMAT,
        type, given, type, size);
    return;
  }
  memcpy (to, from, MIN (given, size));
  memcpy (to, &given, sizeof given);
}
