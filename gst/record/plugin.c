/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Plugin entry point: registers the element, nothing else. A plugin of its own, since it
 * needs no engine. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "record/record.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  return GST_ELEMENT_REGISTER (yolov10record, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, yolov10record,
    "Records cameras", plugin_init, PACKAGE_VERSION, "LGPL", PACKAGE,
    GST_PACKAGE_ORIGIN)
