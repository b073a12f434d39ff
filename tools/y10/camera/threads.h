/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The names of threads, by which top and a crash tell whose they are. */

#include <gst/gst.h>

/* Bytes of a name with its end; the kernel keeps no more. */
#define TOOL_THREAD_NAME 16

/* Gives this thread a stack on which it can report that its own is full. */
void tool_thread_give_stack (void);
/* Does that, and gives it the name. */
void tool_thread_name (const char *name);
/* Has the streaming threads of @bus's pipeline named like that; those that they start
 * without a name inherit it. @name is copied. */
void tool_threads_name (GstBus *bus, const char *name);
