/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The backends that there are. */

#include "core/backend.h"

G_BEGIN_DECLS

/* Their kinds are 1 to this number. */
guint y10_backend_count (void);
/* Their order of preference where scores are equal: [0] comes first. */
Y10BackendKind y10_backend_get_preferred (guint i);
/* Whether it is worth a mention that @kind cannot run: its device is there, or the
 * user has set Y10_BACKEND_PATH, which counts as a request for it. */
gboolean y10_backend_is_expected (Y10BackendKind kind);
/* Returns NULL and appends the reason to @why if the backend is not installed. */
const Y10BackendClass *y10_backend_find (Y10BackendKind kind, GString *why);

G_END_DECLS
