/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether an NVIDIA GPU or its driver is present, working or not. */
gboolean y10_nvidia_present (void);

G_END_DECLS
