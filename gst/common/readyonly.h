/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean gst_y10_ready_only_is_closed (GstElement *element,
    const GParamSpec *pspec);
void gst_y10_ready_only_refuse (GstElement *element, GParamSpec *pspec,
    const GValue *value);

G_END_DECLS
