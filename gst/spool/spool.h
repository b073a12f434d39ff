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
 *   acknowledged        the position up to which a follower is done; of one that has a name,
 *                       acknowledged.NAME
 *   lock                locked by the process that writes; has its id */

#include "spool/position.h"
#include "spool/types.h"

G_BEGIN_DECLS

/* Shared by all that open the same folder in this process. */
typedef struct _GstY10Spool GstY10Spool;

/* An element's handle of a spool, to put lines with. */
typedef struct _GstY10SpoolClient GstY10SpoolClient;

GstY10SpoolClient *gst_y10_spool_open (const gchar *folder,
    const GstY10SpoolConfig *config, GstY10SpoolStateFunc on_state,
    gpointer user, GError **error);
GstY10SpoolClient *gst_y10_spool_join (const gchar *folder);
void gst_y10_spool_close (GstY10SpoolClient *client);
GstY10Spool *gst_y10_spool_client_get_spool (GstY10SpoolClient *client);

gboolean gst_y10_spool_put (GstY10SpoolClient *client, GstY10LineKind kind,
    const gchar *line, gsize length, gboolean may_wait);
void gst_y10_spool_set_flushing (GstY10SpoolClient *client, gboolean flushing);
gboolean gst_y10_spool_flush (GstY10SpoolClient *client);
void gst_y10_spool_get_stats (GstY10Spool *spool, GstY10SpoolStats *stats);

/* For a follower, from any thread.
 *
 * gst_y10_spool_share(): what the first client of a follower makes, all of it share; @free is
 * called when the spool's last client closes, after everything is synced and before the folder is unlocked. @make
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
GstY10SpoolPosition gst_y10_spool_get_acknowledged (GstY10Spool *spool,
    const gchar *follower);
void gst_y10_spool_acknowledge (GstY10Spool *spool, const gchar *follower,
    GstY10SpoolPosition position);

/* For reader.c. */
struct _GstY10Segments *gst_y10_spool_get_segments (GstY10Spool *spool);

G_END_DECLS
