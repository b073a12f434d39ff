/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10zones. All of them may change in PLAYING. */
#include "zones/element.h"

#define MAX_TIME (1000000 * GST_SECOND)

static const GstY10ZoneDefaults defaults = GST_Y10_ZONE_DEFAULTS_INIT;

#define ROW(MEMBER, TYPE, ...) \
  gst_y10_properties_add (&gst_y10_zones_properties, class, \
      G_STRUCT_OFFSET (GstY10ZonesSettings, MEMBER), \
      g_param_spec_##TYPE (__VA_ARGS__))

GstY10Properties gst_y10_zones_properties = {
  .size = sizeof (GstY10ZonesSettings),
};

void
gst_y10_zones_props_install (GObjectClass *class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  gst_y10_filter_class_init (class);
  /**
   * GstYolov10Zones:zones:
   *
   * If it begins with a brace, it is JSON as in a file.
   *
   * Since: 0.2
   */
  ROW (zones, string, "zones", "Zones",
      "Zones and lines, separated by semicolons, in fractions of the frame: a zone "
      "is a name and two opposite corners of a rectangle or more of a polygon, such "
      "as \"yard=0,0.5 1,1\", a line a name and two ends, such as \"gate=0.1,0.5 -> "
      "0.9,0.5\"; or JSON. Shapes without a name belong to the zone before",
      "", flags);
  /**
   * GstYolov10Zones:zones-file:
   *
   * Setting it again reads the file again.
   *
   * Since: 0.2
   */
  ROW (zones_file, string, "zones-file", "Zones file",
      "File with the zones, if zones is empty: JSON or what zones takes", "",
      flags);
  /**
   * GstYolov10Zones:classes:
   *
   * Since: 0.2
   */
  ROW (classes, string, "classes", "Classes",
      "Labels of the objects that count, separated by commas, such as "
      "\"person,car\"; empty: all. A zone may have its own",
      "", flags);
  /**
   * GstYolov10Zones:anchor:
   *
   * Since: 0.2
   */
  ROW (anchor, enum, "anchor", "Anchor",
      "The point of a box that is in a zone or crosses a line. A zone may have its "
      "own",
      GST_TYPE_YOLOV10_ZONE_ANCHOR, defaults.anchor, flags);
  /**
   * GstYolov10Zones:hysteresis:
   *
   * Since: 0.2
   */
  ROW (hysteresis, uint64, "hysteresis", "Hysteresis",
      "How long an object has to be inside, outside or across a line before that "
      "counts, in nanoseconds. A zone may have its own",
      0, MAX_TIME, defaults.hysteresis, flags);
  /**
   * GstYolov10Zones:grace:
   *
   * Since: 0.2
   */
  ROW (grace, uint64, "grace", "Grace",
      "How long an object may not be seen before it has left, in nanoseconds. A "
      "zone may have its own",
      0, MAX_TIME, defaults.grace, flags);
  /**
   * GstYolov10Zones:dwell:
   *
   * Since: 0.2
   */
  ROW (dwell, uint64, "dwell", "Dwell",
      "After how long in a zone an object is a dwell event, in nanoseconds; 0: "
      "never. A zone may have its own",
      0, MAX_TIME, 0, flags);
  /**
   * GstYolov10Zones:limit:
   *
   * Since: 0.2
   */
  ROW (limit, uint, "limit", "Limit",
      "More objects than this in a zone are an occupancy event, and so is when there "
      "are no longer more; 0: no limit. A zone may have its own",
      0, GST_Y10_ZONES_MAX_OBJECTS, 0, flags);
}
