/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What streams share with y10_step_add(). */

#include <y10/step.h>

G_BEGIN_DECLS

/* Copies and checks the arguments of y10_step_add(). */
gboolean y10_engine_check_image (const Y10Engine *engine, const Y10Image *image,
    const Y10HeadParams *params, Y10Image *image_read,
    Y10HeadParams *params_read, GError **error);
/* As y10_step_add(), but checks nothing: for what y10_engine_check_image() accepted, and for
 * parts of such an image. */
gboolean y10_step_add_unchecked (const Y10Step *step, const Y10Image *image,
    const Y10HeadParams *params, GError **error);

G_END_DECLS
