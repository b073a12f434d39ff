/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pictures of events, for requests. The handlers' data is a ServeEventApi, the name SEGMENT:OFFSET. */

#include "http/reply.h"

HttpHandler serve_event_get_picture, serve_event_get_thumbnail;
