/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the streaming threads of a camera's pipeline know: where their counts and their
 * newest picture go. */

#include <gst/gst.h>
#include <stdatomic.h>

typedef struct
{
  atomic_uint frames, inferred, held;
  _Atomic gint64 last_frame; /* monotonic; 0 before the first */
  GMutex lock;
  GstSample *picture; /* under lock, as is the next */
  GSource *news;      /* wakes the main thread; NULL after the attempt */
  void (*on_picture) (gpointer user); /* main thread only, as is the next */
  gpointer user;
} ToolTap;

/* @on_picture is called in the main thread when there is a new picture. */
ToolTap *tool_tap_new (void (*on_picture) (gpointer user), gpointer user);
/* Has "track" and "out" of a pipeline tell the tap. */
void tool_tap_set_up (ToolTap *tap, GstBin *pipeline);
/* Calls @on_picture no more, and lets go of the tap; threads keep it while they run. */
void tool_tap_end (ToolTap *tap);
/* Returns the newest picture, a JPEG, or NULL. */
GBytes *tool_tap_get_picture (ToolTap *tap);
void tool_tap_forget_picture (ToolTap *tap);
