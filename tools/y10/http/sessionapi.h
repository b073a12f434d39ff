/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Sessions, for requests. The handlers' data is an HttpAuth. */

#include "http/reply.h"

HttpHandler http_session_open, http_session_end;
/* Ends all of them. */
HttpHandler http_sessions_end;
