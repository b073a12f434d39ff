/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Boxes of ISO/IEC 14496-12, 4.2: a size that counts itself, a name of four letters, and
 * what is inside. Numbers are big-endian. */

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

static inline void
put (GByteArray *out, guint64 value, guint n_bytes)
{
  const guint64 big = GUINT64_TO_BE (value << (64 - 8 * n_bytes));

  g_byte_array_append (out, (const guint8 *) &big, n_bytes);
}

static inline void
put_zeros (GByteArray *out, gsize n)
{
  const guint at = out->len;

  g_byte_array_set_size (out, at + n);
  memset (out->data + at, 0, n);
}

/* Returns where it begins. */
static inline guint
open_box (GByteArray *out, const char *name)
{
  const guint at = out->len;

  put (out, 0, 4);
  g_byte_array_append (out, (const guint8 *) name, 4);
  return at;
}

/* One with a version and flags. */
static inline guint
open_full_box (GByteArray *out, const char *name, guint version, guint flags)
{
  const guint at = open_box (out, name);

  put (out, version << 24 | flags, 4);
  return at;
}

/* Replaces four bytes at @at. */
static inline void
patch (GByteArray *out, guint at, guint32 value)
{
  const guint32 big = GUINT32_TO_BE (value);

  memcpy (out->data + at, &big, sizeof big);
}

static inline void
close_box (GByteArray *out, guint at)
{
  patch (out, at, out->len - at);
}

G_END_DECLS
