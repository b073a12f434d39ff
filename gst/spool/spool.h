/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A folder of JSON lines that survive crashes, power loss and a full disk: one writer of
 * a process appends, others follow what is synced. Knows GLib only.
 *
 *   00000017.jsonl ...  segments; a start, an error and the size begin another one, and no
 *                       number is used twice
 *   current.jsonl       symbolic link to the newest
 *   state               the producer's id and the next number; where that was written
 *   acknowledged        the position up to which a follower is done
 *   lock                locked by the process that writes; has its id */

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_LINE_FRAME,
  GST_Y10_LINE_EVENT,
} GstY10LineKind;

#define GST_Y10_N_LINE_KINDS 2

/* A place in a spool: (producer, segment, offset of its first byte) names a line for
 * ever. */
typedef struct
{
  guint64 segment; /* from 1 */
  guint64 offset;  /* bytes */
  guint folder;    /* counts those that were there while this process ran */
} GstY10SpoolPosition;

/**
 * GstY10SpoolConfig:
 * @max_age: microseconds after which a segment is removed; 0: never
 * @max_bytes: size of all segments together beyond which the oldest are removed; 0: no
 *   limit
 * @sync_interval: microseconds for which lines are collected before they are synced
 * @queue_bytes: how much may wait for the writer; 0: a default
 * @is_followed: a segment that is not acknowledged outlives @max_age
 * @share: (nullable): what else must be equal to share a spool, such as a uri
 *
 * Elements of one process that name the same folder must agree in all of these.
 */
typedef struct
{
  gint64 max_age;
  guint64 max_bytes;
  gint64 sync_interval;
  gsize queue_bytes;
  gboolean is_followed;
  const gchar *share;
} GstY10SpoolConfig;

/**
 * GstY10SpoolStats:
 * @queued: lines that were taken
 * @synced: of these, how many are safe; whoever follows gets no others
 * @dropped: lines that were not taken, or given up, because the queue was full or the
 *   disk failed, by kind
 * @bad_lines: lines that readers skipped, since they are no JSON
 * @errors: how often writing or syncing failed, or something was not where it was
 * @removed_unacknowledged: lines that @max_bytes removed before they were acknowledged
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

/* Shared by all that open the same folder in this process. */
typedef struct _GstY10Spool GstY10Spool;

/* Told by the writer's thread when writing begins to fail (@error) or succeeds again
 * (%NULL); must not call the spool. Only the oldest of those that share it is told. */
typedef void (*GstY10SpoolStateFunc) (const GError *error, gpointer user);

/* What one that puts lines has of a spool. */
typedef struct _GstY10SpoolClient GstY10SpoolClient;

GstY10SpoolClient *gst_y10_spool_open (const gchar *folder,
    const GstY10SpoolConfig *config, GstY10SpoolStateFunc on_state,
    gpointer user, GError **error);
void gst_y10_spool_close (GstY10SpoolClient *client);
GstY10Spool *gst_y10_spool_client_get_spool (GstY10SpoolClient *client);

gboolean gst_y10_spool_put (GstY10SpoolClient *client, GstY10LineKind kind,
    const gchar *line, gsize length, gboolean may_wait);
void gst_y10_spool_set_flushing (GstY10SpoolClient *client, gboolean flushing);
gboolean gst_y10_spool_flush (GstY10SpoolClient *client);
void gst_y10_spool_get_stats (GstY10Spool *spool, GstY10SpoolStats *stats);

/* For a follower, from any thread.
 *
 * gst_y10_spool_share(): what the first client makes, all share; @free is called when the
 * last one closes, after everything is synced and before the folder is unlocked. @make
 * returns NULL with an error if it fails, and so does the function. */
typedef gpointer (
    *GstY10SpoolMakeFunc) (GstY10Spool *spool, gpointer user, GError **error);

gpointer gst_y10_spool_share (GstY10SpoolClient *client,
    GstY10SpoolMakeFunc make, gpointer user, GDestroyNotify free_func,
    GError **error);

/* Tells whoever opened the spool first that following it fails, or with NULL that it works
 * again. */
void gst_y10_spool_tell (GstY10Spool *spool, const GError *error);

/* 16 hexadecimal digits, the same at each start in this folder, but not in a copy of it;
 * others once the folder was replaced. Interned. */
const gchar *gst_y10_spool_get_producer (GstY10Spool *spool);
/* Of a line: in a copy, those from before it keep the original's. Interned. */
const gchar *gst_y10_spool_get_producer_of (GstY10Spool *spool,
    GstY10SpoolPosition at);

/* Absolute path of the folder. Owned by the spool. */
const gchar *gst_y10_spool_get_path (GstY10Spool *spool);

/* The end of what is synced: the newest segment and its readable bytes. */
GstY10SpoolPosition gst_y10_spool_get_synced (GstY10Spool *spool);

/* Where the last process stopped, at first; behind the last line that is done. Writing
 * it to the folder takes up to a second, and never blocks the caller. Never goes back. */
GstY10SpoolPosition gst_y10_spool_get_acknowledged (GstY10Spool *spool);
void gst_y10_spool_acknowledge (GstY10Spool *spool,
    GstY10SpoolPosition position);

/* @func is called by the writer's thread whenever more is synced. It must neither block nor
 * call the spool; NULL ends that, and returns when no call is running. */
void gst_y10_spool_set_notify (GstY10Spool *spool, void (*func) (gpointer user),
    gpointer user);

/* For reader.c. */
typedef struct _GstY10Segments GstY10Segments;

GstY10Segments *gst_y10_spool_get_segments (GstY10Spool *spool);
void gst_y10_spool_count_bad_lines (GstY10Spool *spool, guint64 n);

G_END_DECLS
