/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The files that a command line names. */

#include <glib.h>

/* Replaces folders by the files in them, and says what is left out; patterns by the files
 * that match; and @FILE by the lines of FILE. Free with g_strfreev(). */
char **tool_inputs_expand (char **arguments, gboolean recursive);
/* Returns TRUE if @name has the extension of a picture. */
gboolean tool_is_picture_name (const char *name);
