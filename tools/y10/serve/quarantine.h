/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Cameras that made this program crash. Main thread only. */

#include "camera/threads.h"
#include "serve/settings.h"

G_BEGIN_DECLS

typedef struct _ServeQuarantine ServeQuarantine;

/* Reads what earlier runs left in @path, and has crashes recorded there. Never NULL: without
 * the file, which is told on the terminal, nothing is quarantined. */
ServeQuarantine *serve_quarantine_new (const char *path,
    const ServeConfig *config);
void serve_quarantine_free (ServeQuarantine *quarantine);
/* Sets what the threads of this camera are called, and has a crash in them recorded. */
void serve_quarantine_name (ServeQuarantine *quarantine,
    const ServeCameraConfig *camera, char thread[TOOL_THREAD_NAME]);
/* Why the camera must not be started, or NULL. */
const char *serve_quarantine_judge (ServeQuarantine *quarantine,
    const ServeCameraConfig *camera);
/* Forgets the crashes of a camera; on failure they stay. */
gboolean serve_quarantine_forget (ServeQuarantine *quarantine,
    const ServeCameraConfig *camera, GError **error);
/* Whether the last run crashed where it is not known whose fault it is. */
gboolean serve_quarantine_is_unsure (const ServeQuarantine *quarantine);
/* Such a crash is now @camera's fault; NULL: nobody's. */
void serve_quarantine_suspect (ServeQuarantine *quarantine,
    const ServeCameraConfig *camera);

G_END_DECLS
