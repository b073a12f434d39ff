/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The properties of yolov10detect: names, ranges, defaults, the states in which
 * each may change, and the field of the configuration that holds it. Setting one
 * makes another configuration. What a session is made with is MUTABLE_READY,
 * except the model itself; the rest may change while playing, and what makes sense
 * per frame is controllable. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/props.h"

#include "common/elementerror.h"
#include "common/fields.h"
#include "common/readyonly.h"
#include "detect/reload.h"
#include "meta/write.h"

enum
{
  PROP_0,
  PROP_MODEL_FILE,
  PROP_LABEL_FILE,
  PROP_BACKEND,
  PROP_PRECISION,
  PROP_HEAD,
  PROP_INPUT_SIZE,
  PROP_THREADS,
  PROP_ENGINE_GROUP,
  PROP_MAX_BATCH,
  PROP_BATCH_TIMEOUT,
  PROP_PRIORITY,
  PROP_CUDA_DEVICE_ID,
  PROP_CUDA_GRAPHS,
  PROP_CUDA_TUNE,
  PROP_CLASS_AGNOSTIC_NMS,
  PROP_IGNORE_PAR,
  PROP_CONFIDENCE,
  PROP_IOU_THRESHOLD,
  PROP_MAX_DETECTIONS,
  PROP_CLASSES,
  PROP_CLASS_CONFIDENCE,
  PROP_MIN_SIZE,
  PROP_MAX_SIZE,
  PROP_TILES,
  PROP_TILE_OVERLAP,
  PROP_REGION,
  PROP_REGION_ANCHOR,
  PROP_ROI_SOURCE,
  PROP_ROI_TYPE,
  PROP_ATTACH,
  PROP_ENCODER_HINTS,
  PROP_ACTIVE,
  PROP_IN_FLIGHT,
  PROP_MAX_QUEUED_FRAMES,
  PROP_LATE_POLICY,
  PROP_INFERENCE_INTERVAL,
  PROP_SKIPPED_BOXES,
  PROP_MAX_HOLD,
  PROP_POST_MESSAGES,
  PROP_ACTIVE_BACKEND,
  PROP_ACTIVE_DEVICE,
  PROP_ACTIVE_PRECISION,
  PROP_FALLBACK_REASON,
  PROP_STATS,
  PROP_ENGINE_STATS,
  N_PROPS
};

/* clang-format off */
#define FIELD(ID, MEMBER) \
  { PROP_##ID, G_STRUCT_OFFSET (GstY10Config, MEMBER) }
/* clang-format on */

static const GstY10Field fields[] = { FIELD (MODEL_FILE, text.model_file),
  FIELD (LABEL_FILE, text.label_file), FIELD (BACKEND, backend),
  FIELD (PRECISION, precision), FIELD (HEAD, head),
  FIELD (INPUT_SIZE, text.input_size), FIELD (THREADS, threads),
  FIELD (ENGINE_GROUP, text.engine_group), FIELD (MAX_BATCH, max_batch),
  FIELD (BATCH_TIMEOUT, batch_timeout), FIELD (PRIORITY, priority),
  FIELD (CUDA_DEVICE_ID, device_id), FIELD (CUDA_GRAPHS, cuda_graphs),
  FIELD (CUDA_TUNE, cuda_tune), FIELD (CLASS_AGNOSTIC_NMS, class_agnostic),
  FIELD (IGNORE_PAR, ignore_par), FIELD (CONFIDENCE, confidence),
  FIELD (IOU_THRESHOLD, iou_threshold), FIELD (MAX_DETECTIONS, max_detections),
  FIELD (CLASSES, text.classes),
  FIELD (CLASS_CONFIDENCE, text.class_confidence),
  FIELD (MIN_SIZE, text.min_size), FIELD (MAX_SIZE, text.max_size),
  FIELD (TILES, text.tiles), FIELD (TILE_OVERLAP, tile_overlap),
  FIELD (REGION, text.region), FIELD (REGION_ANCHOR, region_anchor),
  FIELD (ROI_SOURCE, roi_source), FIELD (ROI_TYPE, text.roi_type),
  FIELD (ATTACH, attach), FIELD (ENCODER_HINTS, text.encoder_hints),
  FIELD (ACTIVE, active), FIELD (IN_FLIGHT, in_flight),
  FIELD (MAX_QUEUED_FRAMES, max_queued_frames),
  FIELD (LATE_POLICY, late_policy),
  FIELD (INFERENCE_INTERVAL, inference_interval),
  FIELD (SKIPPED_BOXES, skipped_boxes), FIELD (MAX_HOLD, max_hold),
  FIELD (POST_MESSAGES, post_messages), { 0 } };

static GParamSpec *props[N_PROPS];

void
gst_y10_props_install (GObjectClass *class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controllable = playing | GST_PARAM_CONTROLLABLE;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  props[PROP_MODEL_FILE] = g_param_spec_string ("model-file", "Model file",
      "Weights of a YOLOv8, v10, 11 or 26 (.safetensors, .pt, .onnx); if unset, those of the "
      "bundled model, which finds codes and markers. While playing, the new "
      "model is loaded in the background and takes over between two frames; if "
      "loading fails, the element posts a warning and keeps the current model",
      NULL, playing);
  props[PROP_LABEL_FILE] = g_param_spec_string ("label-file", "Label file",
      "UTF-8 text file with one class name per line. Overrides the names in "
      "the model file; without either, they are class 0, class 1 and so on. Read together "
      "with the model: while playing, set it before model-file",
      NULL, playing);
  props[PROP_BACKEND] = g_param_spec_enum ("backend", "Backend",
      "Compute backend. auto uses the fastest one that runs here, and "
      "fallback-reason tells why no faster one is used; any other value is an "
      "error if that backend cannot run",
      GST_TYPE_YOLOV10_BACKEND, Y10_BACKEND_AUTO, ready);
  props[PROP_PRECISION] = g_param_spec_enum ("precision", "Precision",
      "Arithmetic precision; auto is the fastest that changes the average "
      "precision by less than 0.003",
      GST_TYPE_YOLOV10_PRECISION, Y10_PRECISION_AUTO, ready);
  props[PROP_HEAD] = g_param_spec_enum ("head", "Head",
      "Which of the network's two heads to use", GST_TYPE_YOLOV10_HEAD,
      Y10_HEAD_AUTO, ready);
  props[PROP_INPUT_SIZE] = g_param_spec_string ("input-size", "Input size",
      "Size of the network's input in pixels, to which frames are scaled: "
      "\"N\" or \"WxH\", multiples of 32. Empty: the model's own. Smaller is "
      "faster, larger finds smaller objects. \"auto\": the smallest rectangle that "
      "holds the frame at the scale of the model's own size, so that a wide frame "
      "costs less",
      "", ready);
  props[PROP_THREADS] = g_param_spec_uint ("threads", "Threads",
      "Number of CPU threads; 0: one per core that the process may use", 0, 256,
      0, ready);
  props[PROP_ENGINE_GROUP] = g_param_spec_string ("engine-group",
      "Engine group",
      "Elements of one process share an engine, which keeps "
      "its weights in memory once, if this name, the model file and all engine "
      "settings (backend, precision, head, input size and so on) are the same",
      "", ready);
  props[PROP_MAX_BATCH] = g_param_spec_uint ("max-batch", "Maximum batch",
      "Maximum number of frames, of all elements that share the engine, to "
      "infer together. Only backend cuda benefits. 0: one",
      0, Y10_MAX_BATCH, 0, ready);
  props[PROP_BATCH_TIMEOUT] = g_param_spec_uint ("batch-timeout",
      "Batch timeout",
      "How long a frame waits for others to fill a batch, in "
      "microseconds; 0: not at all",
      0, G_USEC_PER_SEC, 0, ready);
  props[PROP_PRIORITY] = g_param_spec_int ("priority", "Priority",
      "Among elements that share an engine, frames of higher priority are "
      "inferred first; if the engine cannot keep up, the others wait or skip. "
      "Elements of equal priority take turns",
      G_MININT, G_MAXINT, 0, playing);
  props[PROP_CUDA_DEVICE_ID] = g_param_spec_int ("cuda-device-id",
      "CUDA device ID",
      "GPU for backend cuda, counted from 0; -1: the one "
      "that neighbouring elements use, else the first",
      -1, G_MAXINT, -1, ready);
  props[PROP_CUDA_GRAPHS] = g_param_spec_boolean ("cuda-graphs", "CUDA graphs",
      "Whether backend cuda launches the network as one "
      "captured graph instead of kernel by kernel, which does the same work at "
      "a higher CPU cost",
      TRUE, ready);
  props[PROP_CUDA_TUNE] = g_param_spec_boolean ("cuda-tune", "CUDA tune",
      "Whether backend cuda autotunes the network while frames "
      "flow. Switching to faster kernels changes results by rounding",
      TRUE, ready);
  props[PROP_CLASS_AGNOSTIC_NMS] = g_param_spec_boolean ("class-agnostic-nms",
      "Class-agnostic NMS",
      "Let overlapping boxes of different classes suppress each other, too "
      "(heads with NMS only)",
      FALSE, ready);
  props[PROP_IGNORE_PAR] = g_param_spec_boolean ("ignore-par",
      "Ignore pixel aspect ratio",
      "Whether to take pixels for square, as "
      "Ultralytics does, rather than infer pictures as displayed",
      FALSE, playing);
  props[PROP_CONFIDENCE] = g_param_spec_double ("confidence", "Confidence",
      "Minimum confidence, 0 to 1. Higher means fewer detections and fewer "
      "false positives",
      0.0, 1.0, 0.25, controllable);
  props[PROP_IOU_THRESHOLD] = g_param_spec_double ("iou-threshold",
      "IoU threshold",
      "Maximum intersection over union of two boxes; above it, the less "
      "confident one is dropped (heads with NMS only)",
      0.0, 1.0, 0.7, controllable);
  props[PROP_MAX_DETECTIONS] = g_param_spec_uint ("max-detections",
      "Maximum detections",
      "Maximum number of detections per frame; the most confident are kept", 1,
      GST_Y10_MAX_DETECTIONS, 300, playing);
  props[PROP_CLASSES] = g_param_spec_string ("classes", "Classes",
      "Classes to detect: names or ids separated by commas, such as "
      "\"person,2\". Empty: all",
      "", playing);
  props[PROP_CLASS_CONFIDENCE] = g_param_spec_string ("class-confidence",
      "Class confidence",
      "Minimum confidence of single classes, in place of confidence: names or "
      "ids with numbers from 0 to 1, separated by commas, * for all others, "
      "such as \"person=0.4,car=0.6,*=0.25\". Empty: none",
      "", playing);
  props[PROP_MIN_SIZE] = g_param_spec_string ("min-size", "Minimum size",
      "Drop boxes smaller than this: one number for width and "
      "height, or both as \"64x32\"; pixels, or up to 1 a fraction of the "
      "frame. Empty: no limit",
      "", playing);
  props[PROP_MAX_SIZE] = g_param_spec_string ("max-size", "Maximum size",
      "Drop boxes larger than this, given as for min-size. "
      "Empty: no limit",
      "", playing);
  props[PROP_TILES] = g_param_spec_string ("tiles", "Tiles",
      "Divide each frame into tiles that are inferred one by one, beside the "
      "whole frame, which finds smaller objects: columns and rows such as "
      "\"2x2\"; a size in pixels such as \"640\" for as many tiles as are "
      "needed; \"auto\" for tiles of about the network's input size; \"none\". "
      "At most 64 tiles; each costs one inference",
      "none", playing);
  props[PROP_TILE_OVERLAP] = g_param_spec_double ("tile-overlap",
      "Tile overlap", "Fraction of a tile that its neighbour covers, too", 0.0,
      0.9, Y10_TILES_DEFAULT_OVERLAP, playing);
  props[PROP_REGION] = g_param_spec_string ("region", "Region",
      "Detect only in this part of the frame, and infer only the rectangle "
      "around it: two opposite corners of a rectangle or three and more of a "
      "polygon, as fractions of the frame, such as \"0,0.5 1,1\"; further "
      "shapes after a semicolon. Empty: the whole frame",
      "", playing);
  props[PROP_REGION_ANCHOR] = g_param_spec_enum ("region-anchor",
      "Region anchor", "What must be in the region for a box to count",
      GST_TYPE_YOLOV10_REGION_ANCHOR, Y10_REGION_ANCHOR_BOTTOM, playing);
  props[PROP_ROI_SOURCE] = g_param_spec_enum ("roi-source", "ROI source",
      "Where regions of interest come from that are inferred in "
      "place of the frame. With meta, a detector upstream selects where this "
      "one detects; tiles has no effect then",
      GST_TYPE_YOLOV10_ROI_SOURCE, GST_YOLOV10_ROI_SOURCE_NONE, playing);
  props[PROP_ROI_TYPE] = g_param_spec_string ("roi-type", "ROI type",
      "Types of regions of interest to infer, separated by commas, such as "
      "\"person,car\"; those of yolov10detect are its labels. Empty: all",
      "", playing);
  props[PROP_ATTACH] = g_param_spec_flags ("attach", "Attach",
      "Which metadata to attach: roi and analytics for each object, frame for "
      "each frame",
      GST_TYPE_YOLOV10_ATTACH, GST_YOLOV10_ATTACH_ALL, playing);
  props[PROP_ENCODER_HINTS] = g_param_spec_string ("encoder-hints",
      "Encoder hints",
      "QP offset for each class, relative to its "
      "surroundings: negative (down to -51) asks the encoder for higher "
      "quality, positive (up to 51) for lower. Class names or ids with "
      "numbers, separated by commas, * for all others, such as "
      "\"person=-8,car=-4,*=2\". Attached to each region of interest for the "
      "encoders that support it: msdk, vaapi, OMX on Zynq, NETINT. Empty: none",
      "", playing);
  props[PROP_ACTIVE] = g_param_spec_boolean ("active", "Active",
      "Whether to detect objects; if not, frames pass untouched", TRUE,
      controllable);
  props[PROP_IN_FLIGHT] = g_param_spec_uint ("in-flight", "In flight",
      "Maximum number of concurrent inferences. 0: one if late frames skip "
      "inference, so that a frame waits for one only, else two, to keep the "
      "engine busy",
      0, GST_Y10_MAX_IN_FLIGHT, 0, ready);
  props[PROP_MAX_QUEUED_FRAMES] = g_param_spec_uint ("max-queued-frames",
      "Maximum queued frames",
      "Maximum number of frames held, both those being inferred and those "
      "waiting behind them. 0: as many as arrive during an inference",
      0, GST_Y10_MAX_FRAMES, 0, playing);
  props[PROP_LATE_POLICY] = g_param_spec_enum ("late-policy", "Late policy",
      "What to do when inference is slower than the frame rate; "
      "frames themselves are never dropped",
      GST_TYPE_YOLOV10_LATE_POLICY, GST_YOLOV10_LATE_AUTO, playing);
  props[PROP_INFERENCE_INTERVAL] = g_param_spec_uint ("inference-interval",
      "Inference interval",
      "Infer only every Nth frame; skipped-boxes sets which boxes the others "
      "get",
      1, 10000, 1, controllable);
  props[PROP_SKIPPED_BOXES] = g_param_spec_enum ("skipped-boxes",
      "Skipped boxes", "Which boxes to attach to frames that are not inferred",
      GST_TYPE_YOLOV10_SKIPPED_BOXES, GST_YOLOV10_BOXES_HOLD, controllable);
  props[PROP_MAX_HOLD] = g_param_spec_uint64 ("max-hold", "Maximum hold",
      "How long to hold the boxes of an earlier frame, in "
      "nanoseconds of presentation time",
      0, G_MAXUINT64, GST_SECOND, controllable);
  props[PROP_POST_MESSAGES] = g_param_spec_boolean ("post-messages",
      "Post messages",
      "Whether to post a yolov10-detections element message "
      "with JSON for each frame",
      FALSE, playing);
  props[PROP_ACTIVE_BACKEND] = g_param_spec_string ("active-backend",
      "Active backend",
      "The backend in use: cpu, ref or cuda; NULL below PAUSED", NULL,
      readable);
  props[PROP_ACTIVE_DEVICE] = g_param_spec_string ("active-device",
      "Active device", "The name of the device in use; NULL below PAUSED", NULL,
      readable);
  props[PROP_ACTIVE_PRECISION] = g_param_spec_string ("active-precision",
      "Active precision",
      "The precision in use, such as fp32; NULL below PAUSED", NULL, readable);
  props[PROP_FALLBACK_REASON] = g_param_spec_string ("fallback-reason",
      "Fallback reason",
      "Why a faster backend is not in use; NULL if there is none", NULL,
      readable);
  props[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Frames since the start (total, inferred, held, skipped, sent, waiting), "
      "frames per second, recoveries of a lost device and, for the last 512 "
      "frames, the wait for the engine, preprocessing, inference, "
      "postprocessing, age of the boxes and delay in the element, each as "
      "median, 95th percentile and maximum in nanoseconds",
      GST_TYPE_STRUCTURE, readable);
  props[PROP_ENGINE_STATS] = g_param_spec_boxed ("engine-stats",
      "Engine statistics",
      "Statistics of the engine, over all elements that "
      "share it: streams, frames queued and running, inferences since its "
      "creation, frames per step, the wait for a step, inferences per second, "
      "bytes of weights and activations; NULL without an engine",
      GST_TYPE_STRUCTURE, readable);
  g_object_class_install_properties (class, N_PROPS, props);

  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_BACKEND, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_PRECISION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_HEAD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_ATTACH, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_LATE_POLICY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_SKIPPED_BOXES, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_REGION_ANCHOR, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_ROI_SOURCE, 0);
}

/* Starts with the defaults of the GParamSpecs; a text that is not set has none. */
void
gst_y10_props_init (GstYolov10Detect *self)
{
  GstY10Config *config = gst_y10_config_new (NULL);
  const GstY10Config none = { .backend = Y10_BACKEND_AUTO };

  for (const GstY10Field *field = fields; field->id; field++) {
    GParamSpec *pspec = props[field->id];

    if (!G_IS_PARAM_SPEC_STRING (pspec))
      gst_y10_fields_set (fields, config, field->id,
          g_param_spec_get_default_value (pspec));
  }
  gst_y10_config_finish (config, &none, NULL);
  self->config = config;
  g_mutex_init (&self->config_lock);
}

void
gst_y10_props_clear (GstYolov10Detect *self)
{
  g_clear_pointer (&self->config, gst_y10_config_unref);
  g_mutex_clear (&self->config_lock);
}

/* Returns FALSE if @to names other classes than @from, and one that @model does
 * not have. */
static gboolean
suits_model (const GstY10Config *from, const GstY10Config *to,
    const GstY10Session *session, GError **error)
{
  GstY10ClassRules *rules;

  if (!g_strcmp0 (from->text.classes, to->text.classes)
      && !g_strcmp0 (from->text.class_confidence, to->text.class_confidence)
      && !g_strcmp0 (from->text.encoder_hints, to->text.encoder_hints))
    return TRUE;
  rules = gst_y10_class_rules_new (to, session->model, error);
  gst_y10_class_rules_unref (rules);
  return rules != NULL;
}

static void
warn_of_hints (GstYolov10Detect *self, const GstY10Config *config)
{
  if (config->text.encoder_hints && *config->text.encoder_hints
      && !(config->attach & GST_YOLOV10_ATTACH_ROI))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("encoder-hints has no effect: hints are attached to regions of "
         "interest, but attach does not contain \"roi\""),
        (NULL));
}

/* The default, all, does not warn. */
static void
warn_of_attach (GstYolov10Detect *self, const GstY10Config *config)
{
  if (!gst_y10_attach_has_analytics ()
      && config->attach != GST_YOLOV10_ATTACH_ALL
      && (config->attach & GST_YOLOV10_ATTACH_ANALYTICS))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("attach=analytics has no effect: this build has no GstAnalytics, "
         "which requires GStreamer 1.24 or later"),
        (NULL));
}

static void
warn_of_tiles (GstYolov10Detect *self, const GstY10Config *config)
{
  if (config->part_rules
      && gst_y10_part_rules_ignore_tiles (config->part_rules))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("tiles has no effect: with roi-source=meta only regions of interest "
         "are inferred"),
        (NULL));
}

/* Warns of properties that are set and have no effect. Called from start() on,
 * because before that no application may be listening. */
void
gst_y10_props_warn (GstYolov10Detect *self)
{
  g_autoptr (GstY10Config) config = gst_yolov10_detect_get_config (self);

  warn_of_attach (self, config);
  warn_of_hints (self, config);
  warn_of_tiles (self, config);
}

/* What a new value brings about beyond the configuration. The priority is for
 * requests that wait already, while the input thread may wait for one of them. A
 * model is loaded again even if its path is unchanged: the file itself may have
 * been replaced. */
static void
take_effect (GstYolov10Detect *self, guint id, const GstY10Config *config)
{
  /* A session that takes over from now on sees the new value itself. */
  g_autoptr (GstY10Session) session = gst_yolov10_detect_get_session (self);

  if (id == PROP_MODEL_FILE)
    gst_y10_reload_request (self->reload);
  if (!session)
    return;
  if (id == PROP_PRIORITY)
    gst_y10_session_set_priority (session, config->priority);
  if (id == PROP_ATTACH)
    warn_of_attach (self, config);
  if (id == PROP_ATTACH || id == PROP_ENCODER_HINTS)
    warn_of_hints (self, config);
  if (id == PROP_TILES || id == PROP_ROI_SOURCE)
    warn_of_tiles (self, config);
}

/* Replaces the configuration, unless the property may not change any more. Call
 * with the configuration's lock held. Takes ownership of @config. */
static gboolean
swap (GstYolov10Detect *self, GParamSpec *pspec, GstY10Config *config)
{
  gboolean is_closed;

  GST_OBJECT_LOCK (self);
  is_closed = gst_y10_ready_only_is_closed (GST_ELEMENT (self), pspec);
  if (!is_closed) {
    GstY10Config *old = self->config;

    self->config = config;
    config = old;
  }
  GST_OBJECT_UNLOCK (self);
  gst_y10_config_unref (config);
  return !is_closed;
}

/* While running, an invalid value changes nothing and posts a warning: a typo
 * should not stop a camera. Before that, nobody may see a warning, and the model
 * is unknown, so start() validates the values. */
void
gst_y10_props_set (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (object);
  g_autoptr (GstY10Session) session = NULL;
  g_autoptr (GstY10Config) config = NULL;
  gboolean ok, is_closed = FALSE;
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&self->config_lock);
  session = gst_yolov10_detect_get_session (self);
  config = gst_y10_config_new (self->config);
  if (!gst_y10_fields_set (fields, config, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  ok = gst_y10_config_finish (config, self->config, &error)
      && gst_y10_config_suits (config, &self->image, &error)
      && (!session || suits_model (self->config, config, session, &error));
  if (ok || !session)
    is_closed = !swap (self, pspec, gst_y10_config_ref (config));
  g_mutex_unlock (&self->config_lock);
  if (is_closed)
    gst_y10_ready_only_refuse (GST_ELEMENT (self), pspec, value);
  else if (ok || !session)
    take_effect (self, id, config);
  else
    GST_Y10_ELEMENT_WARNING (self, error);
}

/* Reads a property of the engine; NULL without one. */
static void
get_active (GstYolov10Detect *self, guint id, GValue *value)
{
  g_autoptr (GstY10Session) session = gst_yolov10_detect_get_session (self);
  g_autoptr (Y10Engine) engine = session ? gst_y10_session_get_engine (session)
                                         : NULL;
  const gchar *text = NULL;

  if (engine && id == PROP_ACTIVE_BACKEND)
    text = y10_backend_get_name (y10_engine_get_backend (engine));
  else if (engine && id == PROP_ACTIVE_DEVICE)
    text = y10_engine_get_device (engine);
  else if (engine && id == PROP_ACTIVE_PRECISION)
    text = y10_precision_get_name (y10_engine_get_precision (engine));
  else if (engine && id == PROP_FALLBACK_REASON)
    text = y10_engine_get_fallback_reason (engine);
  g_value_set_string (value, text);
}

static GstStructure *
stats_structure (GstYolov10Detect *self)
{
  g_autofree GstY10Stats *stats = g_new (GstY10Stats, 1);
  guint waiting = gst_y10_frame_queue_count (self->frame_queue);

  GST_OBJECT_LOCK (self);
  *stats = self->stats;
  GST_OBJECT_UNLOCK (self);
  stats->waiting = waiting;
  return gst_y10_stats_to_structure (stats);
}

/* Returns NULL without an engine. */
static GstStructure *
engine_stats_structure (GstYolov10Detect *self)
{
  g_autoptr (GstY10Session) session = gst_yolov10_detect_get_session (self);
  g_autoptr (Y10EngineStream)
      stream = session ? gst_y10_session_get_stream (session) : NULL;
  GstStructure *structure = NULL;
  Y10EngineStreamStats stats = { .size = sizeof stats };

  if (stream) {
    y10_engine_stream_get_stats (stream, &stats);
    structure = gst_y10_engine_stats_to_structure (&stats,
        y10_engine_get_backend (y10_engine_stream_get_engine (stream)));
  }
  return structure;
}

void
gst_y10_props_get (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (object);

  switch (id) {
    case PROP_STATS:
      g_value_take_boxed (value, stats_structure (self));
      return;
    case PROP_ENGINE_STATS:
      g_value_take_boxed (value, engine_stats_structure (self));
      return;
    case PROP_ACTIVE_BACKEND:
    case PROP_ACTIVE_DEVICE:
    case PROP_ACTIVE_PRECISION:
    case PROP_FALLBACK_REASON:
      get_active (self, id, value);
      return;
    default:
      break;
  }
  GST_OBJECT_LOCK (self);
  if (!gst_y10_fields_get (fields, self->config, id, value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}
