/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* base/paths.c: liby10-@name.so, and the file @name of our data. Both give its
 * path, to be freed, or NULL with where it was looked for appended to @why. */
char *y10_paths_find_module (const char *name, GString * why);
char *y10_paths_find_data (const char *name, GString * why);

G_END_DECLS
