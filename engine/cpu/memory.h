/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint8 *data; /* aligned to a huge page */
  gsize size;
  gpointer mapped;
  gsize mapped_size;
} Y10CpuMemory;

/* @purpose: what the memory is for, the beginning of error messages. */
gboolean y10_cpu_memory_init (Y10CpuMemory *memory, const char *purpose,
    gsize size, GError **error);
void y10_cpu_memory_clear (Y10CpuMemory *memory);

G_END_DECLS
