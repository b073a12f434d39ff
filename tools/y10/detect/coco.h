/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Results as one document in the form of COCO's annotations. */

#include <glib.h>
#include <stdio.h>

/* Makes the document of the lines in @lines, and writes it to @path, or to standard output
 * if that is NULL. */
gboolean tool_coco_write (FILE *lines, const char *path, GError **error);
