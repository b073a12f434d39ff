/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Property setters and getters of yolov10detect. Most values are only stored,
 * for the next frame or the next start; the latter are refused once the element
 * has started. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/props.h"

#include "meta/write.h"
#include "detect/partprops.h"
#include "common/elementerror.h"
#include "common/fields.h"
#include "common/readyonly.h"
#include "detect/element.h"

void
gst_y10_props_init (GstYolov10Detect * self)
{
  self->settings.device_id = -1;
  self->settings.cuda_graphs = TRUE;
  self->settings.cuda_tune = TRUE;
  self->confidence = GST_Y10_DEFAULT_CONFIDENCE;
  self->iou_threshold = GST_Y10_DEFAULT_IOU_THRESHOLD;
  self->wanted.params.size = sizeof self->wanted.params;
  self->wanted.params.max_detections = GST_Y10_DEFAULT_MAX_DETECTIONS;
  self->wanted.attach = GST_YOLOV10_ATTACH_ALL;
  self->wanted.active = TRUE;
  self->wanted.max_hold = GST_Y10_DEFAULT_MAX_HOLD;
  self->inference_interval = 1;
  gst_y10_part_props_init (self);
}

#define FIELD(ID, MEMBER) \
  { GST_Y10_PROP_##ID, G_STRUCT_OFFSET (GstYolov10Detect, MEMBER) }

static const GstY10Field fields[] = {
  FIELD (MODEL_FILE, settings.model_file),
  FIELD (LABEL_FILE, settings.label_file),
  FIELD (BACKEND, settings.backend),
  FIELD (PRECISION, settings.precision),
  FIELD (HEAD, settings.head),
  FIELD (INPUT_SIZE, settings.input_size),
  FIELD (THREADS, settings.threads),
  FIELD (ENGINE_GROUP, settings.engine_group),
  FIELD (MAX_BATCH, settings.max_batch),
  FIELD (BATCH_TIMEOUT, settings.batch_timeout),
  FIELD (PRIORITY, settings.priority),
  FIELD (CUDA_DEVICE_ID, settings.device_id),
  FIELD (CUDA_GRAPHS, settings.cuda_graphs),
  FIELD (CUDA_TUNE, settings.cuda_tune),
  FIELD (CLASSES, settings.classes),
  FIELD (CLASS_CONFIDENCE, settings.class_confidence),
  FIELD (ENCODER_HINTS, settings.encoder_hints),
  FIELD (IN_FLIGHT, settings.in_flight),
  FIELD (CONFIDENCE, confidence),
  FIELD (IOU_THRESHOLD, iou_threshold),
  FIELD (CLASS_AGNOSTIC_NMS, wanted.params.class_agnostic),
  FIELD (MAX_DETECTIONS, wanted.params.max_detections),
  FIELD (MIN_SIZE, min_size),
  FIELD (MAX_SIZE, max_size),
  FIELD (TILES, part_settings.tiles),
  FIELD (TILE_OVERLAP, part_settings.tile_overlap),
  FIELD (REGION, part_settings.region),
  FIELD (REGION_ANCHOR, part_settings.anchor),
  FIELD (ROI_SOURCE, part_settings.roi_source),
  FIELD (ROI_TYPE, part_settings.roi_type),
  FIELD (ATTACH, wanted.attach),
  FIELD (ACTIVE, wanted.active),
  FIELD (SKIPPED_BOXES, wanted.skipped_boxes),
  FIELD (MAX_HOLD, wanted.max_hold),
  FIELD (POST_MESSAGES, wanted.post_messages),
  FIELD (MAX_QUEUED_FRAMES, max_queued_frames),
  FIELD (LATE_POLICY, late_policy),
  FIELD (INFERENCE_INTERVAL, inference_interval),
  {0}
};

/* Properties that name classes of the model, which the session parses. */
static const struct
{
  guint id;
  gsize offset;                 /* of the text in GstY10Settings */
  gboolean (*set) (GstY10Session *, const gchar *, GError **);
} of_classes[] = {
  {GST_Y10_PROP_CLASSES, G_STRUCT_OFFSET (GstY10Settings, classes),
      gst_y10_session_set_classes},
  {GST_Y10_PROP_CLASS_CONFIDENCE,
      G_STRUCT_OFFSET (GstY10Settings, class_confidence),
      gst_y10_session_set_class_confidence},
  {GST_Y10_PROP_ENCODER_HINTS, G_STRUCT_OFFSET (GstY10Settings, encoder_hints),
      gst_y10_session_set_encoder_hints},
};

static gchar **
text_of (const GstY10Settings * settings, guint i)
{
  return &G_STRUCT_MEMBER (gchar *, settings, of_classes[i].offset);
}

/* While running, an invalid value changes nothing and posts a warning: a typo
 * should not stop a camera. Before that, the model is unknown and start()
 * validates it. */
static void
set_of_classes (GstYolov10Detect * self, guint i, const gchar * text)
{
  gboolean ok, same = TRUE;
  GError *error = NULL;

  do {
    GstY10Session *session = gst_yolov10_detect_get_session (self);

    ok = !session || of_classes[i].set (session, text, &error);
    if (ok) {
      GST_OBJECT_LOCK (self);
      g_free (*text_of (&self->settings, i));
      *text_of (&self->settings, i) = g_strdup (text);
      /* Retry if a reload replaced the session: it may have missed this. */
      same = self->session == session;
      GST_OBJECT_UNLOCK (self);
    }
    g_clear_pointer (&session, gst_y10_session_unref);
  } while (ok && !same);
  if (!ok)
    GST_Y10_ELEMENT_WARNING (self, error);
  g_clear_error (&error);
}

/* Applies what was set while @session was being created. */
void
gst_y10_props_apply_pending (GstYolov10Detect * self, GstY10Session * session)
{
  for (guint i = 0; i < G_N_ELEMENTS (of_classes); i++) {
    const gchar *made_from = *text_of (&session->settings, i);
    gchar *text = NULL;
    GError *error = NULL;

    GST_OBJECT_LOCK (self);
    if (g_strcmp0 (made_from, *text_of (&self->settings, i))) {
      text = *text_of (&self->settings, i);
      text = g_strdup (text ? text : "");
    }
    GST_OBJECT_UNLOCK (self);
    if (text && !of_classes[i].set (session, text, &error))
      GST_Y10_ELEMENT_WARNING (self, error);
    g_clear_error (&error);
    g_free (text);
  }
}

void
gst_y10_props_clear (GstYolov10Detect * self)
{
  g_clear_pointer (&self->min_size, g_free);
  g_clear_pointer (&self->max_size, g_free);
  gst_y10_part_props_clear (self);
}

static GstYolov10Attach
get_attach (GstYolov10Detect * self, gboolean * hints)
{
  GstYolov10Attach attach;

  GST_OBJECT_LOCK (self);
  attach = self->wanted.attach;
  *hints = self->settings.encoder_hints && *self->settings.encoder_hints;
  GST_OBJECT_UNLOCK (self);
  return attach;
}

static void
warn_of_hints (GstYolov10Detect * self)
{
  gboolean hints;
  GstYolov10Attach attach = get_attach (self, &hints);

  if (hints && !(attach & GST_YOLOV10_ATTACH_ROI))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("encoder-hints has no effect: hints are attached to regions of "
            "interest, but attach does not contain \"roi\""), (NULL));
}

/* Warns if attach asks for metadata that this build lacks, or drops
 * encoder-hints; the default, all, does not warn. Called from start() on,
 * because before that no application may be listening. */
void
gst_y10_props_warn_of_attach (GstYolov10Detect * self)
{
  gboolean hints;
  GstYolov10Attach attach = get_attach (self, &hints);

  if (!GST_Y10_HAVE_ANALYTICS && attach != GST_YOLOV10_ATTACH_ALL
      && (attach & GST_YOLOV10_ATTACH_ANALYTICS))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("attach=analytics has no effect: this build has no GstAnalytics, "
            "which requires GStreamer 1.24 or later"), (NULL));
  warn_of_hints (self);
}

static void
set_attach (GstYolov10Detect * self, GstYolov10Attach attach)
{
  gboolean started;

  GST_OBJECT_LOCK (self);
  self->wanted.attach = attach;
  started = self->session != NULL;
  GST_OBJECT_UNLOCK (self);
  if (started)
    gst_y10_props_warn_of_attach (self);
}

static void
warn_of_hints_if_started (GstYolov10Detect * self)
{
  GstY10Session *session = gst_yolov10_detect_get_session (self);

  if (session)
    warn_of_hints (self);
  g_clear_pointer (&session, gst_y10_session_unref);
}

/* Like class names: while running, an invalid value changes nothing and posts a
 * warning. Before that, nobody may see a warning, so start() fails. */
static void
set_size (GstYolov10Detect * self, guint id, const gchar * text)
{
  gboolean least = id == GST_Y10_PROP_MIN_SIZE;
  GstY10Session *session = gst_yolov10_detect_get_session (self);
  Y10HeadParams *params = &self->wanted.params;
  gboolean running = session != NULL;
  GError *error = NULL;
  gfloat width, height;

  g_clear_pointer (&session, gst_y10_session_unref);
  if (!y10_size_limit_parse (text ? text : "", &width, &height,
          running ? &error : NULL) && running) {
    g_prefix_error (&error, "%s: ", least ? "min-size" : "max-size");
    GST_Y10_ELEMENT_WARNING (self, error);
    g_error_free (error);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_free (least ? self->min_size : self->max_size);
  *(least ? &self->min_size : &self->max_size) = g_strdup (text);
  *(least ? &params->min_width : &params->max_width) = width;
  *(least ? &params->min_height : &params->max_height) = height;
  GST_OBJECT_UNLOCK (self);
}

/* FALSE and error if `min-size` or `max-size` is no size. */
gboolean
gst_y10_props_check_sizes (GstYolov10Detect * self, GError ** error)
{
  g_autofree gchar *least = NULL, *most = NULL;
  gfloat width, height;

  GST_OBJECT_LOCK (self);
  least = g_strdup (self->min_size ? self->min_size : "");
  most = g_strdup (self->max_size ? self->max_size : "");
  GST_OBJECT_UNLOCK (self);
  if (!y10_size_limit_parse (least, &width, &height, error)) {
    g_prefix_error (error, "min-size: ");
    return FALSE;
  }
  if (!y10_size_limit_parse (most, &width, &height, error)) {
    g_prefix_error (error, "max-size: ");
    return FALSE;
  }
  return TRUE;
}

/* Reloads even if the path is unchanged: the file itself may have been
 * replaced. */
static void
set_model_file (GstYolov10Detect * self, const gchar * path)
{
  GST_OBJECT_LOCK (self);
  g_free (self->settings.model_file);
  self->settings.model_file = g_strdup (path);
  GST_OBJECT_UNLOCK (self);
  gst_y10_reload_request (self->reload);
}

/* Also affects requests that already wait for a turn. */
static void
set_priority (GstYolov10Detect * self, gint priority)
{
  GstY10Session *session;

  GST_OBJECT_LOCK (self);
  self->settings.priority = priority;
  GST_OBJECT_UNLOCK (self);
  session = gst_yolov10_detect_get_session (self);
  if (session)
    gst_y10_session_set_priority (session, priority);
  g_clear_pointer (&session, gst_y10_session_unref);
}

void
gst_y10_props_set (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (object);

  for (guint i = 0; i < G_N_ELEMENTS (of_classes); i++)
    if (id == of_classes[i].id) {
      set_of_classes (self, i, g_value_get_string (value));
      if (id == GST_Y10_PROP_ENCODER_HINTS)
        warn_of_hints_if_started (self);
      return;
    }
  if (id == GST_Y10_PROP_MIN_SIZE || id == GST_Y10_PROP_MAX_SIZE) {
    set_size (self, id, g_value_get_string (value));
    return;
  }
  if (gst_y10_part_props_set (self, id, value))
    return;
  if (id == GST_Y10_PROP_MODEL_FILE) {
    set_model_file (self, g_value_get_string (value));
    return;
  }
  if (id == GST_Y10_PROP_ATTACH) {
    set_attach (self, g_value_get_flags (value));
    return;
  }
  if (id == GST_Y10_PROP_PRIORITY) {
    set_priority (self, g_value_get_int (value));
    return;
  }

  GST_OBJECT_LOCK (self);
  if (gst_y10_ready_only_is_closed (GST_ELEMENT (self), pspec)) {
    GST_OBJECT_UNLOCK (self);
    gst_y10_ready_only_refuse (GST_ELEMENT (self), pspec, value);
    return;
  }
  if (!gst_y10_fields_set (fields, self, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
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
  if (!gst_y10_fields_get (fields, self, id, value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}
