/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Small versions of pictures. Main thread only. */

#include <glib.h>

/* @small: NULL: @picture is small itself, or damaged. */
typedef void (*ServeThumbnailFunc) (GBytes *small, gpointer user);

/* Scales @picture, a JPEG, in a thread; @done is called in the main thread. Returns FALSE,
 * and does not call it, where as many as may be are under way. */
gboolean serve_thumbnail_make (GBytes *picture, ServeThumbnailFunc done,
    gpointer user);
