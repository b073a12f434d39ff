/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/structure.h"

G_BEGIN_DECLS

/* Connects the modules of YOLO11, and of YOLO26, whose SPPF has a residual. */
void y10_yolo11_connect (Y10Modules *m, gboolean sppf_has_residual,
    Y10Graph *out);

G_END_DECLS
