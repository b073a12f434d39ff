/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Each gives @n_classes names and a terminating NULL; g_strfreev().
 * y10_labels_parse() gives NULL where @names is not a list of that many. */
char **y10_labels_load (const char *path, guint n_classes, GError ** error);
char **y10_labels_parse (const char *names, guint n_classes);
char **y10_labels_number (guint n_classes);

G_END_DECLS
