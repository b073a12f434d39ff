/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/check/gstharness.h>

G_BEGIN_DECLS

/* How often any thread of this program has allocated memory; -1 where nobody
 * counts, since a sanitizer or another C library owns malloc(). */
gint test_n_allocations (void);

/* Pushes all frames through the element of @h, to a sink pad with caps @sink
 * that throws them away (the harness keeps what it gets, which allocates), and
 * gives the allocations from frame number @n_warm_up on. Takes the frames. */
gint test_n_frame_allocations (GstHarness * h, GstStaticPadTemplate * sink,
    GstBuffer ** frames, guint n, guint n_warm_up);

/* The least of several calls of @count: what threads that have nothing to do
 * with frames allocate meanwhile only adds. */
gint test_fewest_allocations (gint (*count) (gconstpointer data),
    gconstpointer data);

G_END_DECLS
