/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

/* A track of an MP4 or QuickTime file. */
typedef struct
{
  guint id;
  gboolean is_video;
  guint64 n_shown; /* samples that begin within its edit list */
} ToolTrack;

/* What the box 'moov' announces. */
typedef struct
{
  GArray *tracks;      /* of ToolTrack */
  gboolean fragmented; /* the samples are in boxes 'moof' */
  guint64 duration;    /* ns; 0: unknown */
} ToolMovie;

/* Reads a whole box 'moov' of @n bytes. */
ToolMovie *tool_movie_new (const guint8 *moov, gsize n);
void tool_movie_free (ToolMovie *movie);
/* NULL if there is no such track. */
const ToolTrack *tool_movie_find (const ToolMovie *movie, guint id);
/* Lengthens the durations in @moov to the latest media time that it presents. */
void tool_movie_extend (guint8 *moov, gsize n);
/* Adds the samples that a whole box 'moof' has of the track @id. */
guint64 tool_movie_count_fragment (const guint8 *moof, gsize n, guint id);
