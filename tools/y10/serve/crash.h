/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Which camera a crash was in. Main thread only. */

#include <glib.h>

G_BEGIN_DECLS

/* From now on a crash appends a line to @path, "crash TIME SIGNAL WHO", before the process
 * dies of it as ever; the last three are numbers but for WHO, "-" if it is not known; SIGNAL
 * is 0 where a thread called exit(). May be called again, after the file was replaced. */
gboolean serve_crash_open (const char *path, GError **error);
/* Threads of the name @thread are @who's, a word of at most 63 bytes. */
void serve_crash_add (const char *thread, const char *who);
/* A crash in a thread of nobody is @who's, as "suspect" in place of "crash"; NULL: nobody's. */
void serve_crash_suspect (const char *who);

G_END_DECLS
