/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A cache of plans in a directory of the test's own. */

#include <glib.h>

G_BEGIN_DECLS

/* Call first: GLib reads XDG_CACHE_HOME once per process. */
void plans_begin (void);
/* Removes the directory. */
void plans_end (void);

/* Free it with g_free (). */
char *plans_folder (void);
/* Returns how many plans are on disk, and calls @each (nullable) with the path of
 * every one. */
guint plans_each (void (*each) (const char *path));
/* For plans_each(): deletes a plan; cuts off its last byte. */
void plans_delete (const char *path);
void plans_cut (const char *path);

G_END_DECLS
