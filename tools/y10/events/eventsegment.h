/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Records of the events in a spool's segments. No file is read here. */

#include "spool/position.h"

typedef enum
{
  SERVE_NAMES_CAMERAS,
  SERVE_NAMES_CLASSES,
  SERVE_NAMES_ZONES, /* and lines */
  SERVE_NAMES_KINDS, /* at first those that are known */
  SERVE_N_NAMES,
} ServeNames;

/* One more than there can be: of a name that is not kept, or that an event lacks. */
#define SERVE_NO_NAME G_MAXUINT16

typedef struct
{
  gint64 time; /* milliseconds since 1970 */
  guint32 offset;
  guint16 names[SERVE_N_NAMES];
} ServeEvent;

typedef struct
{
  gint64 since, until; /* the first time, and the one behind the last */
  guint16 names[SERVE_N_NAMES]; /* SERVE_NO_NAME: any */
  gboolean nothing;             /* fits none */
} ServeEventFilter;

typedef struct
{
  guint64 number;
  gint64 first, last;  /* times */
  ServeEvent *records; /* by offset */
  guint n, n_room;
} ServeEventSegment;

/* All of these are in the order of their numbers. */
GPtrArray *serve_event_segments_new (void);
/* The number of segments in front of @number. */
guint serve_event_segments_find (const GPtrArray *segments, guint64 number);

/* As serve_event_index_find_before() and those that follow it. */
const ServeEvent *serve_event_segments_find_before (const GPtrArray *segments,
    const ServeEventFilter *filter, GstY10SpoolPosition *place);
const ServeEvent *serve_event_segments_find_behind (const GPtrArray *segments,
    const ServeEventFilter *filter, GstY10SpoolPosition *place);
const ServeEvent *serve_event_segments_get (const GPtrArray *segments,
    GstY10SpoolPosition place);
void serve_event_segments_histogram (const GPtrArray *segments,
    const ServeEventFilter *filter, gint64 span, guint n, guint *counts);
