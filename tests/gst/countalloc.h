/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How often any thread of this program has allocated memory; -1 where nobody
 * counts, since a sanitizer or another C library owns malloc(). */
gint test_n_allocations (void);

G_END_DECLS
