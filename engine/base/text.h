/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* How many bytes of @text, at most @most, are whole letters of UTF-8, from its beginning:
 * for "%.*s", since messages are UTF-8, and "%.60s" cuts letters. */
static inline int
y10_text_fit (const char *text, gsize most)
{
  const char *end;

  g_utf8_validate (text, (gssize) strnlen (text, most), &end);
  return (int) (end - text);
}

G_END_DECLS
