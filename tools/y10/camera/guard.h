/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

/* From now on, GStreamer opens no URI in this process but http:, https: and udp: ones.
 * Elements that are made by their names are not concerned. May be called again. */
void tool_guard_install (void);
