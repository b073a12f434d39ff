/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Find liby10-@name.so, and the data file @name. Both return a newly allocated
 * path, or NULL with the searched folders appended to @why. */
char *y10_paths_find_module (const char *name, GString *why);
char *y10_paths_find_data (const char *name, GString *why);

G_END_DECLS
