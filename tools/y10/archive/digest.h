/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What shows, without reading a file, that it is still the same. */
typedef struct
{
  gint64 size;                  /* bytes */
  gint64 mtime;                 /* nanoseconds since 1970 */
} ToolFileStamp;

gboolean tool_file_stamp (const char *path, ToolFileStamp *stamp,
    GError **error);
/* Sets an error that names @path unless its stamp is @stamp. */
gboolean tool_file_check_stamp (const char *path, const ToolFileStamp *stamp,
    GError **error);

/* "sha256:" and 64 hexadecimal digits for the contents of @path. Fails if the
 * file changes in the meantime. */
char *tool_digest_file (const char *path, ToolFileStamp *stamp,
    GError **error);
/* The 64 digits alone. */
char *tool_digest_text (const char *text);
gboolean tool_digest_is_valid (const char *digest);

G_END_DECLS
