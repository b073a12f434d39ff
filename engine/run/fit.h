/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/engine.h>
#include <y10/image.h>

G_BEGIN_DECLS

/* How @image is fitted into an input of @width × @height, which is a size of @engine. */
void y10_engine_fit_image (const Y10Engine *engine, const Y10Image *image,
    guint width, guint height, Y10Letterbox *letterbox);

G_END_DECLS
