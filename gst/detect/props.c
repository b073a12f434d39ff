/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Property setters and getters of yolov10detect. Setting one makes another
 * configuration, for the next frame or the next start; the latter values are
 * refused once the element has started. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/props.h"

#include "meta/write.h"
#include "common/elementerror.h"
#include "common/fields.h"
#include "common/readyonly.h"
#include "detect/element.h"

#define FIELD(ID, MEMBER) \
  { GST_Y10_PROP_##ID, G_STRUCT_OFFSET (GstY10Config, MEMBER) }

static const GstY10Field fields[] = {
  FIELD (MODEL_FILE, text.model_file),
  FIELD (LABEL_FILE, text.label_file),
  FIELD (BACKEND, backend),
  FIELD (PRECISION, precision),
  FIELD (HEAD, head),
  FIELD (INPUT_SIZE, text.input_size),
  FIELD (THREADS, threads),
  FIELD (ENGINE_GROUP, text.engine_group),
  FIELD (MAX_BATCH, max_batch),
  FIELD (BATCH_TIMEOUT, batch_timeout),
  FIELD (PRIORITY, priority),
  FIELD (CUDA_DEVICE_ID, device_id),
  FIELD (CUDA_GRAPHS, cuda_graphs),
  FIELD (CUDA_TUNE, cuda_tune),
  FIELD (CLASS_AGNOSTIC_NMS, params.class_agnostic),
  FIELD (CONFIDENCE, confidence),
  FIELD (IOU_THRESHOLD, iou_threshold),
  FIELD (MAX_DETECTIONS, params.max_detections),
  FIELD (CLASSES, text.classes),
  FIELD (CLASS_CONFIDENCE, text.class_confidence),
  FIELD (MIN_SIZE, text.min_size),
  FIELD (MAX_SIZE, text.max_size),
  FIELD (TILES, text.tiles),
  FIELD (TILE_OVERLAP, tile_overlap),
  FIELD (REGION, text.region),
  FIELD (REGION_ANCHOR, region_anchor),
  FIELD (ROI_SOURCE, roi_source),
  FIELD (ROI_TYPE, text.roi_type),
  FIELD (ATTACH, attach),
  FIELD (ENCODER_HINTS, text.encoder_hints),
  FIELD (ACTIVE, active),
  FIELD (IN_FLIGHT, in_flight),
  FIELD (MAX_QUEUED_FRAMES, max_queued_frames),
  FIELD (LATE_POLICY, late_policy),
  FIELD (INFERENCE_INTERVAL, inference_interval),
  FIELD (SKIPPED_BOXES, skipped_boxes),
  FIELD (MAX_HOLD, max_hold),
  FIELD (POST_MESSAGES, post_messages),
  {0}
};

/* Starts with the defaults of the GParamSpecs; a text that is not set has none. */
void
gst_y10_props_init (GstYolov10Detect * self)
{
  GstY10Config *config = gst_y10_config_new (NULL);
  const GstY10Config none = { .serial = 0 };

  for (const GstY10Field * field = fields; field->id; field++) {
    GParamSpec *pspec = gst_y10_props_get_pspec (field->id);

    if (!G_IS_PARAM_SPEC_STRING (pspec))
      gst_y10_fields_set (fields, config, field->id,
          g_param_spec_get_default_value (pspec));
  }
  gst_y10_config_finish (config, &none, NULL);
  self->config = config;
  g_mutex_init (&self->config_lock);
}

void
gst_y10_props_clear (GstYolov10Detect * self)
{
  g_clear_pointer (&self->config, gst_y10_config_unref);
  g_mutex_clear (&self->config_lock);
}

/* Returns FALSE if @to names other classes than @from, and one that @model does
 * not have. */
static gboolean
suits_model (const GstY10Config * from, const GstY10Config * to,
    const GstY10Session * session, GError ** error)
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
warn_of_hints (GstYolov10Detect * self, const GstY10Config * config)
{
  if (config->text.encoder_hints && *config->text.encoder_hints
      && !(config->attach & GST_YOLOV10_ATTACH_ROI))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("encoder-hints has no effect: hints are attached to regions of "
            "interest, but attach does not contain \"roi\""), (NULL));
}

/* The default, all, does not warn. */
static void
warn_of_attach (GstYolov10Detect * self, const GstY10Config * config)
{
  if (!GST_Y10_HAVE_ANALYTICS && config->attach != GST_YOLOV10_ATTACH_ALL
      && (config->attach & GST_YOLOV10_ATTACH_ANALYTICS))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("attach=analytics has no effect: this build has no GstAnalytics, "
            "which requires GStreamer 1.24 or later"), (NULL));
}

static void
warn_of_tiles (GstYolov10Detect * self, const GstY10Config * config)
{
  if (config->part_rules
      && gst_y10_part_rules_ignore_tiles (config->part_rules))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("tiles has no effect: with roi-source=meta only regions of interest "
            "are inferred"), (NULL));
}

/* Warns of properties that are set and have no effect. Called from start() on,
 * because before that no application may be listening. */
void
gst_y10_props_warn (GstYolov10Detect * self)
{
  GstY10Config *config = gst_yolov10_detect_get_config (self);

  warn_of_attach (self, config);
  warn_of_hints (self, config);
  warn_of_tiles (self, config);
  gst_y10_config_unref (config);
}

/* What a new value brings about beyond the configuration. The priority is for
 * requests that wait already, while the input thread may wait for one of them. A
 * model is loaded again even if its path is unchanged: the file itself may have
 * been replaced. */
static void
follow (GstYolov10Detect * self, guint id, const GstY10Config * config,
    GstY10Session * session)
{
  if (id == GST_Y10_PROP_MODEL_FILE)
    gst_y10_reload_request (self->reload);
  if (!session)
    return;
  if (id == GST_Y10_PROP_PRIORITY)
    gst_y10_session_set_priority (session, config->priority);
  if (id == GST_Y10_PROP_ATTACH)
    warn_of_attach (self, config);
  if (id == GST_Y10_PROP_ATTACH || id == GST_Y10_PROP_ENCODER_HINTS)
    warn_of_hints (self, config);
  if (id >= GST_Y10_PROP_TILES && id <= GST_Y10_PROP_ROI_TYPE)
    warn_of_tiles (self, config);
}

/* Replaces the configuration, unless the property may not change any more. Call
 * with the configuration's lock held. Takes ownership of @config. */
static gboolean
swap (GstYolov10Detect * self, GParamSpec * pspec, GstY10Config * config)
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
gst_y10_props_set (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (object);
  GstY10Session *session;
  GstY10Config *config;
  gboolean ok, is_closed = FALSE;
  GError *error = NULL;

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
    follow (self, id, config, session);
  else
    GST_Y10_ELEMENT_WARNING (self, error);
  g_clear_error (&error);
  gst_y10_config_unref (config);
  g_clear_pointer (&session, gst_y10_session_unref);
}

/* Reads a property of the engine; NULL without one. */
static void
get_active (GstYolov10Detect * self, guint id, GValue * value)
{
  GstY10Session *session = gst_yolov10_detect_get_session (self);
  Y10Engine *engine = session ? gst_y10_session_get_engine (session) : NULL;
  const gchar *text = NULL;

  if (engine && id == GST_Y10_PROP_ACTIVE_BACKEND)
    text = y10_backend_get_name (y10_engine_get_backend (engine));
  else if (engine && id == GST_Y10_PROP_ACTIVE_DEVICE)
    text = y10_engine_get_device (engine);
  else if (engine && id == GST_Y10_PROP_ACTIVE_PRECISION)
    text = y10_precision_get_name (y10_engine_get_precision (engine));
  else if (engine && id == GST_Y10_PROP_FALLBACK_REASON)
    text = y10_engine_get_fallback_reason (engine);
  g_value_set_string (value, text);
  g_clear_pointer (&engine, y10_engine_unref);
  g_clear_pointer (&session, gst_y10_session_unref);
}

static GstStructure *
stats_structure (GstYolov10Detect * self)
{
  GstY10Stats *stats = g_new (GstY10Stats, 1);
  GstStructure *structure;
  guint waiting = gst_y10_frame_queue_count (self->frame_queue);

  GST_OBJECT_LOCK (self);
  *stats = self->stats;
  GST_OBJECT_UNLOCK (self);
  stats->waiting = waiting;
  structure = gst_y10_stats_to_structure (stats);
  g_free (stats);
  return structure;
}

/* Returns NULL without an engine. */
static GstStructure *
engine_stats_structure (GstYolov10Detect * self)
{
  GstY10Session *session = gst_yolov10_detect_get_session (self);
  Y10EngineStream *stream =
      session ? gst_y10_session_get_stream (session) : NULL;
  GstStructure *structure = NULL;
  Y10EngineStreamStats stats = {.size = sizeof stats };

  if (stream) {
    y10_engine_stream_get_stats (stream, &stats);
    structure = gst_y10_engine_stats_to_structure (&stats,
        y10_engine_get_backend (y10_engine_stream_get_engine (stream)));
  }
  y10_engine_stream_unref (stream);
  g_clear_pointer (&session, gst_y10_session_unref);
  return structure;
}

void
gst_y10_props_get (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (object);

  if (id == GST_Y10_PROP_STATS) {
    g_value_take_boxed (value, stats_structure (self));
    return;
  }
  if (id == GST_Y10_PROP_ENGINE_STATS) {
    g_value_take_boxed (value, engine_stats_structure (self));
    return;
  }
  if (id >= GST_Y10_PROP_ACTIVE_BACKEND
      && id <= GST_Y10_PROP_FALLBACK_REASON) {
    get_active (self, id, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  if (!gst_y10_fields_get (fields, self->config, id, value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}
