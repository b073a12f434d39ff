/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A step of some ops, and the tensors between them: for the quantizer, the self-check
 * and tests. */

#include <y10/step.h>

#include "core/graph.h"

G_BEGIN_DECLS

/* Runs ops [first, end) on the images of an open step and waits. Loads the images
 * if @first is 0. The step stays open until its last op has run; it is done then
 * and can be read. */
gboolean y10_step_run (const Y10Step *step, guint first, guint end,
    GError **error);
gboolean y10_step_read_tensor (const Y10Step *step, guint image, Y10View view,
    gfloat *nchw, GError **error);
gboolean y10_step_write_tensor (const Y10Step *step, guint image, Y10View view,
    const gfloat *nchw, GError **error);

G_END_DECLS
