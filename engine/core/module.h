/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Backends that are separate modules. */

#include "core/backend.h"

G_BEGIN_DECLS

/* Loads the class of liby10-NAME.so once; it is never unloaded. Returns NULL and appends
 * the reason to @why on failure. Any thread. */
const Y10BackendClass *y10_module_load (const char *name, GString *why);
/* Another symbol that the same module exports. */
void *y10_module_symbol (const char *name, const char *symbol, GString *why);

G_END_DECLS
