/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Enum types of yolov10detect's properties, and the parsers of `input-size` and
 * `classes`. A value that cannot be parsed is an error that tells what was
 * expected; nothing is guessed. */
#include "common/enums.h"

GType
gst_yolov10_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {Y10_BACKEND_AUTO, "Fastest that runs here", "auto"},
    {Y10_BACKEND_REF, "Plain C reference, slow", "ref"},
    {Y10_BACKEND_CPU, "CPU", "cpu"},
    {Y10_BACKEND_CUDA, "NVIDIA GPU", "cuda"},
    {0, NULL, NULL}
  };

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
    {Y10_PRECISION_AUTO, "Fastest that finds the same objects", "auto"},
    {Y10_PRECISION_FP32, "Single precision", "fp32"},
    {Y10_PRECISION_TF32, "Single precision, 10-bit mantissa on tensor cores",
        "tf32"},
    {Y10_PRECISION_FP16, "Half precision", "fp16"},
    {Y10_PRECISION_BF16, "bfloat16", "bf16"},
    {Y10_PRECISION_INT8, "8-bit integers where the file has them", "int8"},
    {0, NULL, NULL}
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
    {Y10_HEAD_AUTO, "Head named in the model file, else one2one if present, "
        "else one2many",
        "auto"},
    {Y10_HEAD_ONE2ONE, "End to end, without NMS", "one2one"},
    {Y10_HEAD_ONE2MANY, "With NMS", "one2many"},
    {Y10_HEAD_ONE2ONE_NMS, "one2one followed by NMS", "one2one-nms"},
    {0, NULL, NULL}
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
    {GST_YOLOV10_ATTACH_ROI, "GstVideoRegionOfInterestMeta", "roi"},
    {GST_YOLOV10_ATTACH_ANALYTICS, "GstAnalyticsODMtd (GStreamer >= 1.24)",
        "analytics"},
    {GST_YOLOV10_ATTACH_FRAME, "GstYolov10FrameMeta", "frame"},
    {0, NULL, NULL}
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
    {GST_YOLOV10_LATE_AUTO, "Skip when live, else infer all", "auto"},
    {GST_YOLOV10_LATE_INFER_ALL, "Frames wait for inference",
        "infer-all"},
    {GST_YOLOV10_LATE_SKIP, "Skip inference, never frames", "skip"},
    {0, NULL, NULL}
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
    {GST_YOLOV10_BOXES_HOLD, "Boxes of the latest inferred frame",
        "hold"},
    {GST_YOLOV10_BOXES_NONE, "None", "none"},
    {0, NULL, NULL}
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
    {Y10_REGION_ANCHOR_BOTTOM, "Middle of the lower edge", "bottom"},
    {Y10_REGION_ANCHOR_OVERLAP, "Any part of the box", "overlap"},
    {0, NULL, NULL}
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
    {GST_YOLOV10_ROI_SOURCE_NONE, "Infer frames, not regions of interest",
        "none"},
    {GST_YOLOV10_ROI_SOURCE_META, "Infer regions attached to the frame",
        "meta"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstYolov10RoiSource", values));
  return type;
}

/* Parses `input-size`: NULL, "", "N" or "WxH", in pixels. 0 is the model's own
 * size. The engine checks which sizes a model supports. */
gboolean
gst_y10_parse_input_size (const gchar * text, guint * width, guint * height,
    GError ** error)
{
  gchar *end;
  guint64 w, h;

  *width = *height = 0;
  if (!text || !*text)
    return TRUE;
  if (!g_ascii_isdigit (*text))
    goto invalid;
  w = h = g_ascii_strtoull (text, &end, 10);
  if (*end == 'x' && g_ascii_isdigit (end[1]))
    h = g_ascii_strtoull (end + 1, &end, 10);
  if (*end || !w || !h || w > Y10_MAX_IMAGE_SIZE || h > Y10_MAX_IMAGE_SIZE)
    goto invalid;
  *width = (guint) w;
  *height = (guint) h;
  return TRUE;

invalid:
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "input-size is \"%s\", expected \"\" for the model's own size, \"N\" or "
      "\"WxH\" in pixels, such as \"640\" or \"640x384\"", text);
  return FALSE;
}

/* Names take precedence; otherwise digits are an id. */
static gint
class_from_token (const gchar * token, const Y10Model * model)
{
  gint found = y10_model_find_class (model, token);
  gchar *end;
  guint64 id;

  if (found >= 0 || !g_ascii_isdigit (*token))
    return found;
  id = g_ascii_strtoull (token, &end, 10);
  return *end || id >= y10_model_get_n_classes (model) ? -1 : (gint) id;
}

/* Returns the id of a class named by @token, or -1 with an error. */
gint
gst_y10_find_class (const gchar * property, const gchar * token,
    const Y10Model * model, GError ** error)
{
  guint n_classes = y10_model_get_n_classes (model);
  gint id = class_from_token (token, model);

  if (id < 0)
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "%s contains \"%s\", which is not a class of %s: expected one of its "
        "%u classes, 0 \"%s\" to %u \"%s\"",
        property, token, y10_model_get_path (model),
        n_classes, y10_model_get_class_name (model, 0), n_classes - 1,
        y10_model_get_class_name (model, n_classes - 1));
  return id;
}

/* Parses `classes` into one byte per class of @model: 1 for each class listed,
 * or for all if none is. Leaves @wanted alone on error. */
gboolean
gst_y10_parse_classes (const gchar * text, const Y10Model * model,
    guint8 * wanted, GError ** error)
{
  guint n_classes = y10_model_get_n_classes (model);
  gchar **tokens = g_strsplit (text ? text : "", ",", -1);
  guint8 *mask = g_malloc0 (n_classes);
  guint n_named = 0;
  gboolean ok = TRUE;

  for (gchar ** token = tokens; *token && ok; token++) {
    gint id;

    if (!*g_strstrip (*token))
      continue;
    id = gst_y10_find_class ("classes", *token, model, error);
    ok = id >= 0;
    if (ok) {
      mask[id] = 1;
      n_named++;
    }
  }
  if (ok && n_named)
    memcpy (wanted, mask, n_classes);
  else if (ok)
    memset (wanted, 1, n_classes);
  g_free (mask);
  g_strfreev (tokens);
  return ok;
}
