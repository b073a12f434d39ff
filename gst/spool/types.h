/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the parts of a spool have in common. */

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_LINE_FRAME,
  GST_Y10_LINE_EVENT,
} GstY10LineKind;

#define GST_Y10_N_LINE_KINDS 2

/**
 * GstY10SpoolConfig:
 * @max_age: microseconds after which a segment is removed; 0: never
 * @max_bytes: size of all segments together beyond which the oldest are removed; 0: no
 *   limit
 * @sync_interval: microseconds for which lines are collected before they are synced, but
 *   the first after so long
 * @queue_bytes: how much may wait for the writer; 0: a default
 * @follower: (nullable): name of what follows the spool, up to 24 letters, digits, - and _, or
 *   empty; a segment that a follower has not acknowledged outlives @max_age. %NULL: nothing
 * @share: (nullable): what must be equal to share the follower, such as a uri
 *
 * Elements of one process that name the same folder must agree in all but the follower.
 */
typedef struct
{
  gint64 max_age;
  guint64 max_bytes;
  gint64 sync_interval;
  gsize queue_bytes;
  const gchar *follower, *share;
} GstY10SpoolConfig;

/**
 * GstY10SpoolStats:
 * @queued: lines that were taken
 * @synced: of these, how many are safe; whoever follows gets no others
 * @dropped: lines that were not taken, or given up, because the queue was full or the
 *   disk failed, by kind
 * @bad_lines: lines that readers skipped, since they are no JSON
 * @errors: how often writing or syncing failed, or something was not where it was
 * @removed_unacknowledged: lines that @max_bytes removed before all followers had them
 * @n_segments: segments there are
 * @bytes: their size
 * @longest_sync: microseconds that writing and syncing took at most
 */
typedef struct
{
  guint64 queued, synced;
  guint64 dropped[GST_Y10_N_LINE_KINDS];
  guint64 bad_lines, errors, removed_unacknowledged;
  guint64 n_segments, bytes;
  gint64 longest_sync;
} GstY10SpoolStats;

/* Told by the writer's thread when writing begins to fail (@error) or succeeds again
 * (%NULL); must not call the spool. Only the oldest of those that share it is told. */
typedef void (*GstY10SpoolStateFunc) (const GError *error, gpointer user);

G_END_DECLS
