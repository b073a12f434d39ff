/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Sends the states of cameras to pages, and has the websockets. */

#include "http/sockets.h"
#include "serve/cameras.h"

typedef struct _ServePush ServePush;

ServePush *serve_push_new (const ServeCameras *cameras);
/* Closes all websockets. */
void serve_push_free (ServePush *push);
/* The websockets, by which others may tell pages something: an object with a member "type".
 * Owned by @push. */
HttpSockets *serve_push_get_sockets (ServePush *push);
