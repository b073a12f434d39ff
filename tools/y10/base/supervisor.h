/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Survives inputs that crash. */

#include <glib.h>

#define TOOL_MAX_COUNTED_CLASSES 1024

/* What children count of a class. */
typedef struct
{
  guint64 n_objects;
  guint n_frames; /* with at least one */
  guint most;     /* in one frame */
  float best;     /* confidence */
} ToolClassCount;

/* What children count, over all of them. */
typedef struct
{
  guint n_frames;
  guint width, height; /* of the frames; 0: they differ */
  ToolClassCount classes[TOOL_MAX_COUNTED_CLASSES];
} ToolCounts;

/* The work on a list of @n inputs. */
typedef struct
{
  guint n;
  /* Processes the inputs that are not done in a child process, calls
   * tool_supervisor_begin() and tool_supervisor_end() for each, and returns the exit
   * status. */
  int (*run) (gpointer user);
  /* Tells in the parent that input @index has ended the child, and @why. */
  void (*report) (guint index, const char *why, gpointer user);
  gpointer user;
} ToolWork;

/* Does @work, and returns the exit status. Call it before anything starts a thread. */
int tool_supervise (const ToolWork *work);

/* The following are for the child. */

/* Returns TRUE if an earlier child has done input @index, or was ended by it. */
gboolean tool_supervisor_is_done (guint index);
/* Input @index is being read from now on. */
void tool_supervisor_begin (guint index);
/* All output of input @index has been written; in the parent: it is given up. */
void tool_supervisor_end (guint index);
/* No input is being read any more. */
void tool_supervisor_rest (void);
/* A line of the results is being written to stdout. */
void tool_supervisor_set_in_line (gboolean in_line);
ToolCounts *tool_supervisor_get_counts (void);
/* Returns TRUE if an earlier child has written the file @path. */
gboolean tool_supervisor_has_written (const char *path);
/* When the first child began, by g_get_monotonic_time(). */
gint64 tool_supervisor_get_began (void);
/* When the first child began, in seconds since 1970; 0 in the first one. What was written
 * since belongs to an earlier child. */
gint64 tool_supervisor_get_start (void);
