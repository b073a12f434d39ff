/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Plugin entry point: registers the element, nothing else. A plugin of its own, since it
 * alone needs libraries to publish with. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "publish/publish.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  return GST_ELEMENT_REGISTER (yolov10publish, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, yolov10publish,
    "Publishes results of YOLO object detection", plugin_init, PACKAGE_VERSION,
    "LGPL", PACKAGE, GST_PACKAGE_ORIGIN)
