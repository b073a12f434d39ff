/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "detect/element.h"

G_BEGIN_DECLS

void gst_y10_props_install (GObjectClass *class);
void gst_y10_props_init (GstYolov10Detect *self);
void gst_y10_props_set (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec);
void gst_y10_props_get (GObject *object, guint id, GValue *value,
    GParamSpec *pspec);
void gst_y10_props_clear (GstYolov10Detect *self);
void gst_y10_props_warn (GstYolov10Detect *self);

G_END_DECLS
