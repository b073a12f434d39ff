/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The folder that yolov10publish keeps events in. */

#include "serve/settings.h"

/* Makes the folder, and fails where each camera would. Without yolov10publish, clears the
 * setting and logs it. */
gboolean serve_spool_folder_prepare (ServeSettings *settings, GError **error);
