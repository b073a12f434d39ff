/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The properties of yolov10detect as a user reads them: names, ranges, defaults,
 * and in which states each may change. What makes the session is MUTABLE_READY,
 * but for the model itself; what is wanted of a frame may change while playing,
 * and what may be different from frame to frame is controllable. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/props.h"

#include "detect/element.h"

static GParamSpec *props[GST_Y10_N_PROPS];

/**
 * gst_y10_props_install:
 * @class: the element's class
 *
 * Installs all properties.
 */
void
gst_y10_props_install (GObjectClass * class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controllable = playing | GST_PARAM_CONTROLLABLE;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  props[GST_Y10_PROP_MODEL_FILE] = g_param_spec_string ("model-file", "Model file",
      "Weights of a YOLOv10 of any size (.safetensors); where none is set, "
      "those of the bundled model, which finds codes and markers. While playing another "
      "one takes over between two frames as soon as it is loaded; if it cannot "
      "be, a warning says why and nothing changes", NULL, playing);
  props[GST_Y10_PROP_LABEL_FILE] = g_param_spec_string ("label-file", "Label file",
      "UTF-8 text with the name of one class a line; needed only where the "
      "model file has no names of its own, which it overrides. Read together "
      "with the model: while playing set it before model-file", NULL, playing);
  props[GST_Y10_PROP_BACKEND] = g_param_spec_enum ("backend", "Backend",
      "What computes. auto takes the fastest that runs here, and fallback-reason "
      "says why nothing faster was taken; any other that cannot run is an error",
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
      "Threads that the CPU computes with; 0: one for each core", 0, 256, 0, ready);
  props[GST_Y10_PROP_ENGINE_GROUP] = g_param_spec_string ("engine-group",
      "Engine group", "Any name. Elements of one process share an engine, whose "
      "weights are in memory once, where this name, the model file and all "
      "settings of the engine (backend, precision, head, input size and so on) "
      "are the same", "", ready);
  props[GST_Y10_PROP_MAX_BATCH] = g_param_spec_uint ("max-batch", "Maximum batch",
      "Most frames, of all elements that share the engine, that are inferred "
      "together, which only backend cuda gains by. 0: one", 0, Y10_MAX_BATCH, 0,
      ready);
  props[GST_Y10_PROP_BATCH_TIMEOUT] = g_param_spec_uint ("batch-timeout",
      "Batch timeout", "For how long a frame that could be inferred waits for "
      "others to be inferred together with, in microseconds; 0: not at all", 0, G_USEC_PER_SEC,
      0, ready);
  props[GST_Y10_PROP_PRIORITY] = g_param_spec_int ("priority", "Priority",
      "Of elements that share an engine, those with a higher one have their "
      "frames inferred first, so that others wait, or skip, where not all can "
      "be; those with the same take turns", G_MININT, G_MAXINT, 0, playing);
  props[GST_Y10_PROP_CUDA_DEVICE_ID] = g_param_spec_int ("cuda-device-id",
      "CUDA device ID", "Which GPU backend cuda takes, counted from 0; -1: the one "
      "that the element's neighbours use, else the first", -1, G_MAXINT, -1, ready);
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
      "Boxes of different classes that overlap compete too (heads with NMS "
      "only)", FALSE, ready);
  props[GST_Y10_PROP_CONFIDENCE] = g_param_spec_double ("confidence", "Confidence",
      "Least confidence of a detection, from 0 to 1. Higher finds less, and is "
      "less often wrong", 0.0, 1.0, GST_Y10_DEFAULT_CONFIDENCE,
      controllable);
  props[GST_Y10_PROP_IOU_THRESHOLD] =
      g_param_spec_double ("iou-threshold", "IoU threshold",
      "Of two boxes that overlap by more than this, as intersection over "
      "union, the less confident is dropped (heads with NMS only)", 0.0, 1.0,
      GST_Y10_DEFAULT_IOU_THRESHOLD, controllable);
  props[GST_Y10_PROP_MAX_DETECTIONS] =
      g_param_spec_uint ("max-detections", "Maximum detections",
      "Most detections of a frame; the most confident are kept", 1,
      GST_Y10_MAX_DETECTIONS, GST_Y10_DEFAULT_MAX_DETECTIONS, playing);
  props[GST_Y10_PROP_CLASSES] = g_param_spec_string ("classes", "Classes",
      "Which classes to look for: names or ids separated by commas, such as "
      "\"person,2\". Empty: all", "", playing);
  props[GST_Y10_PROP_ATTACH] = g_param_spec_flags ("attach", "Attach",
      "Which metadata to attach: of the first two one for each object, of the "
      "last one for each frame", GST_TYPE_YOLOV10_ATTACH,
      GST_YOLOV10_ATTACH_ALL, playing);
  props[GST_Y10_PROP_ENCODER_HINTS] = g_param_spec_string ("encoder-hints",
      "Encoder hints", "How much better (less than 0, down to -51) or worse (up "
      "to 51) than its surroundings an encoder is to make each object, as a "
      "difference in QP for each class: names or ids with numbers, separated by "
      "commas, * for all others, such as \"person=-8,car=-4,*=2\". Written on "
      "each region of interest for the encoders that read it: msdk's, vaapi's, "
      "OMX's on Zynq, NETINT's. Empty: nothing", "", playing);
  props[GST_Y10_PROP_ACTIVE] = g_param_spec_boolean ("active", "Active",
      "Whether to look at frames; if not, they pass untouched", TRUE,
      controllable);
  props[GST_Y10_PROP_IN_FLIGHT] = g_param_spec_uint ("in-flight", "In flight",
      "Most inferences under way at a time. 0: one where inference is skipped "
      "when late, so that frames wait for one only, else two, so that there is "
      "always something to do", 0, GST_Y10_MAX_IN_FLIGHT, 0, ready);
  props[GST_Y10_PROP_MAX_QUEUED_FRAMES] =
      g_param_spec_uint ("max-queued-frames", "Maximum queued frames",
      "Most frames held, those that are inferred and those that wait behind "
      "them. 0: as many as come during an inference", 0, GST_Y10_MAX_FRAMES, 0,
      playing);
  props[GST_Y10_PROP_LATE_POLICY] = g_param_spec_enum ("late-policy",
      "Late policy", "What to do when inference is slower than frames come; "
      "frames themselves are never dropped", GST_TYPE_YOLOV10_LATE_POLICY,
      GST_YOLOV10_LATE_AUTO, playing);
  props[GST_Y10_PROP_INFERENCE_INTERVAL] =
      g_param_spec_uint ("inference-interval", "Inference interval",
      "Infer every Nth frame only; skipped-boxes says what those in between "
      "show", 1, 10000, 1, controllable);
  props[GST_Y10_PROP_SKIPPED_BOXES] = g_param_spec_enum ("skipped-boxes",
      "Skipped boxes", "Which boxes frames show that are not inferred",
      GST_TYPE_YOLOV10_SKIPPED_BOXES, GST_YOLOV10_BOXES_HOLD, controllable);
  props[GST_Y10_PROP_MAX_HOLD] = g_param_spec_uint64 ("max-hold",
      "Maximum hold", "For how long the boxes of an earlier frame are shown, in "
      "nanoseconds of the frames' own time", 0, G_MAXUINT64,
      GST_Y10_DEFAULT_MAX_HOLD, controllable);
  props[GST_Y10_PROP_POST_MESSAGES] = g_param_spec_boolean ("post-messages",
      "Post messages", "Whether to post an element message yolov10-detections "
      "with JSON for each frame", FALSE, playing);
  props[GST_Y10_PROP_ACTIVE_BACKEND] =
      g_param_spec_string ("active-backend", "Active backend",
      "The backend that computes: cpu, ref or cuda; NULL below PAUSED", NULL, readable);
  props[GST_Y10_PROP_ACTIVE_DEVICE] =
      g_param_spec_string ("active-device", "Active device",
      "The name of the device that computes; NULL below PAUSED", NULL, readable);
  props[GST_Y10_PROP_ACTIVE_PRECISION] =
      g_param_spec_string ("active-precision", "Active precision",
      "The precision that is computed in, such as fp32; NULL below PAUSED", NULL,
      readable);
  props[GST_Y10_PROP_FALLBACK_REASON] =
      g_param_spec_string ("fallback-reason", "Fallback reason",
      "Why a faster backend was not taken; NULL where there is none", NULL,
      readable);
  props[GST_Y10_PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Frames since the start: all, inferred, with boxes held, skipped, sent on, "
      "waiting; frames a second; how often a lost device recovered; and of the "
      "last 512 frames how long they waited for the engine, their preprocessing, "
      "inference and postprocessing took, how old their boxes were and how long "
      "they were here, each as median, 95th percentile and maximum in nanoseconds",
      GST_TYPE_STRUCTURE, readable);
  props[GST_Y10_PROP_ENGINE_STATS] = g_param_spec_boxed ("engine-stats",
      "Engine statistics", "Of the engine, for all elements that share it: "
      "streams, frames queued and running, inferences since it was made, how "
      "many frames its steps had, how long frames waited for theirs, inferences "
      "a second, bytes of weights and activations; NULL without an engine",
      GST_TYPE_STRUCTURE, readable);
  g_object_class_install_properties (class, GST_Y10_N_PROPS, props);

  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_BACKEND, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_PRECISION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_HEAD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_ATTACH, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_LATE_POLICY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_SKIPPED_BOXES, 0);
}

/**
 * gst_y10_props_notify_active:
 * @self: the element, whose active-… properties have changed
 */
void
gst_y10_props_notify_active (GstYolov10Detect * self)
{
  for (guint id = GST_Y10_PROP_ACTIVE_BACKEND; id <= GST_Y10_PROP_FALLBACK_REASON; id++)
    g_object_notify_by_pspec (G_OBJECT (self), props[id]);
}
