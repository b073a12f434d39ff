/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Property definitions of yolov10detect: names, ranges, defaults and the states
 * in which each may change. Session settings are MUTABLE_READY, except the
 * model itself. Frame params may change while playing, and those that make
 * sense per frame are controllable. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/props.h"

#include "detect/element.h"

static GParamSpec *props[GST_Y10_N_PROPS];

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
      "YOLOv10 weights of any size (.safetensors, .pt, .onnx); if unset, those of the "
      "bundled model, which finds codes and markers. While playing, the new "
      "model is loaded in the background and takes over between two frames; if "
      "loading fails, the element posts a warning and keeps the current model",
      NULL, playing);
  props[GST_Y10_PROP_LABEL_FILE] = g_param_spec_string ("label-file", "Label file",
      "UTF-8 text file with one class name per line. Overrides the names in "
      "the model file and is required only if that has none. Read together "
      "with the model: while playing, set it before model-file", NULL, playing);
  props[GST_Y10_PROP_BACKEND] = g_param_spec_enum ("backend", "Backend",
      "Compute backend. auto uses the fastest one that runs here, and "
      "fallback-reason tells why no faster one is used; any other value is an "
      "error if that backend cannot run",
      GST_TYPE_YOLOV10_BACKEND, Y10_BACKEND_AUTO, ready);
  props[GST_Y10_PROP_PRECISION] = g_param_spec_enum ("precision", "Precision",
      "Arithmetic precision; auto is the fastest that changes the average "
      "precision by less than 0.003",
      GST_TYPE_YOLOV10_PRECISION, Y10_PRECISION_AUTO, ready);
  props[GST_Y10_PROP_HEAD] = g_param_spec_enum ("head", "Head",
      "Which of the network's two heads to use",
      GST_TYPE_YOLOV10_HEAD, Y10_HEAD_AUTO, ready);
  props[GST_Y10_PROP_INPUT_SIZE] = g_param_spec_string ("input-size", "Input size",
      "Size of the network's input in pixels, to which frames are scaled: "
      "\"N\" or \"WxH\", multiples of 32. Empty: the model's own. Smaller is "
      "faster, larger finds smaller objects", "", ready);
  props[GST_Y10_PROP_THREADS] = g_param_spec_uint ("threads", "Threads",
      "Number of CPU threads; 0: one per core that the process may use", 0, 256,
      0, ready);
  props[GST_Y10_PROP_ENGINE_GROUP] = g_param_spec_string ("engine-group",
      "Engine group", "Elements of one process share an engine, which keeps "
      "its weights in memory once, if this name, the model file and all engine "
      "settings (backend, precision, head, input size and so on) are the same",
      "", ready);
  props[GST_Y10_PROP_MAX_BATCH] = g_param_spec_uint ("max-batch", "Maximum batch",
      "Maximum number of frames, of all elements that share the engine, to "
      "infer together. Only backend cuda benefits. 0: one",
      0, Y10_MAX_BATCH, 0,
      ready);
  props[GST_Y10_PROP_BATCH_TIMEOUT] = g_param_spec_uint ("batch-timeout",
      "Batch timeout", "How long a frame waits for others to fill a batch, in "
      "microseconds; 0: not at all", 0, G_USEC_PER_SEC,
      0, ready);
  props[GST_Y10_PROP_PRIORITY] = g_param_spec_int ("priority", "Priority",
      "Among elements that share an engine, frames of higher priority are "
      "inferred first; if the engine cannot keep up, the others wait or skip. "
      "Elements of equal priority take turns", G_MININT, G_MAXINT, 0, playing);
  props[GST_Y10_PROP_CUDA_DEVICE_ID] = g_param_spec_int ("cuda-device-id",
      "CUDA device ID", "GPU for backend cuda, counted from 0; -1: the one "
      "that neighbouring elements use, else the first",
      -1, G_MAXINT, -1, ready);
  props[GST_Y10_PROP_CUDA_GRAPHS] = g_param_spec_boolean ("cuda-graphs",
      "CUDA graphs", "Whether backend cuda launches the network as one "
      "captured graph instead of kernel by kernel, which does the same work at "
      "a higher CPU cost",
      TRUE, ready);
  props[GST_Y10_PROP_CUDA_TUNE] = g_param_spec_boolean ("cuda-tune",
      "CUDA tune", "Whether backend cuda autotunes the network while frames "
      "flow. Switching to faster kernels changes results by rounding",
      TRUE, ready);
  props[GST_Y10_PROP_CLASS_AGNOSTIC_NMS] =
      g_param_spec_boolean ("class-agnostic-nms", "Class-agnostic NMS",
      "Let overlapping boxes of different classes suppress each other, too "
      "(heads with NMS only)", FALSE, ready);
  props[GST_Y10_PROP_CONFIDENCE] = g_param_spec_double ("confidence", "Confidence",
      "Minimum confidence, 0 to 1. Higher means fewer detections and fewer "
      "false positives", 0.0, 1.0, 0.25,
      controllable);
  props[GST_Y10_PROP_IOU_THRESHOLD] =
      g_param_spec_double ("iou-threshold", "IoU threshold",
      "Maximum intersection over union of two boxes; above it, the less "
      "confident one is dropped (heads with NMS only)", 0.0, 1.0,
      0.7, controllable);
  props[GST_Y10_PROP_MAX_DETECTIONS] =
      g_param_spec_uint ("max-detections", "Maximum detections",
      "Maximum number of detections per frame; the most confident are kept", 1,
      GST_Y10_MAX_DETECTIONS, 300, playing);
  props[GST_Y10_PROP_CLASSES] = g_param_spec_string ("classes", "Classes",
      "Classes to detect: names or ids separated by commas, such as "
      "\"person,2\". Empty: all", "", playing);
  props[GST_Y10_PROP_CLASS_CONFIDENCE] =
      g_param_spec_string ("class-confidence", "Class confidence",
      "Minimum confidence of single classes, in place of confidence: names or "
      "ids with numbers from 0 to 1, separated by commas, * for all others, "
      "such as \"person=0.4,car=0.6,*=0.25\". Empty: none", "", playing);
  props[GST_Y10_PROP_MIN_SIZE] = g_param_spec_string ("min-size",
      "Minimum size", "Drop boxes smaller than this: one number for width and "
      "height, or both as \"64x32\"; pixels, or up to 1 a fraction of the "
      "frame. Empty: no limit", "", playing);
  props[GST_Y10_PROP_MAX_SIZE] = g_param_spec_string ("max-size",
      "Maximum size", "Drop boxes larger than this, given as for min-size. "
      "Empty: no limit", "", playing);
  props[GST_Y10_PROP_TILES] = g_param_spec_string ("tiles", "Tiles",
      "Divide each frame into tiles that are inferred one by one, beside the "
      "whole frame, which finds smaller objects: columns and rows such as "
      "\"2x2\"; a size in pixels such as \"640\" for as many tiles as are "
      "needed; \"auto\" for tiles of about the network's input size; \"none\". "
      "At most 64 tiles; each costs one inference",
      "none", playing);
  props[GST_Y10_PROP_TILE_OVERLAP] = g_param_spec_double ("tile-overlap",
      "Tile overlap", "Fraction of a tile that its neighbour covers, too",
      0.0, 0.9, Y10_TILES_DEFAULT_OVERLAP, playing);
  props[GST_Y10_PROP_REGION] = g_param_spec_string ("region", "Region",
      "Detect only in this part of the frame, and infer only the rectangle "
      "around it: two opposite corners of a rectangle or three and more of a "
      "polygon, as fractions of the frame, such as \"0,0.5 1,1\"; further "
      "shapes after a semicolon. Empty: the whole frame", "", playing);
  props[GST_Y10_PROP_REGION_ANCHOR] = g_param_spec_enum ("region-anchor",
      "Region anchor", "What must be in the region for a box to count",
      GST_TYPE_YOLOV10_REGION_ANCHOR, Y10_REGION_ANCHOR_BOTTOM, playing);
  props[GST_Y10_PROP_ROI_SOURCE] = g_param_spec_enum ("roi-source",
      "ROI source", "Where regions of interest come from that are inferred in "
      "place of the frame. With meta, a detector upstream selects where this "
      "one detects; tiles has no effect then",
      GST_TYPE_YOLOV10_ROI_SOURCE, GST_YOLOV10_ROI_SOURCE_NONE, playing);
  props[GST_Y10_PROP_ROI_TYPE] = g_param_spec_string ("roi-type", "ROI type",
      "Types of regions of interest to infer, separated by commas, such as "
      "\"person,car\"; those of yolov10detect are its labels. Empty: all", "",
      playing);
  props[GST_Y10_PROP_ATTACH] = g_param_spec_flags ("attach", "Attach",
      "Which metadata to attach: roi and analytics for each object, frame for "
      "each frame", GST_TYPE_YOLOV10_ATTACH,
      GST_YOLOV10_ATTACH_ALL, playing);
  props[GST_Y10_PROP_ENCODER_HINTS] = g_param_spec_string ("encoder-hints",
      "Encoder hints", "QP offset for each class, relative to its "
      "surroundings: negative (down to -51) asks the encoder for higher "
      "quality, positive (up to 51) for lower. Class names or ids with "
      "numbers, separated by commas, * for all others, such as "
      "\"person=-8,car=-4,*=2\". Attached to each region of interest for the "
      "encoders that support it: msdk, vaapi, OMX on Zynq, NETINT. Empty: none",
      "", playing);
  props[GST_Y10_PROP_ACTIVE] = g_param_spec_boolean ("active", "Active",
      "Whether to detect objects; if not, frames pass untouched", TRUE,
      controllable);
  props[GST_Y10_PROP_IN_FLIGHT] = g_param_spec_uint ("in-flight", "In flight",
      "Maximum number of concurrent inferences. 0: one if late frames skip "
      "inference, so that a frame waits for one only, else two, to keep the "
      "engine busy", 0, GST_Y10_MAX_IN_FLIGHT, 0, ready);
  props[GST_Y10_PROP_MAX_QUEUED_FRAMES] =
      g_param_spec_uint ("max-queued-frames", "Maximum queued frames",
      "Maximum number of frames held, both those being inferred and those "
      "waiting behind them. 0: as many as arrive during an inference",
      0, GST_Y10_MAX_FRAMES, 0,
      playing);
  props[GST_Y10_PROP_LATE_POLICY] = g_param_spec_enum ("late-policy",
      "Late policy", "What to do when inference is slower than the frame rate; "
      "frames themselves are never dropped", GST_TYPE_YOLOV10_LATE_POLICY,
      GST_YOLOV10_LATE_AUTO, playing);
  props[GST_Y10_PROP_INFERENCE_INTERVAL] =
      g_param_spec_uint ("inference-interval", "Inference interval",
      "Infer only every Nth frame; skipped-boxes sets which boxes the others "
      "get", 1, 10000, 1, controllable);
  props[GST_Y10_PROP_SKIPPED_BOXES] = g_param_spec_enum ("skipped-boxes",
      "Skipped boxes", "Which boxes to attach to frames that are not inferred",
      GST_TYPE_YOLOV10_SKIPPED_BOXES, GST_YOLOV10_BOXES_HOLD, controllable);
  props[GST_Y10_PROP_MAX_HOLD] = g_param_spec_uint64 ("max-hold",
      "Maximum hold", "How long to hold the boxes of an earlier frame, in "
      "nanoseconds of presentation time", 0, G_MAXUINT64,
      GST_SECOND, controllable);
  props[GST_Y10_PROP_POST_MESSAGES] = g_param_spec_boolean ("post-messages",
      "Post messages", "Whether to post a yolov10-detections element message "
      "with JSON for each frame", FALSE, playing);
  props[GST_Y10_PROP_ACTIVE_BACKEND] =
      g_param_spec_string ("active-backend", "Active backend",
      "The backend in use: cpu, ref or cuda; NULL below PAUSED",
      NULL, readable);
  props[GST_Y10_PROP_ACTIVE_DEVICE] =
      g_param_spec_string ("active-device", "Active device",
      "The name of the device in use; NULL below PAUSED", NULL, readable);
  props[GST_Y10_PROP_ACTIVE_PRECISION] =
      g_param_spec_string ("active-precision", "Active precision",
      "The precision in use, such as fp32; NULL below PAUSED", NULL,
      readable);
  props[GST_Y10_PROP_FALLBACK_REASON] =
      g_param_spec_string ("fallback-reason", "Fallback reason",
      "Why a faster backend is not in use; NULL if there is none", NULL,
      readable);
  props[GST_Y10_PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Frames since the start (total, inferred, held, skipped, sent, waiting), "
      "frames per second, recoveries of a lost device and, for the last 512 "
      "frames, the wait for the engine, preprocessing, inference, "
      "postprocessing, age of the boxes and delay in the element, each as "
      "median, 95th percentile and maximum in nanoseconds",
      GST_TYPE_STRUCTURE, readable);
  props[GST_Y10_PROP_ENGINE_STATS] = g_param_spec_boxed ("engine-stats",
      "Engine statistics", "Statistics of the engine, over all elements that "
      "share it: streams, frames queued and running, inferences since its "
      "creation, frames per step, the wait for a step, inferences per second, "
      "bytes of weights and activations; NULL without an engine",
      GST_TYPE_STRUCTURE, readable);
  g_object_class_install_properties (class, GST_Y10_N_PROPS, props);

  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_BACKEND, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_PRECISION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_HEAD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_ATTACH, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_LATE_POLICY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_SKIPPED_BOXES, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_REGION_ANCHOR, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_ROI_SOURCE, 0);
}

GParamSpec *
gst_y10_props_get_pspec (guint id)
{
  return props[id];
}

void
gst_y10_props_notify_active (GstYolov10Detect * self)
{
  for (guint id = GST_Y10_PROP_ACTIVE_BACKEND; id <= GST_Y10_PROP_FALLBACK_REASON; id++)
    g_object_notify_by_pspec (G_OBJECT (self), props[id]);
}
