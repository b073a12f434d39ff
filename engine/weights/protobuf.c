/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#include "config.h"

#include <string.h>

#include "weights/protobuf.h"

static gboolean
fail (Y10ProtoReader *r, guint64 at)
{
  if (!r->error)
    g_set_error (&r->error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s is not a valid ONNX file: the message at byte %" G_GUINT64_FORMAT
        " of %" G_GUINT64_FORMAT " is damaged or truncated",
        y10_tensor_file_get_path (r->file), at,
        y10_tensor_file_get_size (r->file));
  return FALSE;
}

/* @size: up to Y10_PROTO_WINDOW bytes, all within the file. */
static const guint8 *
look (Y10ProtoReader *r, guint64 at, gsize size)
{
  if (r->error)
    return NULL;
  if (at < r->start || at + size > r->start + r->size) {
    r->start = at;
    r->size = MIN (y10_tensor_file_get_size (r->file) - at, Y10_PROTO_WINDOW);
    if (!y10_tensor_file_read (r->file, at, r->window, r->size, &r->error))
      return NULL;
  }
  return r->window + (at - r->start);
}

static gboolean
read_varint (Y10ProtoReader *r, Y10ProtoMessage *m, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64; shift += 7) {
    const guint8 *p = m->next < m->end ? look (r, m->next, 1) : NULL;

    if (!p)
      return fail (r, m->next);
    m->next++;
    *value |= (guint64) (*p & 0x7f) << shift;
    if (!(*p & 0x80))
      return TRUE;
  }
  return fail (r, m->next);
}

static gboolean
read_fixed (Y10ProtoReader *r, Y10ProtoMessage *m, guint size, guint64 *value)
{
  const guint8 *p = size <= m->end - m->next ? look (r, m->next, size) : NULL;

  if (!p)
    return fail (r, m->next);
  m->next += size;
  *value = 0;
  for (guint i = 0; i < size; i++)
    *value |= (guint64) p[i] << (8 * i);
  return TRUE;
}

gboolean
y10_proto_next (Y10ProtoReader *r, Y10ProtoMessage *m, Y10ProtoField *field)
{
  guint64 key, size;

  if (r->error || m->next >= m->end || !read_varint (r, m, &key))
    return FALSE;
  *field = (Y10ProtoField){ .number = key >> 3, .wire = key & 7 };
  switch (field->wire) {
    case Y10_PROTO_VARINT:
      return read_varint (r, m, &field->value);
    case Y10_PROTO_FIXED64:
      return read_fixed (r, m, 8, &field->value);
    case Y10_PROTO_FIXED32:
      return read_fixed (r, m, 4, &field->value);
    case Y10_PROTO_BYTES:
      if (!read_varint (r, m, &size))
        return FALSE;
      if (size > m->end - m->next)
        return fail (r, m->next);
      field->bytes = (Y10ProtoMessage){ m->next, m->next + size };
      m->next += size;
      return TRUE;
  }
  return fail (r, m->next);
}

gboolean
y10_proto_next_packed (Y10ProtoReader *r, Y10ProtoMessage *packed,
    guint64 *value)
{
  return !r->error && packed->next < packed->end
      && read_varint (r, packed, value);
}

char *
y10_proto_text (Y10ProtoReader *r, const Y10ProtoField *field, gsize max)
{
  gsize size = field->bytes.end - field->bytes.next;
  const guint8 *p;

  max = MIN (max, Y10_PROTO_WINDOW);
  if (field->wire != Y10_PROTO_BYTES
      || field->bytes.end - field->bytes.next > max) {
    fail (r, field->bytes.next);
    return NULL;
  }
  p = size ? look (r, field->bytes.next, size) : (const guint8 *) "";
  return p ? g_strndup ((const char *) p, size) : NULL;
}
