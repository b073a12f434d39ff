/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a request wants of a camera's settings. */

#include "base/json-cursor.h"
#include "serve/settings.h"

/* Returns a copy of @camera, or of nothing, with what @members say in place of what it
 * says, checked. The error names the field, what was found and what was expected. Free
 * with tool_camera_settings_free(). */
ToolCameraSettings *serve_change_read (const ServeConfig *config,
    const ToolCameraSettings *camera, Y10Json members, GError **error);
/* The names of the fields that differ, such as "name, zones". Free with g_free(). */
char *serve_change_list (const ToolCameraSettings *camera,
    const ToolCameraSettings *before);
/* Adds them to an object, but for the name and secrets. */
void serve_change_write (GString *json, const ToolCameraSettings *camera);
