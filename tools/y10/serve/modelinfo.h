/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What is known of the model that all cameras have in common. */

#include <glib.h>

typedef struct
{
  char *name;     /* of its file, without the folder */
  char **classes; /* by id */
} ServeModelInfo;

/* Reads it from its file; @path is NULL for the bundled one. @whole: also all weights, as
 * a detector does. Any thread. */
ServeModelInfo *serve_model_info_load (const char *path, gboolean whole,
    GError **error);
void serve_model_info_free (ServeModelInfo *model);
/* Checks a detector's classes: names or ids, separated by commas. */
gboolean serve_model_info_check_classes (const ServeModelInfo *model,
    const char *classes, GError **error);
/* Checks zones, as text or as JSON; those of a model that is not known yet by their form
 * only. */
gboolean serve_model_info_check_zones (const ServeModelInfo *model,
    const char *zones, GError **error);
