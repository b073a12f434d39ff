/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

void gst_y10_sink_pad_init (GstBaseTransform *base);

G_END_DECLS
