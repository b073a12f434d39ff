/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What happens, one line each, on stderr or in the journal. */

#include <glib.h>

#define TOOL_LOG_DOMAIN "y10-serve" /* of what is logged */

typedef enum
{
  TOOL_LOG_WARNING, /* somebody ought to look */
  TOOL_LOG_NOTICE,  /* what people did, and what became of cameras */
} ToolLogLevel;

/* From now on GLib's own messages go the same way. To be called once. */
void tool_log_set_up (void);
/* What would end the line, or reorder or hide text, is escaped. Never for secrets. */
void tool_log (ToolLogLevel level, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
