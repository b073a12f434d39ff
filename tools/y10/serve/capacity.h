/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* How many more cameras this machine carries, by what those that run take. */

#include "http/reply.h"
#include "serve/cameras.h"

typedef struct _ServeCapacity ServeCapacity;

ServeCapacity *serve_capacity_new (const ServeCameras *cameras);
void serve_capacity_free (ServeCapacity *capacity);
/* Of a ServeCapacity. */
HttpHandler serve_capacity_get;
