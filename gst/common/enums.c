/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Enum types of the elements' properties. */
#include "common/enums.h"

/* y10 links this code, too: its own and the plugin's are one type. */
static GType
register_once (const gchar *name, const GEnumValue *values)
{
  const GType known = g_type_from_name (name);

  return known ? known : g_enum_register_static (name, values);
}

GType
gst_yolov10_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { Y10_BACKEND_AUTO,
                                           "Fastest that runs here", "auto" },
    { Y10_BACKEND_REF, "Plain C reference, slow", "ref" },
    { Y10_BACKEND_CPU, "CPU", "cpu" },
    { Y10_BACKEND_CUDA, "NVIDIA GPU", "cuda" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10Backend", values));
  return type;
}

GType
gst_yolov10_precision_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { Y10_PRECISION_AUTO, "Fastest that finds the same objects", "auto" },
    { Y10_PRECISION_FP32, "Single precision", "fp32" },
    { Y10_PRECISION_TF32, "Single precision, 10-bit mantissa on tensor cores",
        "tf32" },
    { Y10_PRECISION_FP16, "Half precision", "fp16" },
    { Y10_PRECISION_BF16, "bfloat16", "bf16" },
    { Y10_PRECISION_INT8, "8-bit integers where the file has them", "int8" },
    { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10Precision", values));
  return type;
}

GType
gst_yolov10_head_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { Y10_HEAD_AUTO,
        "Head named in the model file, else one2one if present, "
        "else one2many",
        "auto" },
    { Y10_HEAD_ONE2ONE, "End to end, without NMS", "one2one" },
    { Y10_HEAD_ONE2MANY, "With NMS", "one2many" },
    { Y10_HEAD_ONE2ONE_NMS, "one2one followed by NMS", "one2one-nms" },
    { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10Head", values));
  return type;
}

GType
gst_yolov10_attach_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
    { GST_YOLOV10_ATTACH_ROI, "GstVideoRegionOfInterestMeta", "roi" },
    { GST_YOLOV10_ATTACH_ANALYTICS, "GstAnalyticsODMtd (GStreamer >= 1.24)",
        "analytics" },
    { GST_YOLOV10_ATTACH_FRAME, "GstYolov10FrameMeta", "frame" },
    { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_flags_register_static ("GstYolov10Attach", values));
  return type;
}

GType
gst_yolov10_late_policy_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_YOLOV10_LATE_AUTO, "Skip when live, else infer all", "auto" },
    { GST_YOLOV10_LATE_INFER_ALL, "Frames wait for inference", "infer-all" },
    { GST_YOLOV10_LATE_SKIP, "Skip inference, never frames", "skip" },
    { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10LatePolicy", values));
  return type;
}

GType
gst_yolov10_skipped_boxes_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_YOLOV10_BOXES_HOLD, "Boxes of the latest inferred frame", "hold" },
    { GST_YOLOV10_BOXES_NONE, "None", "none" }, { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10SkippedBoxes", values));
  return type;
}

GType
gst_yolov10_region_anchor_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { Y10_REGION_ANCHOR_BOTTOM, "Middle of the lower edge", "bottom" },
    { Y10_REGION_ANCHOR_OVERLAP, "Any part of the box", "overlap" },
    { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10RegionAnchor", values));
  return type;
}

GType
gst_yolov10_roi_source_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_YOLOV10_ROI_SOURCE_NONE, "Infer frames, not regions of interest",
        "none" },
    { GST_YOLOV10_ROI_SOURCE_META, "Infer regions attached to the frame",
        "meta" },
    { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10RoiSource", values));
  return type;
}

GType
gst_yolov10_zone_anchor_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_YOLOV10_ZONE_ANCHOR_BOTTOM_CENTER,
                                           "Middle of the lower edge",
                                           "bottom-center" },
    { GST_YOLOV10_ZONE_ANCHOR_CENTER, "Middle of the box", "center" },
    { GST_YOLOV10_ZONE_ANCHOR_TOP_CENTER, "Middle of the upper edge",
        "top-center" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, register_once ("GstYolov10ZoneAnchor", values));
  return type;
}

GType
gst_yolov10_privacy_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_YOLOV10_PRIVACY_NONE,
                                           "Hide nothing", "none" },
    { GST_YOLOV10_PRIVACY_BLUR, "Blur beyond recognition", "blur" },
    { GST_YOLOV10_PRIVACY_FILL, "Fill with a solid colour", "fill" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, register_once ("GstYolov10Privacy", values));
  return type;
}

GType
gst_yolov10_publish_content_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_YOLOV10_PUBLISH_FRAMES,
                                           "Results of each frame", "frames" },
    { GST_YOLOV10_PUBLISH_EVENTS, "Events of zones", "events" },
    { GST_YOLOV10_PUBLISH_ALL, "Both", "all" },
    { GST_YOLOV10_PUBLISH_NONE, "Nothing; the lines of others are sent",
        "none" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10PublishContent", values));
  return type;
}

GType
gst_yolov10_record_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_YOLOV10_RECORD_CONTINUOUS,
                                           "All of the stream", "continuous" },
    { GST_YOLOV10_RECORD_EVENTS, "Clips of events", "events" },
    { GST_YOLOV10_RECORD_BOTH, "Both, each in files of its own", "both" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, register_once ("GstYolov10RecordMode", values));
  return type;
}
