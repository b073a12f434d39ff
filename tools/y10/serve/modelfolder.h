/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The folder of the models that a request may choose. */

#include <glib.h>

/* Returns the names of the weights files in @folder, sorted; none if it cannot be read.
 * Free with g_strfreev(). */
char **serve_model_folder_list (const char *folder);
/* Returns the path of the file with this name, which is a regular one in @folder, or NULL.
 * Free with g_free(). Any thread. */
char *serve_model_folder_find (const char *folder, const char *name,
    GError **error);
/* Returns the name that @path has in @folder; NULL: it is not in it. Free with g_free(). */
char *serve_model_folder_get_name (const char *folder, const char *path);
