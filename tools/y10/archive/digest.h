/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

/* Identifies a version of a file without reading it. */
typedef struct
{
  gint64 size;           /* bytes */
  gint64 mtime;          /* nanoseconds since 1970 */
  guint64 device, inode; /* 0: unknown, as in a manifest of another machine */
} ToolFileStamp;

gboolean tool_file_stamp (const char *path, ToolFileStamp *stamp,
    GError **error);
/* Sets an error that names @path unless its stamp is @stamp, of which it fills in what
 * is unknown. */
gboolean tool_file_check_stamp (const char *path, ToolFileStamp *stamp,
    GError **error);

/* Returns "sha256:" and 64 hexadecimal digits for the contents of @path. Fails
 * if the file changes in the meantime. */
char *tool_digest_file (const char *path, ToolFileStamp *stamp, GError **error);
/* Returns only the 64 digits. */
char *tool_digest_text (const char *text);
gboolean tool_digest_is_valid (const char *digest);
