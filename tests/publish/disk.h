/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A disk that fails when a test says so. Programs with it are linked such that write(),
 * fdatasync(), fsync(), openat(), renameat() and unlinkat() of the code that they test are
 * those of disk.c. Nothing is really synced: the disk notes what would be. */

#include <glib.h>

/* Forgets everything; @folder is the one that power loss concerns. */
void disk_begin (const gchar *folder);

/* The power fails at the @n-th change from now on; all that follow are errors. */
void disk_lose_power (guint n);
gboolean disk_has_lost_power (void);
/* Makes the folder what might be left of it: what was synced, and any part of the rest. */
void disk_restart (GRand *random);

/* The next @n writes, or syncs, give that errno. */
void disk_fail_writes (guint n, int code);
void disk_fail_syncs (guint n, int code);
/* A write takes at most so many bytes; 0: all. */
void disk_shorten_writes (gsize most);

/* Syncs wait from now on, until it goes on. */
void disk_stop (void);
/* Waits until one waits. */
void disk_await_sync (void);
void disk_go_on (void);
