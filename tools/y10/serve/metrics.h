/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Counters for Prometheus. */

#include "http/reply.h"

/* Of a ServeCameras. */
HttpHandler serve_metrics_get;
