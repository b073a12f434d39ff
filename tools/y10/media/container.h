/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Files that contain streams. */

#include <glib.h>

/* Describes the damage of a file that can be read. NULL if there is none, or if the file
 * has another format. */
char *tool_container_find_damage (const char *path);
/* Returns how many frames of a track a fragmented MP4, a Matroska or an AVI file
 * has; 0: unknown. */
guint64 tool_container_count_frames (const char *path, guint track);
/* Returns why a demuxer may not find frames of an MP4 or Matroska file by their time, or
 * NULL. */
const char *tool_container_find_doubt (const char *path);
