/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Escapes names as a level of a topic, by percent signs as in a URI, and as an identifier,
 * where a hash tells apart what looks alike. What needs no escape stays as it is. */
#include "send/names.h"

#include <string.h>

#define HASH_LENGTH 16 /* hexadecimal digits */

static gboolean
is_special (const gchar *c, const gchar *name)
{
  const gunichar u = g_utf8_get_char_validated (c, -1);

  /* No text has the last ones, so brokers may refuse them. */
  return u >= 0x110000 || strchr ("/+#%", *c) || (c == name && *c == '$')
      || g_unichar_iscntrl (u) || (u & 0xfffe) == 0xfffe
      || (u >= 0xfdd0 && u <= 0xfdef);
}

/* Returns: (transfer full): a name as one level of a topic */
gchar *
gst_y10_name_to_level (const gchar *name)
{
  GString *level = g_string_new (NULL);
  const gchar *c = name, *next;

  /* Which no other name becomes. */
  if (!*name)
    g_string_append (level, "%00");
  for (; *c; c = next) {
    const gboolean is_valid = g_utf8_get_char_validated (c, -1) < 0x110000;
    const gboolean must_escape = is_special (c, name);

    next = is_valid ? g_utf8_next_char (c) : c + 1;
    for (; c < next; c++)
      if (must_escape)
        g_string_append_printf (level, "%%%02X", (guchar) *c);
      else
        g_string_append_c (level, *c);
  }
  return g_string_free (level, FALSE);
}

/* Whether a name could be one that a hash was added to. */
static gboolean
has_hash (const gchar *name)
{
  const gsize length = strlen (name);

  if (length <= HASH_LENGTH || name[length - HASH_LENGTH - 1] != '_')
    return FALSE;
  return strspn (name + length - HASH_LENGTH, "0123456789abcdef")
      == HASH_LENGTH;
}

/* Returns: (transfer full): a name of letters, digits, _ and -. Text of @separators in it
 *   would not be told from what separates names. */
gchar *
gst_y10_name_to_id (const gchar *name, const gchar *const *separators)
{
  GString *id = g_string_new (NULL);
  gboolean is_same = *name && !has_hash (name);

  for (; separators && *separators; separators++)
    is_same &= !strstr (name, *separators);
  for (const gchar *c = name; *c; c++) {
    const gboolean is_plain = g_ascii_isalnum (*c) || *c == '_' || *c == '-';

    is_same &= is_plain;
    g_string_append_c (id, is_plain ? *c : '_');
  }
  if (!is_same) {
    g_autofree gchar *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256,
        name, -1);

    g_string_append_printf (id, "_%.*s", HASH_LENGTH, hash);
  }
  return g_string_free (id, FALSE);
}
