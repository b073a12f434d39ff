/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Which certificate a camera may have. */

#include <gio/gio.h>

#define TOOL_TYPE_PIN (tool_pin_get_type ())
G_DECLARE_FINAL_TYPE (ToolPin, tool_pin, TOOL, PIN, GTlsDatabase)

/* @fingerprint: of the only certificate that will do, as tool_pin_parse() returns it; NULL:
 * one that the system trusts. */
ToolPin *tool_pin_new (const char *fingerprint);
/* Of the last certificate that would not do, or NULL. Free with g_free(). */
char *tool_pin_get_refused (ToolPin *pin);
/* A SHA-256 as 64 hexadecimal digits in lower case, whatever parts them in @text, or NULL
 * with an error. */
char *tool_pin_parse (const char *text, GError **error);
