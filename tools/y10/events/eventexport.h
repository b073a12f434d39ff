/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Events as a file, for requests. The handlers' data is a ServeEventApi. */

#include "http/reply.h"

HttpHandler serve_events_export_csv, serve_events_export_lines;
