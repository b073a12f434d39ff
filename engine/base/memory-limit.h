/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the memory limit of this process in bytes, and in @what its
 * origin, such as "this machine" or "the control group /user.slice";
 * G_MAXUINT64 if unknown. @root: "" or, for tests, a folder that contains
 * proc/ and sys/. */
guint64 y10_memory_limit (const char *root, char **what);
/* Checks @size bytes against the limit; the error names both and @purpose. */
gboolean y10_memory_check (guint64 size, const char *purpose, GError **error);

G_END_DECLS
