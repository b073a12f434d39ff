/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Cameras, for requests. The handlers' data is a ServeCameras, the name a camera's id. */

#include "http/reply.h"

HttpHandler serve_cameras_list, serve_camera_create, serve_camera_get,
    serve_camera_patch, serve_camera_delete, serve_camera_release,
    serve_camera_view, serve_camera_snapshot;
/* Whether one is live. */
HttpHandler serve_cameras_probe;
