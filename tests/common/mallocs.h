/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns FALSE where a sanitizer or another C library owns malloc(). */
gboolean test_mallocs_can_count (void);

/* From now on counts the allocations of all threads, and prints the first
 * @n_print with their callers to stderr. */
void test_mallocs_start (guint n_print);

/* Stops counting. Returns the number of allocations. */
guint test_mallocs_stop (void);

G_END_DECLS
