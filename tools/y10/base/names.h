/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Names of inputs, and what is made of them. */

#include <glib.h>

gboolean tool_is_stdin (const char *source);
/* Returns TRUE for URIs other than those of files. */
gboolean tool_is_remote (const char *source);
/* Returns the path that @source or its file: URI stands for; NULL if it is remote,
 * or with an error. */
char *tool_source_to_path (const char *source, GError **error);
/* Returns @source for the JSON member "source": a file name that is not UTF-8
 * becomes a file: URI of the absolute name, with each such byte as %NN. */
char *tool_source_to_utf8 (const char *source);
/* Returns the last component of a file name or URI. */
char *tool_source_basename (const char *source);
/* Returns TRUE if both paths lead to one file that exists. */
gboolean tool_is_same_file (const char *path, const char *other);
/* Makes a file name of @name: not hidden, not too long, without slashes. */
char *tool_safe_name (const char *name);
