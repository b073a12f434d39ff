/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The model, and the choice of another one, for requests. The handlers' data is a ServeModel. */

#include "http/reply.h"

HttpHandler serve_model_get, serve_model_patch;
