/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads the numbers of which containers consist. */

#include "config.h"

#include "media/containerread.h"

gboolean
tool_container_read_at (const ToolContainer *c, guint64 offset, guint8 *bytes,
    gsize n)
{
  return fseeko (c->file, (off_t) offset, SEEK_SET) == 0
      && fread (bytes, 1, n, c->file) == n;
}

guint64
tool_container_big_endian (const guint8 *bytes, guint n)
{
  guint64 value = 0;

  for (guint i = 0; i < n; i++)
    value = value << 8 | bytes[i];
  return value;
}

guint32
tool_container_little_endian (const guint8 *bytes)
{
  return (guint32) bytes[3] << 24 | (guint32) bytes[2] << 16
      | (guint32) bytes[1] << 8 | bytes[0];
}

/* Reads a variable-size integer (RFC 8794, section 4), which may be TOOL_EBML_UNKNOWN. */
gboolean
tool_container_read_vint (const ToolContainer *c, guint64 *at, guint64 *value)
{
  guint8 bytes[8];
  guint n = 1;

  if (!tool_container_read_at (c, *at, bytes, 1) || !bytes[0])
    return FALSE;
  while (!(bytes[0] & (0x80 >> (n - 1))))
    n++;
  if (!tool_container_read_at (c, *at, bytes, n))
    return FALSE;
  *at += n;
  *value = tool_container_big_endian (bytes, n)
      & ((G_GUINT64_CONSTANT (1) << 7 * n) - 1);
  if (*value == (G_GUINT64_CONSTANT (1) << 7 * n) - 1)
    *value = TOOL_EBML_UNKNOWN;
  return TRUE;
}

/* Reads the header of the element at *@at and advances *@at past it. */
gboolean
tool_container_read_element (const ToolContainer *c, guint64 *at, guint64 *id,
    guint64 *length)
{
  guint8 bytes[4];
  guint n = 1;

  if (!tool_container_read_at (c, *at, bytes, 1) || bytes[0] < 0x10)
    return FALSE;
  while (!(bytes[0] & (0x80 >> (n - 1))))
    n++;
  if (!tool_container_read_at (c, *at, bytes, n))
    return FALSE;
  *at += n;
  *id = tool_container_big_endian (bytes, n);
  return tool_container_read_vint (c, at, length);
}
