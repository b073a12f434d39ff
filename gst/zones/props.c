/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10zones: names, documentation and storage until the next frame
 * picks the values up. All of them may change in PLAYING. */
#include "zones/element.h"

#include "common/fields.h"

#define MAX_TIME (1000000 * GST_SECOND)

static const GstY10ZoneDefaults defaults = GST_Y10_ZONE_DEFAULTS_INIT;

enum
{
  PROP_0,
  PROP_ZONES,
  PROP_ZONES_FILE,
  PROP_CLASSES,
  PROP_ANCHOR,
  PROP_HYSTERESIS,
  PROP_GRACE,
  PROP_DWELL,
  PROP_LIMIT,
};

#define FIELD(ID, MEMBER) \
  { \
    PROP_##ID, G_STRUCT_OFFSET (GstYolov10Zones, settings.MEMBER) \
  }

static const GstY10Field fields[] = { FIELD (ZONES, zones),
  FIELD (ZONES_FILE, zones_file), FIELD (CLASSES, classes),
  FIELD (ANCHOR, anchor), FIELD (HYSTERESIS, hysteresis), FIELD (GRACE, grace),
  FIELD (DWELL, dwell), FIELD (LIMIT, limit), { 0 } };

void
gst_y10_zones_props_init (GstYolov10Zones *self)
{
  self->settings = (GstY10ZonesSettings){
    .anchor = defaults.anchor,
    .hysteresis = defaults.hysteresis,
    .grace = defaults.grace,
  };
}

void
gst_y10_zones_props_clear (GstYolov10Zones *self)
{
  gst_y10_fields_set_string (&self->settings.zones, NULL);
  gst_y10_fields_set_string (&self->settings.zones_file, NULL);
  gst_y10_fields_set_string (&self->settings.classes, NULL);
}

void
gst_y10_zones_props_set (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (object);

  GST_OBJECT_LOCK (self);
  if (!gst_y10_fields_set (fields, self, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  self->changed = TRUE;
  GST_OBJECT_UNLOCK (self);
}

void
gst_y10_zones_props_get (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (object);

  GST_OBJECT_LOCK (self);
  if (!gst_y10_fields_get (fields, self, id, value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

void
gst_y10_zones_props_install (GObjectClass *class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstYolov10Zones:zones:
   *
   * If it begins with a brace, it is JSON as in a file.
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_ZONES,
      g_param_spec_string ("zones", "Zones",
          "Zones and lines, separated by semicolons, in fractions of the frame: a zone "
          "is a name and two opposite corners of a rectangle or more of a polygon, such "
          "as \"yard=0,0.5 1,1\", a line a name and two ends, such as \"gate=0.1,0.5 -> "
          "0.9,0.5\"; or JSON. Shapes without a name belong to the zone before",
          "", flags));
  /**
   * GstYolov10Zones:zones-file:
   *
   * Setting it again reads the file again.
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_ZONES_FILE,
      g_param_spec_string ("zones-file", "Zones file",
          "File with the zones, if zones is empty: JSON or what zones takes",
          "", flags));
  /**
   * GstYolov10Zones:classes:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_CLASSES,
      g_param_spec_string ("classes", "Classes",
          "Labels of the objects that count, separated by commas, such as "
          "\"person,car\"; empty: all. A zone may have its own",
          "", flags));
  /**
   * GstYolov10Zones:anchor:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_ANCHOR,
      g_param_spec_enum ("anchor", "Anchor",
          "The point of a box that is in a zone or crosses a line. A zone may have its "
          "own",
          GST_TYPE_YOLOV10_ZONE_ANCHOR, defaults.anchor, flags));
  /**
   * GstYolov10Zones:hysteresis:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_HYSTERESIS,
      g_param_spec_uint64 ("hysteresis", "Hysteresis",
          "How long an object has to be inside, outside or across a line before that "
          "counts, in nanoseconds. A zone may have its own",
          0, MAX_TIME, defaults.hysteresis, flags));
  /**
   * GstYolov10Zones:grace:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_GRACE,
      g_param_spec_uint64 ("grace", "Grace",
          "How long an object may not be seen before it has left, in nanoseconds. A "
          "zone may have its own",
          0, MAX_TIME, defaults.grace, flags));
  /**
   * GstYolov10Zones:dwell:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_DWELL,
      g_param_spec_uint64 ("dwell", "Dwell",
          "After how long in a zone an object is a dwell event, in nanoseconds; 0: "
          "never. A zone may have its own",
          0, MAX_TIME, 0, flags));
  /**
   * GstYolov10Zones:limit:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_LIMIT,
      g_param_spec_uint ("limit", "Limit",
          "More objects than this in a zone are an occupancy event, and so is when there "
          "are no longer more; 0: no limit. A zone may have its own",
          0, GST_Y10_ZONES_MAX_OBJECTS, 0, flags));
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_ZONE_ANCHOR, 0);
}
