/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Plugin entry point: registers the elements, nothing else. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/detect.h"
#include "track/track.h"
#include "zones/watch.h"
#ifdef HAVE_OVERLAY
#include "overlay/overlay.h"
#endif

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean ok = GST_ELEMENT_REGISTER (yolov10detect, plugin);

  ok |= GST_ELEMENT_REGISTER (yolov10track, plugin);
  ok |= GST_ELEMENT_REGISTER (yolov10zones, plugin);
#ifdef HAVE_OVERLAY
  ok |= GST_ELEMENT_REGISTER (yolov10overlay, plugin);
#endif
  return ok;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, yolov10,
    "YOLO object detection", plugin_init, PACKAGE_VERSION, "LGPL", PACKAGE,
    GST_PACKAGE_ORIGIN)
