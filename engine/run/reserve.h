/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Room for images in host memory, before they come. */

#include <y10/engine.h>
#include <y10/image.h>

G_BEGIN_DECLS

/* Makes the input of images of this size, and room for @n of them in host memory in each
 * slot. Waits for a running step, and for slots that steps hold, but not for long. Any
 * thread but the engine's. */
void y10_engine_reserve (Y10Engine *engine, Y10PixelFormat format, guint width,
    guint height, guint n);

G_END_DECLS
