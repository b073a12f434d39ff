/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The properties of yolov10detect as a user reads them: names, ranges,
 * defaults, in which states each may change, and what setting one does. What makes the session is
 * MUTABLE_READY; what is wanted of a frame may change while playing. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsty10props.h"

#include "gsty10attach.h"
#include "gsty10error.h"
#include "gstyolov10detect-private.h"

/**
 * gst_y10_props_install:
 * @class: the element's class
 * @props: (out) (array): the specifications, GST_Y10_N_PROPS of them
 *
 * Installs all properties.
 */
void
gst_y10_props_install (GObjectClass * class, GParamSpec ** props)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controllable = playing | GST_PARAM_CONTROLLABLE;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  props[GST_Y10_PROP_MODEL_FILE] = g_param_spec_string ("model-file", "Model file",
      "Weights of a YOLOv10 of any size (.safetensors); where none is set, "
      "those of the bundled model, which finds codes and markers", NULL, ready);
  props[GST_Y10_PROP_LABEL_FILE] = g_param_spec_string ("label-file", "Label file",
      "UTF-8 text with the name of one class a line; needed only where the "
      "model file has no names of its own, which it overrides", NULL, ready);
  props[GST_Y10_PROP_BACKEND] = g_param_spec_enum ("backend", "Backend",
      "What computes. One that is asked for and cannot run is an error; auto "
      "takes the fastest that can and says why in fallback-reason",
      GST_TYPE_YOLOV10_BACKEND, Y10_BACKEND_AUTO, ready);
  props[GST_Y10_PROP_PRECISION] = g_param_spec_enum ("precision", "Precision",
      "The numbers that are computed in; auto is the fastest that changes "
      "the average precision by less than 0.003",
      GST_TYPE_YOLOV10_PRECISION, Y10_PRECISION_AUTO, ready);
  props[GST_Y10_PROP_HEAD] = g_param_spec_enum ("head", "Head",
      "Which of the network's two heads finds the objects",
      GST_TYPE_YOLOV10_HEAD, Y10_HEAD_AUTO, ready);
  props[GST_Y10_PROP_INPUT_SIZE] = g_param_spec_string ("input-size", "Input size",
      "Size that frames are scaled to for the network, pixels: \"N\" or "
      "\"WxH\", multiples of 32. Empty: the model's own. Smaller is faster, "
      "larger finds smaller objects", "", ready);
  props[GST_Y10_PROP_THREADS] = g_param_spec_uint ("threads", "Threads",
      "CPU threads, 0 for one a core", 0, 256, 0, ready);
  props[GST_Y10_PROP_CUDA_DEVICE_ID] = g_param_spec_int ("cuda-device-id",
      "CUDA device ID", "Which GPU backend cuda takes; -1 for the one its "
      "neighbours use, or the first", -1, G_MAXINT, -1, ready);
  props[GST_Y10_PROP_CUDA_GRAPHS] = g_param_spec_boolean ("cuda-graphs",
      "CUDA graphs", "Whether backend cuda launches the network as one captured "
      "graph; else kernel by kernel, the same work at more cost for the CPU",
      TRUE, ready);
  props[GST_Y10_PROP_CUDA_TUNE] = g_param_spec_boolean ("cuda-tune",
      "CUDA tune", "Whether backend cuda looks for faster ways to run the "
      "network while frames flow, and takes them over, which changes results by "
      "rounding", TRUE, ready);
  props[GST_Y10_PROP_CLASS_AGNOSTIC_NMS] =
      g_param_spec_boolean ("class-agnostic-nms", "Class-agnostic NMS",
      "Boxes of different classes that overlap compete too (head one2many "
      "only)", FALSE, ready);
  props[GST_Y10_PROP_CONFIDENCE] = g_param_spec_double ("confidence", "Confidence",
      "Least confidence of a detection", 0.0, 1.0, GST_Y10_DEFAULT_CONFIDENCE,
      controllable);
  props[GST_Y10_PROP_IOU_THRESHOLD] =
      g_param_spec_double ("iou-threshold", "IoU threshold",
      "Of two boxes that overlap by more than this, as intersection over "
      "union, the less confident is dropped (head one2many only)", 0.0, 1.0,
      GST_Y10_DEFAULT_IOU_THRESHOLD, controllable);
  props[GST_Y10_PROP_MAX_DETECTIONS] =
      g_param_spec_uint ("max-detections", "Maximum detections",
      "Most detections of a frame; the most confident are kept", 1,
      GST_Y10_MAX_DETECTIONS, GST_Y10_DEFAULT_MAX_DETECTIONS, playing);
  props[GST_Y10_PROP_CLASSES] = g_param_spec_string ("classes", "Classes",
      "Which classes to look for: names or ids separated by commas, such as "
      "\"person,2\". Empty: all", "", playing);
  props[GST_Y10_PROP_ATTACH] = g_param_spec_flags ("attach", "Attach",
      "Which metadata to attach", GST_TYPE_YOLOV10_ATTACH,
      GST_YOLOV10_ATTACH_ALL, playing);
  props[GST_Y10_PROP_ACTIVE] = g_param_spec_boolean ("active", "Active",
      "Whether to look at frames; if not, they pass untouched", TRUE,
      controllable);
  props[GST_Y10_PROP_ACTIVE_BACKEND] =
      g_param_spec_string ("active-backend", "Active backend",
      "What computes now; NULL below PAUSED", NULL, readable);
  props[GST_Y10_PROP_ACTIVE_DEVICE] =
      g_param_spec_string ("active-device", "Active device",
      "The device that computes now; NULL below PAUSED", NULL, readable);
  props[GST_Y10_PROP_ACTIVE_PRECISION] =
      g_param_spec_string ("active-precision", "Active precision",
      "The numbers that are computed in now; NULL below PAUSED", NULL,
      readable);
  props[GST_Y10_PROP_FALLBACK_REASON] =
      g_param_spec_string ("fallback-reason", "Fallback reason",
      "Why a faster backend was not taken; NULL where there is none", NULL,
      readable);
  props[GST_Y10_PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Frames since the start, those skipped while the device was lost, how "
      "often it recovered, and of the last 512 frames the time of preprocess, "
      "inference and postprocess as median, p95 and max in nanoseconds", GST_TYPE_STRUCTURE, readable);
  g_object_class_install_properties (class, GST_Y10_N_PROPS, props);

  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_BACKEND, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_PRECISION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_HEAD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_ATTACH, 0);
}

/**
 * gst_y10_props_set_classes:
 * @self: the element
 * @text: (nullable): the property `classes`
 *
 * While running, a selection that cannot be read changes nothing and is a
 * warning: a typing error should not stop a camera. Before that the model is
 * not known, and start() will look.
 */
void
gst_y10_props_set_classes (GstYolov10Detect * self, const gchar * text)
{
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  if (!self->session
      || gst_y10_parse_classes (text, self->session->model,
          self->session->wanted_classes, &error)) {
    g_free (self->settings.classes);
    self->settings.classes = g_strdup (text);
  }
  GST_OBJECT_UNLOCK (self);
  if (error)
    GST_Y10_ELEMENT_WARNING (self, error);
  g_clear_error (&error);
}

/**
 * gst_y10_props_warn_of_attach:
 * @self: the element
 * @attach: the property `attach`
 *
 * Asking for what this build lacks deserves a word, the default of everything
 * does not. Said when frames are about to be written on: before that nobody may
 * be listening.
 */
void
gst_y10_props_warn_of_attach (GstYolov10Detect * self, GstYolov10Attach attach)
{
  if (!GST_Y10_HAVE_ANALYTICS && attach != GST_YOLOV10_ATTACH_ALL
      && (attach & GST_YOLOV10_ATTACH_ANALYTICS))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("attach=analytics does nothing: this build has no GstAnalytics, "
            "which needs GStreamer 1.24 or later"), (NULL));
}

static void
set_attach (GstYolov10Detect * self, GstYolov10Attach attach)
{
  gboolean started;

  GST_OBJECT_LOCK (self);
  self->attach = attach;
  started = self->session != NULL;
  GST_OBJECT_UNLOCK (self);
  if (started)
    gst_y10_props_warn_of_attach (self, attach);
}

/**
 * gst_y10_props_set:
 * @object: the element
 * @id: a property
 * @value: its new value
 * @pspec: its specification
 *
 * The element's #GObjectClass.set_property().
 */
void
gst_y10_props_set (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (object);

  if (id == GST_Y10_PROP_CLASSES) {
    gst_y10_props_set_classes (self, g_value_get_string (value));
    return;
  }
  if (id == GST_Y10_PROP_ATTACH) {
    set_attach (self, g_value_get_flags (value));
    return;
  }

  GST_OBJECT_LOCK (self);
  switch (id) {
    case GST_Y10_PROP_MODEL_FILE:
      g_free (self->settings.model_file);
      self->settings.model_file = g_value_dup_string (value);
      break;
    case GST_Y10_PROP_LABEL_FILE:
      g_free (self->settings.label_file);
      self->settings.label_file = g_value_dup_string (value);
      break;
    case GST_Y10_PROP_BACKEND:
      self->settings.backend = g_value_get_enum (value);
      break;
    case GST_Y10_PROP_PRECISION:
      self->settings.precision = g_value_get_enum (value);
      break;
    case GST_Y10_PROP_HEAD:
      self->settings.head = g_value_get_enum (value);
      break;
    case GST_Y10_PROP_INPUT_SIZE:
      g_free (self->settings.input_size);
      self->settings.input_size = g_value_dup_string (value);
      break;
    case GST_Y10_PROP_THREADS:
      self->settings.threads = g_value_get_uint (value);
      break;
    case GST_Y10_PROP_CUDA_DEVICE_ID:
      self->settings.device_id = g_value_get_int (value);
      break;
    case GST_Y10_PROP_CUDA_GRAPHS:
      self->settings.cuda_graphs = g_value_get_boolean (value);
      break;
    case GST_Y10_PROP_CUDA_TUNE:
      self->settings.cuda_tune = g_value_get_boolean (value);
      break;
    case GST_Y10_PROP_CLASS_AGNOSTIC_NMS:
      self->class_agnostic = g_value_get_boolean (value);
      break;
    case GST_Y10_PROP_CONFIDENCE:
      self->confidence = g_value_get_double (value);
      break;
    case GST_Y10_PROP_IOU_THRESHOLD:
      self->iou_threshold = g_value_get_double (value);
      break;
    case GST_Y10_PROP_MAX_DETECTIONS:
      self->max_detections = g_value_get_uint (value);
      break;
    case GST_Y10_PROP_ACTIVE:
      self->active = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static GstStructure *
stats_structure (GstYolov10Detect * self)
{
  GstY10Stats *stats = g_new (GstY10Stats, 1);
  GstStructure *structure;

  GST_OBJECT_LOCK (self);
  *stats = self->stats;
  GST_OBJECT_UNLOCK (self);
  structure = gst_y10_stats_to_structure (stats);
  g_free (stats);
  return structure;
}

/**
 * gst_y10_props_get:
 * @object: the element
 * @id: a property
 * @value: (inout): where to put its value
 * @pspec: its specification
 *
 * The element's #GObjectClass.get_property().
 */
void
gst_y10_props_get (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (object);
  Y10Engine *engine;

  if (id == GST_Y10_PROP_STATS) {
    g_value_take_boxed (value, stats_structure (self));
    return;
  }

  GST_OBJECT_LOCK (self);
  engine = self->session ? self->session->engine : NULL;
  switch (id) {
    case GST_Y10_PROP_MODEL_FILE:
      g_value_set_string (value, self->settings.model_file);
      break;
    case GST_Y10_PROP_LABEL_FILE:
      g_value_set_string (value, self->settings.label_file);
      break;
    case GST_Y10_PROP_BACKEND:
      g_value_set_enum (value, self->settings.backend);
      break;
    case GST_Y10_PROP_PRECISION:
      g_value_set_enum (value, self->settings.precision);
      break;
    case GST_Y10_PROP_HEAD:
      g_value_set_enum (value, self->settings.head);
      break;
    case GST_Y10_PROP_INPUT_SIZE:
      g_value_set_string (value, self->settings.input_size ? self->settings.input_size : "");
      break;
    case GST_Y10_PROP_THREADS:
      g_value_set_uint (value, self->settings.threads);
      break;
    case GST_Y10_PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, self->settings.device_id);
      break;
    case GST_Y10_PROP_CUDA_GRAPHS:
      g_value_set_boolean (value, self->settings.cuda_graphs);
      break;
    case GST_Y10_PROP_CUDA_TUNE:
      g_value_set_boolean (value, self->settings.cuda_tune);
      break;
    case GST_Y10_PROP_CLASS_AGNOSTIC_NMS:
      g_value_set_boolean (value, self->class_agnostic);
      break;
    case GST_Y10_PROP_CONFIDENCE:
      g_value_set_double (value, self->confidence);
      break;
    case GST_Y10_PROP_IOU_THRESHOLD:
      g_value_set_double (value, self->iou_threshold);
      break;
    case GST_Y10_PROP_MAX_DETECTIONS:
      g_value_set_uint (value, self->max_detections);
      break;
    case GST_Y10_PROP_CLASSES:
      g_value_set_string (value, self->settings.classes ? self->settings.classes : "");
      break;
    case GST_Y10_PROP_ATTACH:
      g_value_set_flags (value, self->attach);
      break;
    case GST_Y10_PROP_ACTIVE:
      g_value_set_boolean (value, self->active);
      break;
    case GST_Y10_PROP_ACTIVE_BACKEND:
      g_value_set_string (value, engine
          ? y10_backend_get_name (y10_engine_get_backend (engine)) : NULL);
      break;
    case GST_Y10_PROP_ACTIVE_DEVICE:
      g_value_set_string (value,
          engine ? y10_engine_get_device (engine) : NULL);
      break;
    case GST_Y10_PROP_ACTIVE_PRECISION:
      g_value_set_string (value, engine
          ? y10_precision_get_name (y10_engine_get_precision (engine)) : NULL);
      break;
    case GST_Y10_PROP_FALLBACK_REASON:
      g_value_set_string (value,
          engine ? y10_engine_get_fallback_reason (engine) : NULL);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}
