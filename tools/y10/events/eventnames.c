/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Names that events have, as numbers. There are few, but they are untrusted: what is
 * beyond a limit is not kept, and is found by no filter. */

#include "config.h"

#ifdef HAVE_SERVE

#include "events/eventnames.h"

#define MAX_NAMES 4096
#define MAX_LENGTH 255 /* bytes */

const char *const serve_event_kinds[] = { "enter", "leave", "cross", "dwell",
  "occupancy", NULL };

void
serve_event_names_init (ServeEventNames *self)
{
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->numbers = g_hash_table_new (g_str_hash, g_str_equal);
}

void
serve_event_names_clear (ServeEventNames *self)
{
  g_hash_table_unref (self->numbers);
  g_ptr_array_unref (self->names);
}

guint16
serve_event_names_find (const ServeEventNames *self, const char *name,
    gsize length)
{
  gpointer number;

  return length <= MAX_LENGTH
          && g_hash_table_lookup_extended (self->numbers, name, NULL, &number)
      ? (guint16) GPOINTER_TO_UINT (number)
      : SERVE_NO_NAME;
}

guint16
serve_event_names_add (ServeEventNames *self, const char *name, gsize length)
{
  const guint16 number = serve_event_names_find (self, name, length);
  char *copy;

  if (number != SERVE_NO_NAME || length > MAX_LENGTH
      || self->names->len >= MAX_NAMES)
    return number;
  copy = g_strdup (name);
  g_hash_table_insert (self->numbers, copy,
      GUINT_TO_POINTER (self->names->len));
  g_ptr_array_add (self->names, copy);
  return (guint16) (self->names->len - 1);
}

#endif
