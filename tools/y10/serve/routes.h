/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* All that can be asked for, and who answers it. */

#include "events/eventapi.h"
#include "http/http.h"
#include "serve/capacity.h"
#include "serve/model.h"
#include "serve/push.h"

/* Of which handlers get what they need. */
typedef struct
{
  HttpAuth *auth;
  ServeCameras *cameras;
  ServePush *push;
  ServeEventApi *events;
  ServeModel model;
  ServeCapacity *capacity;
} ServeOwners;

/* Answers requests to @soup from now on. */
HttpServer *serve_routes_open (SoupServer *soup, ServeOwners *owners);
