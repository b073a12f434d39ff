/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes this process can have in all, and in @what what says so, as "this
 * machine" or "the cgroup /user.slice"; G_MAXUINT64 where nothing is known.
 * @root: "" or, for tests, a folder that has proc/ and sys/. */
guint64 y10_memory_limit (const char *root, char **what);
/* Whether @size bytes can be had; the error names both numbers and @purpose. */
gboolean y10_memory_check (guint64 size, const char *purpose, GError ** error);

G_END_DECLS
