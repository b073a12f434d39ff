/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "archive/manifest.h"

/* Computes what a manifest has of @source with segments of at least @length ns;
 * 0: one segment. Never NULL: what is wrong is in its error. */
ToolManifestInput *tool_scan (const char *source, gint64 length);
