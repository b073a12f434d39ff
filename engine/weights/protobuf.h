/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "weights/weights.h"

G_BEGIN_DECLS

/* Fields of messages in protobuf's wire format
 * (protobuf.dev/programming-guides/encoding), read from a file through a window,
 * so that fields that nobody asks for are never in memory. */

#define Y10_PROTO_WINDOW 65536

typedef struct
{
  const Y10TensorFile *file;
  guint64 start;                /* of the window in the file */
  gsize size;
  guint8 window[Y10_PROTO_WINDOW];
  GError *error;                /* set: reading has ended */
} Y10ProtoReader;

/* The part of a file that a message is. */
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
  guint64 value;                /* all but BYTES */
  Y10ProtoMessage bytes;        /* BYTES */
} Y10ProtoField;

/* FALSE at the end of @message, or with @reader->error. */
gboolean y10_proto_next (Y10ProtoReader * reader, Y10ProtoMessage * message,
    Y10ProtoField * field);
/* One value of a packed field; FALSE at its end or with an error. */
gboolean y10_proto_next_packed (Y10ProtoReader * reader,
    Y10ProtoMessage * packed, guint64 * value);
/* The bytes with a NUL after them; NULL and error if there are more than
 * @max. g_free(). */
char *y10_proto_text (Y10ProtoReader * reader, const Y10ProtoField * field,
    gsize max);

G_END_DECLS
