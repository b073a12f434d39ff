/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Precompiled: what most files of the plugins include; see engine/pch/engine.h. */

#include <gio/gio.h>
#include <glib.h>
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>
