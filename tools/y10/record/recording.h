/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A folder of yolov10record's: the files, and what the index beside each says. */

#include "mp4/read.h"
#include "record/lines.h"

typedef enum
{
  RECORD_COMPLETE,
  RECORD_INCOMPLETE, /* whatever wrote it was ended before it could complete it */
  RECORD_WRITING,    /* by another process, now */
} RecordState;

typedef struct
{
  guint64 number;
  gboolean is_clip;
  gint64 utc; /* that of the name, microseconds since 1970 */
  char *path, *index_path;
  const char *name, *index_name; /* in @path and @index_path */
} RecordName;

typedef struct
{
  guint64 at, size; /* bytes */
} RecordDamage;

typedef struct
{
  const RecordName *name;
  int fd;
  GstY10Mp4Reader reader; /* not @is_open: only @size */
  gboolean is_open;       /* it has a header */
  RecordState state;
  RecordLines lines;
  GArray *gops;   /* of RecordGop, in the order of the file */
  guint64 end;    /* of the last frame, in units of the track's time */
  GArray *damage; /* of RecordDamage, in the order of the file */
} Recording;

typedef enum
{
  RECORD_QUICK, /* reads each frame's header only where the index does not tell */
  RECORD_CHECK, /* reads all that could be damaged, unless it is being written */
  RECORD_REPAIR, /* likewise, and can be written; no other process can */
} RecordMode;

/* Returns the recordings of a folder in their order, an array of RecordName; NULL after an
 * error that was printed. */
GArray *record_list (const char *folder);
/* Reads a recording and its index. Clear it in any case; @name must outlast it. Returns
 * FALSE after an error that was printed. */
gboolean record_open (Recording *recording, const RecordName *name,
    RecordMode mode);
void record_clear (Recording *recording);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Recording, record_clear)
/* Between units of a track's time and nanoseconds. */
gint64 record_get_time (const GstY10Mp4Track *track, gint64 ticks);
gint64 record_get_ticks (const GstY10Mp4Track *track, gint64 time);
/* When the picture behind the last one would be taken, microseconds since 1970. */
gint64 record_get_end_utc (const Recording *recording);
/* Whether there is a key frame where and when a line of the index says so. */
gboolean record_line_agrees (const Recording *recording, const RecordGop *line);

/* The commands; @folder is their argument. They return the exit status. */
int record_index (const char *folder, gboolean json);
int record_check (const char *folder, gboolean repair);
/* @from, @to: microseconds since 1970. */
int record_export (const char *folder, gint64 from, gint64 to,
    const char *output);
