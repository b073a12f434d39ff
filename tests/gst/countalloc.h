/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/check/gstharness.h>

G_BEGIN_DECLS

/* Pushes all frames through the element of @h, to a sink pad with caps @sink
 * that drops them (the harness would allocate to keep them). Returns the number
 * of allocations from frame @n_warm_up on. Takes the frames. */
gint test_n_frame_allocations (GstHarness *h, GstStaticPadTemplate *sink,
    GstBuffer **frames, guint n, guint n_warm_up);

/* Returns the minimum of several calls of @count: allocations by unrelated
 * threads can only add to it. */
gint test_fewest_allocations (gint (*count) (gconstpointer data),
    gconstpointer data);

G_END_DECLS
