/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

/* Returns FALSE and sets @error if the first @n bytes of a file are those of a
 * YUV4MPEG2 file that GStreamer would misread. */
gboolean tool_y4m_check (const guint8 *start, gsize n, GError **error);
