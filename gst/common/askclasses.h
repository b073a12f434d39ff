/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

#include "common/classes.h"

G_BEGIN_DECLS

gchar **gst_y10_classes_ask (GstPad *sink, gchar **models);

G_END_DECLS
