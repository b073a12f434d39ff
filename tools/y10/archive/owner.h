/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A file name that begins with @key, names this process and is not used twice. */
char *tool_owner_make_name (const char *key);
/* Whether the process that @name names certainly no longer exists. */
gboolean tool_owner_is_gone (const char *name);

G_END_DECLS
