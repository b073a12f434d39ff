/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The yolov10zones element: what ends a stream, when other zones apply, and to whom
 * events are told. It changes no pixel and maps no memory, so any caps do. */

/**
 * SECTION:element-yolov10zones
 * @title: yolov10zones
 * @short_description: tells when objects enter, leave, cross and stay
 *
 * Watches tracked objects in zones and at lines of the picture. Needs a tracker
 * between the detector and itself, since only objects with an identity are counted.
 *
 * Each event is an element message `yolov10-event`, the signal
 * #GstYolov10Zones::event and a serialized custom event downstream, which yolov10publish
 * writes; counts are in the frame meta.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m v4l2src ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10track ! yolov10zones zones="yard=0,0.5 1,1" classes=person dwell=30000000000 ! yolov10overlay ! videoconvert ! autovideosink
 * ]| Tells when a person has been in the lower half of the picture for 30 seconds.
 * |[
 * gst-launch-1.0 -m uridecodebin uri=file:///tmp/street.mp4 ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10track ! yolov10zones zones="gate=0.1,0.5 -> 0.9,0.5" ! fakesink
 * ]| Counts who crosses a line, and in which direction.
 */
#include "zones/element.h"

#include <string.h>

#include "common/elementerror.h"
#include "common/sinkpad.h"
#include "meta/inspection.h"
#include "meta/write.h"
#include "zones/parse.h"
#include "zones/report.h"

GST_DEBUG_CATEGORY (gst_yolov10_zones_debug);
#define GST_CAT_DEFAULT gst_yolov10_zones_debug

G_DEFINE_FINAL_TYPE (GstYolov10Zones, gst_yolov10_zones,
    GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (yolov10zones, "yolov10zones", GST_RANK_NONE,
    GST_TYPE_YOLOV10_ZONES)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void
make_outlines (GstYolov10Zones *self, const GstY10ZoneSet *set)
{
  GString *names = g_string_new (NULL);
  g_autoptr (GArray) shapes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (gfloat));

  for (guint i = 0; i < set->n; i++) {
    const GstY10Zone *zone = &set->zones[i];

    g_string_append (names, zone->name);
    g_string_append_c (names, '\n');
    for (guint k = 0; k < zone->n_shapes; k++) {
      const guint32 n = zone->shapes[k];

      g_array_append_val (shapes, n);
    }
    for (guint k = 0; k < zone->n_points; k++) {
      const gfloat xy[2] = { (gfloat) zone->points[k].x,
        (gfloat) zone->points[k].y };

      g_array_append_vals (points, xy, 2);
    }
  }
  gst_y10_zone_outlines_clear (&self->outlines);
  self->outlines.own.names = g_string_free (names, FALSE);
  self->outlines.own.shapes = g_bytes_new (shapes->data,
      shapes->len * sizeof (guint32));
  self->outlines.own.points = g_bytes_new (points->data,
      points->len * sizeof (gfloat));
}

/* Reads the zones that the settings say. */
static GstY10ZoneSet *
parse (const GstY10ZonesSettings *now, GError **error)
{
  const GstY10ZoneDefaults defaults = {
    .classes = now->classes,
    .anchor = now->anchor,
    .hysteresis = now->hysteresis,
    .grace = now->grace,
    .dwell = now->dwell,
    .limit = now->limit,
  };

  if ((!now->zones || !*now->zones) && now->zones_file && *now->zones_file)
    return gst_y10_zones_load (now->zones_file, &defaults, error);
  return gst_y10_zones_parse (now->zones ? now->zones : "", &defaults, error);
}

/* Applies the settings. FALSE with an error keeps the zones as they are. */
static gboolean
apply (GstYolov10Zones *self, GError **error)
{
  g_autoptr (GstY10ZoneSet) set = parse (self->now, error);

  if (!set)
    return FALSE;
  g_mutex_lock (&self->lock);
  gst_y10_zones_change (self->zones, set);
  g_mutex_unlock (&self->lock);
  make_outlines (self, set);
  self->unchecked = TRUE;
  GST_DEBUG_OBJECT (self, "%u zones and lines", set->n);
  gst_y10_zones_tell (self);
  return TRUE;
}

/* The objects are not those that follow. */
static void
end (GstYolov10Zones *self)
{
  g_mutex_lock (&self->lock);
  gst_y10_zones_end (self->zones);
  gst_y10_zones_disarm (self);
  g_mutex_unlock (&self->lock);
  self->observed = (GstY10Observations){ 0 };
  gst_y10_zones_tell (self);
}

static gboolean
gst_yolov10_zones_start (GstBaseTransform *trans)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (trans);
  g_autoptr (GError) error = NULL;

  self->warned_ids = self->warned_moved = self->warned_time = FALSE;
  self->n_without_ids = 0;
  g_mutex_lock (&self->lock);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  g_queue_clear_full (&self->passed, (GDestroyNotify) gst_structure_free);
  gst_y10_zones_free (self->zones);
  self->zones = gst_y10_zones_new (gst_y10_zones_keep_event, self);
  g_mutex_unlock (&self->lock);
  self->now = gst_y10_filter_update_settings (self, self->now);
  if (apply (self, &error))
    return TRUE;
  GST_Y10_ELEMENT_ERROR (self, error);
  return FALSE;
}

static gboolean
gst_yolov10_zones_stop (GstBaseTransform *trans)
{
  end (GST_YOLOV10_ZONES (trans));
  return TRUE;
}

static gboolean
gst_yolov10_zones_set_caps (GstBaseTransform *trans, GstCaps *incaps,
    GstCaps *outcaps)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (trans);
  const GstStructure *structure = gst_caps_get_structure (incaps, 0);
  gint width = 0, height = 0;

  gst_structure_get_int (structure, "width", &width);
  gst_structure_get_int (structure, "height", &height);
  self->width = (guint) MAX (width, 0);
  self->height = (guint) MAX (height, 0);
  return TRUE;
}

static void
pass_gap (GstYolov10Zones *self, GstEvent *event)
{
  GstClockTime time, duration;

  gst_event_parse_gap (event, &time, &duration);
  if (GST_CLOCK_TIME_IS_VALID (duration))
    time += duration;
  gst_y10_zones_find_latency (self);
  g_mutex_lock (&self->lock);
  gst_y10_zones_advance (self->zones, time);
  gst_y10_zones_arm (self);
  g_mutex_unlock (&self->lock);
  gst_y10_zones_tell (self);
}

/* Live sources often repeat their segment, which ends nothing. What is in @position differs
 * by itself. */
static void
take_segment (GstYolov10Zones *self, const GstSegment *segment)
{
  GstSegment same = *segment;

  same.position = self->segment.position;
  if (gst_segment_is_equal (&same, &self->segment))
    return;
  end (self);
  g_mutex_lock (&self->lock);
  self->segment = *segment;
  g_mutex_unlock (&self->lock);
}

/* Until downstream no longer flushes, it takes no event. */
static gboolean
pass_flush_stop (GstYolov10Zones *self, GstEvent *event)
{
  const gboolean ok = GST_BASE_TRANSFORM_CLASS (gst_yolov10_zones_parent_class)
                          ->sink_event (GST_BASE_TRANSFORM (self), event);

  end (self);
  return ok;
}

static gboolean
gst_yolov10_zones_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (trans);
  const GstSegment *segment;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_GAP:
      pass_gap (self, event);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      take_segment (self, segment);
      break;
    case GST_EVENT_EOS:
    case GST_EVENT_STREAM_START:
      end (self);
      break;
    case GST_EVENT_FLUSH_STOP:
      return pass_flush_stop (self, event);
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_yolov10_zones_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_yolov10_zones_src_event (GstBaseTransform *trans, GstEvent *event)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    g_mutex_lock (&self->lock);
    self->latency_known = FALSE;
    self->n_latencies++;
    g_mutex_unlock (&self->lock);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_yolov10_zones_parent_class)
      ->src_event (trans, event);
}

static GstFlowReturn
gst_yolov10_zones_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (trans);
  g_autoptr (GstY10ZonesSettings) before = self->now;
  g_autoptr (GError) error = NULL;

  self->now = gst_y10_filter_get_settings (self);
  if (self->now != before && !apply (self, &error)) {
    g_prefix_error (&error, "the zones stay as they were: ");
    GST_Y10_ELEMENT_WARNING (self, error);
  }
  gst_y10_zones_frame (self, buffer);
  return GST_FLOW_OK;
}

static GstStateChangeReturn
gst_yolov10_zones_change_state (GstElement *element, GstStateChange transition)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    g_mutex_lock (&self->lock);
    self->playing = FALSE;
    gst_y10_zones_disarm (self);
    g_mutex_unlock (&self->lock);
  }
  result = GST_ELEMENT_CLASS (gst_yolov10_zones_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
    g_mutex_lock (&self->lock);
    self->playing = TRUE;
    self->latency_known = FALSE;
    self->n_latencies++;
    g_mutex_unlock (&self->lock);
    gst_y10_zones_find_latency (self);
    g_mutex_lock (&self->lock);
    gst_y10_zones_arm (self);
    g_mutex_unlock (&self->lock);
  }
  return result;
}

static void
gst_yolov10_zones_finalize (GObject *object)
{
  GstYolov10Zones *self = GST_YOLOV10_ZONES (object);

  gst_y10_zones_free (self->zones);
  gst_y10_reading_clear (&self->reading);
  gst_y10_zone_outlines_clear (&self->outlines);
  g_free (self->objects);
  g_string_free (self->stays, TRUE);
  g_string_free (self->violations, TRUE);
  g_string_free (self->crossings, TRUE);
  g_queue_clear_full (&self->told, (GDestroyNotify) gst_structure_free);
  g_queue_clear_full (&self->passed, (GDestroyNotify) gst_structure_free);
  gst_y10_settings_unref (self->now);
  gst_y10_settings_unref (self->parent.settings);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->told_all);
  G_OBJECT_CLASS (gst_yolov10_zones_parent_class)->finalize (object);
}

static void
gst_yolov10_zones_class_init (GstYolov10ZonesClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_yolov10_zones_debug, "yolov10zones", 0,
      "watches zones and lines");
  gst_y10_attach_register_metas ();

  object_class->finalize = gst_yolov10_zones_finalize;
  gst_y10_zones_props_install (object_class);

  gst_y10_zones_install_signals (klass);
  gst_element_class_set_static_metadata (element_class, "YOLOv10 zones",
      "Filter/Analyzer/Video",
      "Tells when objects enter and leave zones, stay in them and cross lines",
      "the yolov10detect authors");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);

  element_class->change_state = GST_DEBUG_FUNCPTR (
      gst_yolov10_zones_change_state);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_yolov10_zones_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_yolov10_zones_stop);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_yolov10_zones_set_caps);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_yolov10_zones_sink_event);
  trans_class->src_event = GST_DEBUG_FUNCPTR (gst_yolov10_zones_src_event);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (
      gst_yolov10_zones_transform_ip);
}

static void
gst_yolov10_zones_init (GstYolov10Zones *self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_y10_sink_pad_init (trans);
  g_mutex_init (&self->lock);
  g_cond_init (&self->told_all);
  g_queue_init (&self->told);
  g_queue_init (&self->passed);
  self->parent.settings = gst_y10_settings_new (&gst_y10_zones_properties);
  gst_y10_reading_init (&self->reading);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->zones = gst_y10_zones_new (gst_y10_zones_keep_event, self);
  self->objects = g_new (GstY10ZoneObject, GST_Y10_READ_MAX);
  self->stays = g_string_new (NULL);
  self->violations = g_string_new (NULL);
  self->crossings = g_string_new (NULL);
  gst_base_transform_set_in_place (trans, TRUE);
  gst_base_transform_set_gap_aware (trans, TRUE);
}
