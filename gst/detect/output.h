/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Output side: runs on the source pad's task. */

#include "detect/element.h"

G_BEGIN_DECLS

void gst_y10_output_loop (GstPad * pad);
void gst_y10_output_drop_all (GstYolov10Detect * detect);

G_END_DECLS
