/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <stdio.h>

#define TOOL_EBML_SEGMENT 0x18538067
#define TOOL_EBML_CLUSTER 0x1f43b675
#define TOOL_EBML_CUES 0x1c53bb6b
/* A length that the writer did not store. */
#define TOOL_EBML_UNKNOWN G_MAXUINT64

typedef struct
{
  FILE *file;
  guint64 size;
} ToolContainer;

gboolean tool_container_read_at (const ToolContainer *c, guint64 offset,
    guint8 *bytes, gsize n);
guint64 tool_container_big_endian (const guint8 *bytes, guint n);
guint32 tool_container_little_endian (const guint8 *bytes);
/* Reads a variable-size integer of Matroska, which may be TOOL_EBML_UNKNOWN, and
 * advances *@at past it. */
gboolean tool_container_read_vint (const ToolContainer *c, guint64 *at,
    guint64 *value);
/* Reads the header of the element at *@at and advances *@at past it. */
gboolean tool_container_read_element (const ToolContainer *c, guint64 *at,
    guint64 *id, guint64 *length);
