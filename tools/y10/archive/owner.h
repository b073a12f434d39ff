/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

/* A file name that begins with @key, names this process and is not used twice. */
char *tool_owner_make_name (const char *key);
typedef enum
{
  TOOL_OWNER_UNKNOWN, /* this host cannot tell */
  TOOL_OWNER_ALIVE,
  TOOL_OWNER_GONE,
} ToolOwnerState;

/* Whether the process that @name names still exists. */
ToolOwnerState tool_owner_get_state (const char *name);
