/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "detect/element.h"

G_BEGIN_DECLS

GstY10Reload *gst_y10_reload_new (GstYolov10Detect *detect);
void gst_y10_reload_free (GstY10Reload *reload);
void gst_y10_reload_open (GstY10Reload *reload);
void gst_y10_reload_close (GstY10Reload *reload);
void gst_y10_reload_request (GstY10Reload *reload);
gboolean gst_y10_reload_is_ready (GstY10Reload *reload);
GstY10Session *gst_y10_reload_take (GstY10Reload *reload);
void gst_y10_reload_retire (GstY10Reload *reload, GstY10Session *session);

G_END_DECLS
