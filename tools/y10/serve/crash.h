/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Cameras that made this program crash. Main thread only. */

#include "camera/threads.h"
#include "serve/settings.h"

typedef struct _ServeCrashes ServeCrashes;

/* Reads what earlier runs left in @path, and has crashes recorded there. Never NULL: without
 * the file, which is told on the terminal, nothing is quarantined. */
ServeCrashes *serve_crashes_new (const char *path,
    const ServeSettings *settings);
void serve_crashes_free (ServeCrashes *crashes);
/* Sets what the threads of this camera are called, and has a crash in them recorded. */
void serve_crashes_watch (const ToolCameraSettings *camera,
    char thread[TOOL_THREAD_NAME]);
/* Why the camera must not be started, or NULL. Free with g_free(). */
char *serve_crashes_judge (const ServeCrashes *crashes,
    const ToolCameraSettings *camera);
/* Forgets the crashes of a camera; on failure they stay. */
gboolean serve_crashes_forget (ServeCrashes *crashes,
    const ToolCameraSettings *camera, GError **error);
/* Whether the last run crashed where it is not known whose fault it is. */
gboolean serve_crashes_are_unsure (const ServeCrashes *crashes);
/* Such a crash is now @camera's fault; NULL: nobody's. */
void serve_crashes_suspect (const ToolCameraSettings *camera);
