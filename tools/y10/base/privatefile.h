/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Files that only their owner may read. */

#include <glib.h>

/* Replaces the file by @text, readable by its owner only. */
gboolean tool_write_private (const char *path, const char *text,
    GError **error);
