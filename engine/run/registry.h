/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The backends that there are. */

#include "core/backend.h"

G_BEGIN_DECLS

/* Returns NULL and appends the reason to @why if the backend is not installed. */
const Y10BackendClass *y10_backend_find (Y10BackendKind kind, GString * why);

G_END_DECLS
