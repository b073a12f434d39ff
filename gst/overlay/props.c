/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10overlay. All but stream may change in PLAYING. */

#include "overlay/element.h"

#include "common/overlays.h"

#define ROW(MEMBER, TYPE, ...) \
  gst_y10_properties_add (&gst_y10_overlay_properties, class, \
      G_STRUCT_OFFSET (GstY10OverlaySettings, MEMBER), \
      g_param_spec_##TYPE (__VA_ARGS__))

GstY10Properties gst_y10_overlay_properties = {
  .size = sizeof (GstY10OverlaySettings),
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

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  gst_y10_filter_set_property (object, id, value, pspec);
  gst_y10_overlays_tell_change ();
}

void
gst_y10_overlay_props_install (GObjectClass *class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  gst_y10_filter_class_init (class);
  class->set_property = set_property;
  /**
   * GstYolov10Overlay:line-width:
   *
   * Since: 0.1
   */
  ROW (line_width, uint, "line-width", "Line width",
      "Line width of boxes, in pixels; 0: scaled to the frame size", 0, 256, 0,
      flags | GST_PARAM_CONTROLLABLE);
  /**
   * GstYolov10Overlay:font-desc:
   *
   * Since: 0.1
   */
  ROW (font_desc, string, "font-desc", "Font description",
      "Pango font description, such as \"Sans Bold 16\". Without a size, "
      "text is scaled to the frame; empty: bold and scaled to the frame",
      "", flags);
  /**
   * GstYolov10Overlay:show-label:
   *
   * Since: 0.1
   */
  ROW (show_label, boolean, "show-label", "Show label",
      "Show the label of each box", TRUE, flags | GST_PARAM_CONTROLLABLE);
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
  ROW (show_id, boolean, "show-id", "Show ID",
      "Show the track id of each box, if a tracker assigned one", TRUE,
      flags | GST_PARAM_CONTROLLABLE);
  /**
   * GstYolov10Overlay:show-confidence:
   *
   * Since: 0.1
   */
  ROW (show_confidence, boolean, "show-confidence", "Show confidence",
      "Show the confidence of each box in percent, if known", TRUE,
      flags | GST_PARAM_CONTROLLABLE);
  /**
   * GstYolov10Overlay:show-regions:
   *
   * Since: 0.2
   */
  ROW (show_regions, boolean, "show-regions", "Show regions",
      "Outline the region of yolov10detect and the parts of the frame that "
      "it inferred, such as tiles",
      FALSE, flags | GST_PARAM_CONTROLLABLE);
  /**
   * GstYolov10Overlay:show-zones:
   *
   * Since: 0.2
   */
  ROW (show_zones, boolean, "show-zones", "Show zones",
      "Outline the zones and lines of a yolov10zones, with the number of objects "
      "in each zone, and of those that crossed each line in and out",
      TRUE, flags | GST_PARAM_CONTROLLABLE);
  /**
   * GstYolov10Overlay:labels:
   *
   * Since: 0.1
   */
  ROW (labels, string, "labels", "Labels",
      "Labels of the boxes to draw, separated by commas, such as "
      "\"person,car\"; empty: all",
      "", flags);
  /**
   * GstYolov10Overlay:min-confidence:
   *
   * Boxes without a known confidence are always drawn.
   *
   * Since: 0.1
   */
  ROW (min_confidence, double, "min-confidence", "Minimum confidence",
      "Minimum confidence of boxes to draw, 0 to 1; boxes without a known "
      "confidence are always drawn",
      0, 1, 0.0, flags | GST_PARAM_CONTROLLABLE);
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
  ROW (privacy, enum, "privacy", "Privacy",
      "What to do with the pixels inside the drawn boxes, and with the "
      "whole picture while the boxes are unknown",
      GST_TYPE_YOLOV10_PRIVACY, GST_YOLOV10_PRIVACY_NONE,
      flags | GST_PARAM_CONTROLLABLE);
  /**
   * GstYolov10Overlay:privacy-trust:
   *
   * Regions of interest do not show whether a detector inspected the picture.
   * With "roi", a picture without any passes uncovered, and the application
   * must make sure that a detector sees every frame.
   *
   * Since: 0.1
   */
  ROW (privacy_trust, enum, "privacy-trust", "Privacy trust",
      "Whose boxes privacy relies on; everything else is covered",
      GST_TYPE_YOLOV10_PRIVACY_TRUST, GST_YOLOV10_PRIVACY_TRUST_DETECTOR,
      flags);
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
  ROW (privacy_growth, double, "privacy-growth", "Privacy growth",
      "How fast covered areas grow with the age of held boxes, in longer "
      "sides of the picture per second",
      0, 100, 0.25, flags);
  /**
   * GstYolov10Overlay:stream:
   *
   * The camera's name, as #GstYolov10Publish:stream has it. As long as
   * #GstYolov10Overlay:privacy is on, or controlled, a yolov10record that declares
   * the same stream records nothing but what this element has covered, in
   * whatever pipeline of the process the two are, and whatever their state.
   *
   * Since: 0.2
   */
  ROW (stream, string, "stream", "Stream",
      "Name of the stream. With privacy, a yolov10record that has the same records "
      "only what is covered here. Empty: none",
      "", G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
}
