/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "weights/weights.h"

G_BEGIN_DECLS

/* Reads fields of messages in protobuf's wire format
 * (protobuf.dev/programming-guides/encoding) from a file, through a window,
 * so that skipped fields are never in memory. */

#define Y10_PROTO_WINDOW 65536

typedef struct
{
  const Y10TensorFile *file;
  guint64 start; /* offset of the window in the file */
  gsize size;
  guint8 window[Y10_PROTO_WINDOW];
  GError *error; /* nullable; once set, reading stops */
} Y10ProtoReader;

/* The range of a file that holds a message. */
typedef struct
{
  guint64 next, end;
} Y10ProtoMessage;

typedef enum
{
  Y10_PROTO_VARINT = 0,
  Y10_PROTO_FIXED64 = 1,
  Y10_PROTO_BYTES = 2,
  Y10_PROTO_FIXED32 = 5,
} Y10ProtoWire;

typedef struct
{
  guint number;
  Y10ProtoWire wire;
  guint64 value;         /* all types except BYTES */
  Y10ProtoMessage bytes; /* BYTES */
} Y10ProtoField;

/* Returns FALSE at the end of @message, or with @reader->error set. */
gboolean y10_proto_next (Y10ProtoReader *reader, Y10ProtoMessage *message,
    Y10ProtoField *field);
/* Reads one value of a packed field; returns FALSE at its end or on error. */
gboolean y10_proto_next_packed (Y10ProtoReader *reader, Y10ProtoMessage *packed,
    guint64 *value);
/* Returns the bytes, NUL-terminated, to be freed with g_free(); NULL with an
 * error if there are more than @max. */
char *y10_proto_text (Y10ProtoReader *reader, const Y10ProtoField *field,
    gsize max);

G_END_DECLS
