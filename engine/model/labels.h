/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Each returns @n_classes names, NULL-terminated, to be freed with g_strfreev().
 * y10_labels_parse() sets @note to what is wrong with @names, which may be NULL, or to
 * NULL; free it with g_free(). */
char **y10_labels_load (const char *path, guint n_classes, GError **error);
char **y10_labels_parse (const char *names, guint n_classes, char **note);

G_END_DECLS
