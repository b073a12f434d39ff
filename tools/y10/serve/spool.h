/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The folder that yolov10publish keeps events in. */

#include "serve/settings.h"

/* Makes the folder, and finds out what all cameras would fail at otherwise. Without
 * yolov10publish, clears the setting and says so. */
gboolean serve_spool_prepare (ServeConfig *config, GError **error);
