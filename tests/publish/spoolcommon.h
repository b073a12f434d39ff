/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#pragma once

/* Shared by the tests of spools: lines with numbers, and what is left of them. */

#include "spool/reader.h"
#include "spool/spool.h"

G_BEGIN_DECLS

/* The path of a folder that is not there yet, on the disk of disk.h. */
gchar *spool_folder (void);
/* Opens one in which nothing is wrong. */
GstY10SpoolClient *spool_open (const gchar *folder,
    const GstY10SpoolConfig *config);
/* Puts line number @n, with @length bytes more. */
gboolean spool_put (GstY10SpoolClient *client, GstY10LineKind kind, guint n,
    guint length, gboolean may_wait);
guint spool_number (const GstY10SpoolLine *line);
GstY10SpoolStats spool_stats (GstY10SpoolClient *client);
/* The numbers of all lines from @from on, such as "0 1 2 ". */
gchar *spool_read_from (GstY10SpoolClient *client, GstY10SpoolPosition from);
/* Checks those of all lines. */
void spool_expect (GstY10SpoolClient *client, const gchar *expected);
/* Names of the segments, such as "1 3 ". */
gchar *spool_segments (const gchar *folder);
void spool_expect_segments (const gchar *folder, const gchar *expected);

/* Runs the tests that were added, and removes their folders. */
int spool_run (void);

G_END_DECLS
