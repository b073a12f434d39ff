/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a request wants of a camera's settings. */

#include "base/json-cursor.h"
#include "serve/settings.h"

G_BEGIN_DECLS

/* Returns a copy of @camera, or of nothing, with what @members say in place of what it
 * says, checked. The error names the field, what was found and what was expected. Free
 * with serve_camera_config_free(). */
ServeCameraConfig *serve_change_read (const ServeConfig *config,
    const ServeCameraConfig *camera, Y10Json members, GError **error);
/* The names of the fields that differ, such as "name, zones". Free with g_free(). */
char *serve_change_list (const ServeCameraConfig *camera,
    const ServeCameraConfig *before);
/* Adds these fields to an object. */
void serve_change_write (GString *json, const ServeCameraConfig *camera);

G_END_DECLS
