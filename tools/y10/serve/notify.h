/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* sd_notify(3): the state of the service for its manager. */

#include "serve/cameras.h"

typedef struct _ServeNotify ServeNotify;

/* Tells from now on that the main loop runs, and how many cameras are live. Without a service
 * manager all of this does nothing. */
ServeNotify *serve_notify_new (const ServeCameras *cameras);
void serve_notify_free (ServeNotify *notify);
void serve_notify_ready (ServeNotify *notify);
void serve_notify_stopping (ServeNotify *notify);
