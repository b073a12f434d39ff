/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/stream.h>

G_BEGIN_DECLS

/* Number of shared engines, including those being created. For tests. */
guint y10_shared_count (void);

G_END_DECLS
