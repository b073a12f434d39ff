/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A camera's settings as JSON, in requests and in answers. */

#include "base/json-cursor.h"
#include "serve/settings.h"

/* Returns a copy of @camera, or of the defaults for NULL, changed as @members say, and
 * checked. The error names the field, what was found and what was expected. Free with
 * tool_camera_settings_free(). */
ToolCameraSettings *serve_camera_json_read (const ServeSettings *settings,
    const ToolCameraSettings *camera, Y10Json members, GError **error);
/* The names of the fields that differ, such as "name, zones". Free with g_free(). */
char *serve_camera_json_list_changes (const ToolCameraSettings *camera,
    const ToolCameraSettings *before);
/* Adds the settings to the open object, but for the name and secrets. */
void serve_camera_json_write (GString *json, const ToolCameraSettings *camera);
