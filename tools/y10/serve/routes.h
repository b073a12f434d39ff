/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The routes of y10 serve. */

#include "events/eventapi.h"
#include "http/http.h"
#include "serve/capacity.h"
#include "serve/model.h"
#include "serve/push.h"

/* What the handlers of requests work on. */
typedef struct
{
  HttpAuth *auth;
  ServeCameras *cameras;
  ServePush *push;
  ServeEventApi *events;
  ServeModel model;
  ServeCapacity *capacity;
} ServeParts;

/* Answers requests to @soup from now on. */
HttpServer *serve_routes_open (SoupServer *soup, ServeParts *parts);
