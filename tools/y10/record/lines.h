/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The index beside a recording: lines of JSON, compressed by gzip. */

#include <glib.h>

/* A group of pictures. */
typedef struct
{
  guint64 offset;  /* of the fragment of its key frame, in bytes */
  guint64 decoded; /* in units of the track's time; 0 in a line */
  gint64 time;     /* from the beginning of the file to when it is shown, ns */
  gint64 pts;      /* its time in the pipeline, ns */
  gint64 utc;      /* at which it was taken, microseconds since 1970 */
} RecordGop;

/* Of a recording; files with more are none of ours. */
#define RECORD_MAX_GOPS (1 << 20)

typedef struct
{
  gboolean exists;
  gboolean is_whole; /* up to the end of gzip's data */
  const char *clock; /* of the last line: "arrival", "camera" or "name" */
  char *name;        /* of the recording; NULL: not known */
  gint64 end;        /* -1: not known */
  gint64 bytes;
  guint64 n_boxes, n_events, n_bad;
  GArray *gops; /* of RecordGop, by offset */
} RecordLines;

typedef enum
{
  RECORD_LINE_OTHER,
  RECORD_LINE_NAME,
  RECORD_LINE_GOP,
  RECORD_LINE_END,
} RecordLineKind;

/* Called with each line that can be read; @gop: of RECORD_LINE_GOP. */
typedef void (*RecordEachLine) (const char *line, gsize length,
    RecordLineKind kind, const RecordGop *gop, gpointer user);

/* @each: may be NULL. */
void record_lines_read (RecordLines *lines, const char *path,
    RecordEachLine each, gpointer user);
void record_lines_clear (RecordLines *lines);
/* Appends the line of a group of pictures, with its line feed. */
void record_lines_append_gop (GString *json, const RecordGop *gop);
/* The one at @offset in an array that is in order; NULL if there is none. */
RecordGop *record_find_gop (const GArray *gops, guint64 offset);
