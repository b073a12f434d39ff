/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Precompiled: what most files of y10 include; see engine/pch/engine.h. */

#include "config.h"

#include <gio/gio.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef HAVE_GST
#include <gst/gst.h>
#include <gst/video/video.h>
#endif
#ifdef HAVE_SERVE
#include <libsoup/soup.h>
#endif
