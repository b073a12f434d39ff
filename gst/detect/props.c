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
#include "common/readyonly.h"
#include "detect/reload.h"
#include "meta/write.h"

#define ROW(MEMBER, TYPE, ...) \
  gst_y10_properties_add (&properties, class, \
      G_STRUCT_OFFSET (GstY10Config, MEMBER), \
      g_param_spec_##TYPE (__VA_ARGS__))

static GstY10Properties properties = {
  .size = sizeof (GstY10Config),
  .clear = gst_y10_config_clear,
};

void
gst_y10_props_install (GObjectClass *class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controllable = playing | GST_PARAM_CONTROLLABLE;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  ROW (text.model_file, string, "model-file", "Model file",
      "Weights of a YOLOv8, v10, 11 or 26 (.safetensors, .pt, .onnx); if unset, those of the "
      "bundled model, which finds codes and markers. While playing, the new "
      "model is loaded in the background and takes over between two frames; if "
      "loading fails, the element posts a warning and keeps the current model",
      NULL, playing);
  ROW (text.label_file, string, "label-file", "Label file",
      "UTF-8 text file with one class name per line. Overrides the names in "
      "the model file; without either, they are class 0, class 1 and so on. Read together "
      "with the model: while playing, set it before model-file",
      NULL, playing);
  ROW (backend, enum, "backend", "Backend",
      "Compute backend. auto uses the fastest one that runs here, and "
      "fallback-reason tells why no faster one is used; any other value is an "
      "error if that backend cannot run",
      GST_TYPE_YOLOV10_BACKEND, Y10_BACKEND_AUTO, ready);
  ROW (precision, enum, "precision", "Precision",
      "Arithmetic precision; auto is the fastest that changes the average "
      "precision by less than 0.003",
      GST_TYPE_YOLOV10_PRECISION, Y10_PRECISION_AUTO, ready);
  ROW (head, enum, "head", "Head", "Which of the network's two heads to use",
      GST_TYPE_YOLOV10_HEAD, Y10_HEAD_AUTO, ready);
  ROW (text.input_size, string, "input-size", "Input size",
      "Size of the network's input in pixels, to which frames are scaled: "
      "\"N\" or \"WxH\", multiples of 32. Empty: the model's own. Smaller is "
      "faster, larger finds smaller objects. \"auto\": the smallest rectangle that "
      "holds the frame at the scale of the model's own size, so that a wide frame "
      "costs less",
      "", ready);
  ROW (threads, uint, "threads", "Threads",
      "Number of CPU threads; 0: one per core that the process may use", 0, 256,
      0, ready);
  ROW (text.engine_group, string, "engine-group", "Engine group",
      "Elements of one process share an engine, which keeps "
      "its weights in memory once, if this name, the model file and all engine "
      "settings (backend, precision, head, input size and so on) are the same",
      "", ready);
  ROW (max_batch, uint, "max-batch", "Maximum batch",
      "Maximum number of frames, of all elements that share the engine, to "
      "infer together. Only backend cuda benefits. 0: one",
      0, Y10_MAX_BATCH, 0, ready);
  ROW (batch_timeout, uint, "batch-timeout", "Batch timeout",
      "How long a frame waits for others to fill a batch, in "
      "microseconds; 0: not at all",
      0, G_USEC_PER_SEC, 0, ready);
  ROW (priority, int, "priority", "Priority",
      "Among elements that share an engine, frames of higher priority are "
      "inferred first; if the engine cannot keep up, the others wait or skip. "
      "Elements of equal priority take turns",
      G_MININT, G_MAXINT, 0, playing);
  ROW (device_id, int, "cuda-device-id", "CUDA device ID",
      "GPU for backend cuda, counted from 0; -1: the one "
      "that neighbouring elements use, else the first",
      -1, G_MAXINT, -1, ready);
  ROW (cuda_graphs, boolean, "cuda-graphs", "CUDA graphs",
      "Whether backend cuda launches the network as one "
      "captured graph instead of kernel by kernel, which does the same work at "
      "a higher CPU cost",
      TRUE, ready);
  ROW (cuda_tune, boolean, "cuda-tune", "CUDA tune",
      "Whether backend cuda autotunes the network while frames "
      "flow. Switching to faster kernels changes results by rounding",
      TRUE, ready);
  ROW (class_agnostic, boolean, "class-agnostic-nms", "Class-agnostic NMS",
      "Let overlapping boxes of different classes suppress each other, too "
      "(heads with NMS only)",
      FALSE, ready);
  ROW (ignore_par, boolean, "ignore-par", "Ignore pixel aspect ratio",
      "Whether to take pixels for square, as "
      "Ultralytics does, rather than infer pictures as displayed",
      FALSE, playing);
  ROW (confidence, double, "confidence", "Confidence",
      "Minimum confidence, 0 to 1. Higher means fewer detections and fewer "
      "false positives",
      0.0, 1.0, 0.25, controllable);
  ROW (iou_threshold, double, "iou-threshold", "IoU threshold",
      "Maximum intersection over union of two boxes; above it, the less "
      "confident one is dropped (heads with NMS only)",
      0.0, 1.0, 0.7, controllable);
  ROW (max_detections, uint, "max-detections", "Maximum detections",
      "Maximum number of detections per frame; the most confident are kept", 1,
      GST_Y10_MAX_DETECTIONS, 300, playing);
  ROW (text.classes, string, "classes", "Classes",
      "Classes to detect: names or ids separated by commas, such as "
      "\"person,2\". Empty: all",
      "", playing);
  ROW (text.class_confidence, string, "class-confidence", "Class confidence",
      "Minimum confidence of single classes, in place of confidence: names or "
      "ids with numbers from 0 to 1, separated by commas, * for all others, "
      "such as \"person=0.4,car=0.6,*=0.25\". Empty: none",
      "", playing);
  ROW (text.min_size, string, "min-size", "Minimum size",
      "Drop boxes smaller than this: one number for width and "
      "height, or both as \"64x32\"; pixels, or up to 1 a fraction of the "
      "frame. Empty: no limit",
      "", playing);
  ROW (text.max_size, string, "max-size", "Maximum size",
      "Drop boxes larger than this, given as for min-size. "
      "Empty: no limit",
      "", playing);
  ROW (text.tiles, string, "tiles", "Tiles",
      "Divide each frame into tiles that are inferred one by one, beside the "
      "whole frame, which finds smaller objects: columns and rows such as "
      "\"2x2\"; a size in pixels such as \"640\" for as many tiles as are "
      "needed; \"auto\" for tiles of about the network's input size; \"none\". "
      "At most 64 tiles; each costs one inference",
      "none", playing);
  ROW (tile_overlap, double, "tile-overlap", "Tile overlap",
      "Fraction of a tile that its neighbour covers, too", 0.0, 0.9,
      Y10_TILES_DEFAULT_OVERLAP, playing);
  ROW (text.region, string, "region", "Region",
      "Detect only in this part of the frame, and infer only the rectangle "
      "around it: two opposite corners of a rectangle or three and more of a "
      "polygon, as fractions of the frame, such as \"0,0.5 1,1\"; further "
      "shapes after a semicolon. Empty: the whole frame",
      "", playing);
  ROW (region_anchor, enum, "region-anchor", "Region anchor",
      "What must be in the region for a box to count",
      GST_TYPE_YOLOV10_REGION_ANCHOR, Y10_REGION_ANCHOR_BOTTOM, playing);
  ROW (roi_source, enum, "roi-source", "ROI source",
      "Where regions of interest come from that are inferred in "
      "place of the frame. With meta, a detector upstream selects where this "
      "one detects; tiles has no effect then",
      GST_TYPE_YOLOV10_ROI_SOURCE, GST_YOLOV10_ROI_SOURCE_NONE, playing);
  ROW (text.roi_type, string, "roi-type", "ROI type",
      "Types of regions of interest to infer, separated by commas, such as "
      "\"person,car\"; those of yolov10detect are its labels. Empty: all",
      "", playing);
  ROW (attach, flags, "attach", "Attach",
      "Which metadata to attach: roi and analytics for each object, frame for "
      "each frame",
      GST_TYPE_YOLOV10_ATTACH, GST_YOLOV10_ATTACH_ALL, playing);
  ROW (text.encoder_hints, string, "encoder-hints", "Encoder hints",
      "QP offset for each class, relative to its "
      "surroundings: negative (down to -51) asks the encoder for higher "
      "quality, positive (up to 51) for lower. Class names or ids with "
      "numbers, separated by commas, * for all others, such as "
      "\"person=-8,car=-4,*=2\". Attached to each region of interest for the "
      "encoders that support it: msdk, vaapi, OMX on Zynq, NETINT. Empty: none",
      "", playing);
  ROW (active, boolean, "active", "Active",
      "Whether to detect objects; if not, frames pass untouched", TRUE,
      controllable);
  ROW (in_flight, uint, "in-flight", "In flight",
      "Maximum number of concurrent inferences. 0: one if late frames skip "
      "inference, so that a frame waits for one only, else two, to keep the "
      "engine busy",
      0, GST_Y10_MAX_IN_FLIGHT, 0, ready);
  ROW (max_queued_frames, uint, "max-queued-frames", "Maximum queued frames",
      "Maximum number of frames held, both those being inferred and those "
      "waiting behind them. 0: as many as arrive during an inference",
      0, GST_Y10_MAX_FRAMES, 0, playing);
  ROW (late_policy, enum, "late-policy", "Late policy",
      "What to do when inference is slower than the frame rate; "
      "frames themselves are never dropped",
      GST_TYPE_YOLOV10_LATE_POLICY, GST_YOLOV10_LATE_AUTO, playing);
  ROW (inference_interval, uint, "inference-interval", "Inference interval",
      "Infer only every Nth frame; skipped-boxes sets which boxes the others "
      "get",
      1, 10000, 1, controllable);
  ROW (skipped_boxes, enum, "skipped-boxes", "Skipped boxes",
      "Which boxes to attach to frames that are not inferred",
      GST_TYPE_YOLOV10_SKIPPED_BOXES, GST_YOLOV10_BOXES_HOLD, controllable);
  ROW (max_hold, uint64, "max-hold", "Maximum hold",
      "How long to hold the boxes of an earlier frame, in "
      "nanoseconds of presentation time",
      0, G_MAXUINT64, GST_SECOND, controllable);
  ROW (post_messages, boolean, "post-messages", "Post messages",
      "Whether to post a yolov10-detections element message "
      "with JSON for each frame",
      FALSE, playing);
  gst_y10_properties_add (&properties, class, 0,
      g_param_spec_string ("active-backend", "Active backend",
          "The backend in use: cpu, ref or cuda; NULL below PAUSED", NULL,
          readable));
  gst_y10_properties_add (&properties, class, 0,
      g_param_spec_string ("active-device", "Active device",
          "The name of the device in use; NULL below PAUSED", NULL, readable));
  gst_y10_properties_add (&properties, class, 0,
      g_param_spec_string ("active-precision", "Active precision",
          "The precision in use, such as fp32; NULL below PAUSED", NULL,
          readable));
  gst_y10_properties_add (&properties, class, 0,
      g_param_spec_string ("fallback-reason", "Fallback reason",
          "Why a faster backend is not in use; NULL if there is none", NULL,
          readable));
  gst_y10_properties_add (&properties, class, 0,
      g_param_spec_boxed ("stats", "Statistics",
          "Frames since the start (total, inferred, held, skipped, sent, waiting), "
          "frames per second, recoveries of a lost device and, for the last 512 "
          "frames, the wait for the engine, preprocessing, inference, "
          "postprocessing, age of the boxes and delay in the element, each as "
          "median, 95th percentile and maximum in nanoseconds",
          GST_TYPE_STRUCTURE, readable));
  gst_y10_properties_add (&properties, class, 0,
      g_param_spec_boxed ("engine-stats", "Engine statistics",
          "Statistics of the engine, over all elements that "
          "share it: streams, frames queued and running, inferences since its "
          "creation, frames per step, the wait for a step, inferences per second, "
          "bytes of weights and activations; NULL without an engine",
          GST_TYPE_STRUCTURE, readable));
}

void
gst_y10_props_init (GstYolov10Detect *self)
{
  GstY10Config *config = gst_y10_settings_new (&properties);
  const GstY10Config none = { .backend = Y10_BACKEND_AUTO };

  gst_y10_config_finish (config, &none, NULL);
  self->config = config;
  g_mutex_init (&self->config_lock);
}

void
gst_y10_props_clear (GstYolov10Detect *self)
{
  g_clear_pointer (&self->config, gst_y10_settings_unref);
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
take_effect (GstYolov10Detect *self, const gchar *name,
    const GstY10Config *config)
{
  /* A session that takes over from now on sees the new value itself. */
  g_autoptr (GstY10Session) session = gst_yolov10_detect_get_session (self);

  if (g_str_equal (name, "model-file"))
    gst_y10_reload_request (self->reload);
  if (!session)
    return;
  if (g_str_equal (name, "priority"))
    gst_y10_session_set_priority (session, config->priority);
  if (g_str_equal (name, "attach"))
    warn_of_attach (self, config);
  if (g_str_equal (name, "attach") || g_str_equal (name, "encoder-hints"))
    warn_of_hints (self, config);
  if (g_str_equal (name, "tiles") || g_str_equal (name, "roi-source"))
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
  gst_y10_settings_unref (config);
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
  config = gst_y10_config_copy (self->config);
  gst_y10_settings_set (config, id, value);
  ok = gst_y10_config_finish (config, self->config, &error)
      && gst_y10_config_suits (config, &self->image, &error)
      && (!session || suits_model (self->config, config, session, &error));
  if (ok || !session)
    is_closed = !swap (self, pspec, gst_y10_settings_ref (config));
  g_mutex_unlock (&self->config_lock);
  if (is_closed)
    gst_y10_ready_only_refuse (GST_ELEMENT (self), pspec, value);
  else if (ok || !session)
    take_effect (self, pspec->name, config);
  else
    GST_Y10_ELEMENT_WARNING (self, error);
}

/* Reads a property of the engine; NULL without one. */
static void
get_active (GstYolov10Detect *self, const gchar *name, GValue *value)
{
  g_autoptr (GstY10Session) session = gst_yolov10_detect_get_session (self);
  g_autoptr (Y10Engine) engine = session ? gst_y10_session_get_engine (session)
                                         : NULL;
  const gchar *text = NULL;

  if (engine && g_str_equal (name, "active-backend"))
    text = y10_backend_get_name (y10_engine_get_backend (engine));
  else if (engine && g_str_equal (name, "active-device"))
    text = y10_engine_get_device (engine);
  else if (engine && g_str_equal (name, "active-precision"))
    text = y10_precision_get_name (y10_engine_get_precision (engine));
  else if (engine && g_str_equal (name, "fallback-reason"))
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

  if (g_str_equal (pspec->name, "stats")) {
    g_value_take_boxed (value, stats_structure (self));
  } else if (g_str_equal (pspec->name, "engine-stats")) {
    g_value_take_boxed (value, engine_stats_structure (self));
  } else if (pspec->flags & G_PARAM_WRITABLE) {
    g_autoptr (GstY10Config) config = gst_yolov10_detect_get_config (self);

    gst_y10_settings_get (config, id, value);
  } else {
    get_active (self, pspec->name, value);
  }
}
