/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The check of a backend before auto takes it. */

#include "core/backend.h"

G_BEGIN_DECLS

/* TRUE where @class requests no check, where it has passed on this combination of
 * device, driver, libraries and build, or passes now. @again: a stored verdict is
 * ignored and replaced. *@device (nullable): the description of the device that was
 * checked, or NULL. */
gboolean y10_backend_check_with (const Y10BackendClass *class,
    const Y10EngineConfig *config, gboolean again, char **device,
    GError **error);

G_END_DECLS
