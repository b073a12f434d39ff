/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "media/frame.h"

/* The pictures of a folder, in which objects are followed. All zero: there is none. */
typedef struct
{
  char *folder;
  const char *source; /* its last picture; borrowed */
  double fps;
  guint64 n; /* pictures so far */
} ToolSequence;

/* Whether the picture @source is of that folder. */
gboolean tool_sequence_has (const ToolSequence *sequence, const char *source);
/* Begins one with @source. @fps: 0: as the sequence says itself. */
void tool_sequence_begin (ToolSequence *sequence, const char *source,
    double fps);
/* Gives the next picture its place in time. */
void tool_sequence_take (ToolSequence *sequence, const char *source,
    ToolFrame *frame);
void tool_sequence_clear (ToolSequence *sequence);
