/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* JPEG files that gdk-pixbuf reads without a complaint. */

#include <glib.h>

/* Describes the damage of a file that can be read. NULL if there is none, or if the file
 * has another format. */
char *tool_jpeg_find_damage (const char *path);
