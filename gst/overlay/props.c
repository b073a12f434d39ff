/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10overlay: names, documentation and storage until the next
 * frame picks the values up. All of them may change in PLAYING. */

#include "overlay/element.h"

#include "common/fields.h"

#define DEFAULT_LINE_WIDTH 0
#define DEFAULT_FONT_DESC ""
#define DEFAULT_SHOW_LABEL TRUE
#define DEFAULT_SHOW_ID TRUE
#define DEFAULT_SHOW_CONFIDENCE TRUE
#define DEFAULT_SHOW_REGIONS FALSE
#define DEFAULT_SHOW_ZONES TRUE
#define DEFAULT_LABELS ""
#define DEFAULT_MIN_CONFIDENCE 0.0
#define DEFAULT_PRIVACY GST_YOLOV10_PRIVACY_NONE
#define DEFAULT_PRIVACY_TRUST GST_YOLOV10_PRIVACY_TRUST_DETECTOR
#define DEFAULT_PRIVACY_GROWTH 0.25
#define MAX_LINE_WIDTH 256
#define MAX_PRIVACY_GROWTH 100

enum
{
  PROP_0,
  PROP_LINE_WIDTH,
  PROP_FONT_DESC,
  PROP_SHOW_LABEL,
  PROP_SHOW_ID,
  PROP_SHOW_CONFIDENCE,
  PROP_SHOW_REGIONS,
  PROP_SHOW_ZONES,
  PROP_LABELS,
  PROP_MIN_CONFIDENCE,
  PROP_PRIVACY,
  PROP_PRIVACY_TRUST,
  PROP_PRIVACY_GROWTH,
};

GType
gst_yolov10_privacy_trust_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_YOLOV10_PRIVACY_TRUST_DETECTOR,
                                           "Results of yolov10detect",
                                           "detector" },
    { GST_YOLOV10_PRIVACY_TRUST_ROI,
        "Also regions of interest, or their absence, of any producer", "roi" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10PrivacyTrust", values));
  return type;
}

void
gst_y10_overlay_props_init (GstYolov10Overlay *self)
{
  self->settings = (GstY10OverlaySettings){
    .line_width = DEFAULT_LINE_WIDTH,
    .show_label = DEFAULT_SHOW_LABEL,
    .show_id = DEFAULT_SHOW_ID,
    .show_confidence = DEFAULT_SHOW_CONFIDENCE,
    .show_regions = DEFAULT_SHOW_REGIONS,
    .show_zones = DEFAULT_SHOW_ZONES,
    .min_confidence = DEFAULT_MIN_CONFIDENCE,
    .privacy = DEFAULT_PRIVACY,
    .privacy_trust = DEFAULT_PRIVACY_TRUST,
    .privacy_growth = DEFAULT_PRIVACY_GROWTH,
  };
  self->font_desc = g_ref_string_new (DEFAULT_FONT_DESC);
  self->labels_wanted = g_ref_string_new (DEFAULT_LABELS);
}

#define FIELD(ID, MEMBER) \
  { \
    PROP_##ID, G_STRUCT_OFFSET (GstYolov10Overlay, MEMBER) \
  }

static const GstY10Field fields[] = { FIELD (LINE_WIDTH, settings.line_width),
  FIELD (FONT_DESC, font_desc), FIELD (SHOW_LABEL, settings.show_label),
  FIELD (SHOW_ID, settings.show_id),
  FIELD (SHOW_CONFIDENCE, settings.show_confidence),
  FIELD (SHOW_REGIONS, settings.show_regions),
  FIELD (SHOW_ZONES, settings.show_zones), FIELD (LABELS, labels_wanted),
  FIELD (MIN_CONFIDENCE, settings.min_confidence),
  FIELD (PRIVACY, settings.privacy),
  FIELD (PRIVACY_TRUST, settings.privacy_trust),
  FIELD (PRIVACY_GROWTH, settings.privacy_growth), { 0 } };

void
gst_y10_overlay_props_set (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (object);

  GST_OBJECT_LOCK (self);
  if (!gst_y10_fields_set (fields, self, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  self->strings_changed |= G_VALUE_HOLDS_STRING (value);
  GST_OBJECT_UNLOCK (self);
}

void
gst_y10_overlay_props_get (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (object);

  GST_OBJECT_LOCK (self);
  if (!gst_y10_fields_get (fields, self, id, value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

void
gst_y10_overlay_props_install (GObjectClass *class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstYolov10Overlay:line-width:
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_LINE_WIDTH,
      g_param_spec_uint ("line-width", "Line width",
          "Line width of boxes, in pixels; 0: scaled to the frame size", 0,
          MAX_LINE_WIDTH, DEFAULT_LINE_WIDTH, flags | GST_PARAM_CONTROLLABLE));
  /**
   * GstYolov10Overlay:font-desc:
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_FONT_DESC,
      g_param_spec_string ("font-desc", "Font description",
          "Pango font description, such as \"Sans Bold 16\". Without a size, "
          "text is scaled to the frame; empty: bold and scaled to the frame",
          DEFAULT_FONT_DESC, flags));
  /**
   * GstYolov10Overlay:show-label:
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_SHOW_LABEL,
      g_param_spec_boolean ("show-label", "Show label",
          "Show the label of each box", DEFAULT_SHOW_LABEL,
          flags | GST_PARAM_CONTROLLABLE));
  /**
   * GstYolov10Overlay:show-id:
   *
   * Trackers give an object the same id from frame to frame, as a
   * #GstAnalyticsTrackingMtd related to the detection (ioutracker), as
   * `object_id` in the region's `detection` parameters (Edge Impulse) or as
   * parameters `object_id` (gvatrack of DL Streamer). The id of a lost track is
   * not shown. Colours stay those of the class.
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_SHOW_ID,
      g_param_spec_boolean ("show-id", "Show ID",
          "Show the track id of each box, if a tracker assigned one",
          DEFAULT_SHOW_ID, flags | GST_PARAM_CONTROLLABLE));
  /**
   * GstYolov10Overlay:show-confidence:
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_SHOW_CONFIDENCE,
      g_param_spec_boolean ("show-confidence", "Show confidence",
          "Show the confidence of each box in percent, if known",
          DEFAULT_SHOW_CONFIDENCE, flags | GST_PARAM_CONTROLLABLE));
  /**
   * GstYolov10Overlay:show-regions:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_SHOW_REGIONS,
      g_param_spec_boolean ("show-regions", "Show regions",
          "Outline the region of yolov10detect and the parts of the frame that "
          "it inferred, such as tiles",
          DEFAULT_SHOW_REGIONS, flags | GST_PARAM_CONTROLLABLE));
  /**
   * GstYolov10Overlay:show-zones:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_SHOW_ZONES,
      g_param_spec_boolean ("show-zones", "Show zones",
          "Outline the zones and lines of a yolov10zones, with the number of objects "
          "in each zone, and of those that crossed each line in and out",
          DEFAULT_SHOW_ZONES, flags | GST_PARAM_CONTROLLABLE));
  /**
   * GstYolov10Overlay:labels:
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_LABELS,
      g_param_spec_string ("labels", "Labels",
          "Labels of the boxes to draw, separated by commas, such as "
          "\"person,car\"; empty: all",
          DEFAULT_LABELS, flags));
  /**
   * GstYolov10Overlay:min-confidence:
   *
   * Boxes without a known confidence are always drawn.
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_MIN_CONFIDENCE,
      g_param_spec_double ("min-confidence", "Minimum confidence",
          "Minimum confidence of boxes to draw, 0 to 1; boxes without a known "
          "confidence are always drawn",
          0, 1, DEFAULT_MIN_CONFIDENCE, flags | GST_PARAM_CONTROLLABLE));
  /**
   * GstYolov10Overlay:privacy:
   *
   * Applies to the boxes that are drawn: #GstYolov10Overlay:labels and
   * #GstYolov10Overlay:min-confidence also select what is hidden.
   *
   * The whole picture is covered unless yolov10detect vouches for this very
   * picture: it inferred it, or holds the boxes of an earlier one for it.
   * Elements in between may copy, scale or convert the picture; if one crops,
   * rotates, pads or composes it, all of it is covered. The element posts one
   * warning per reason. Frames before the first result are covered, too.
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_PRIVACY,
      g_param_spec_enum ("privacy", "Privacy",
          "What to do with the pixels inside the drawn boxes, and with the "
          "whole picture while the boxes are unknown",
          GST_TYPE_YOLOV10_PRIVACY, DEFAULT_PRIVACY,
          flags | GST_PARAM_CONTROLLABLE));
  /**
   * GstYolov10Overlay:privacy-trust:
   *
   * Regions of interest do not show whether a detector inspected the picture.
   * With "roi", a picture without any passes uncovered, and the application
   * must make sure that a detector sees every frame.
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_PRIVACY_TRUST,
      g_param_spec_enum ("privacy-trust", "Privacy trust",
          "Whose boxes privacy relies on; everything else is covered",
          GST_TYPE_YOLOV10_PRIVACY_TRUST, DEFAULT_PRIVACY_TRUST, flags));
  /**
   * GstYolov10Overlay:privacy-growth:
   *
   * Held boxes belong to an earlier picture. Each is covered with a margin that
   * grows with its age, and so are the picture's edges, where new objects
   * appear. The unit is longer sides of the picture per second: with 0.25 and
   * 1280x720, boxes 0.1 s old get a margin of 32 pixels, and after 1.125 s the
   * whole picture is covered. 0 covers held boxes as they are, indefinitely.
   *
   * Since: 0.1
   */
  g_object_class_install_property (class, PROP_PRIVACY_GROWTH,
      g_param_spec_double ("privacy-growth", "Privacy growth",
          "How fast covered areas grow with the age of held boxes, in longer "
          "sides of the picture per second",
          0, MAX_PRIVACY_GROWTH, DEFAULT_PRIVACY_GROWTH, flags));
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_PRIVACY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_PRIVACY_TRUST, 0);
}
