/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what one frame says: an observation if it shows a result of the detector
 * first, else only that time has passed. Writes zones and their counts to it. */
#include "zones/element.h"

#include <string.h>

#include "common/askclasses.h"
#include "common/elementerror.h"
#include "common/text.h"

#define GST_CAT_DEFAULT gst_yolov10_zones_debug

/* So many observations with objects of which none has an identity are a pipeline
 * without a tracker. */
#define MAX_WITHOUT_IDS 50

static void
find_size (const GstYolov10Zones *self, GstBuffer *buffer, guint *width,
    guint *height)
{
  gpointer state = NULL;
  const GstStructure *structure;

  *width = self->width;
  *height = self->height;
  if (*width && *height)
    return;
  structure = gst_yolov10_frame_meta_find (buffer, &state);
  if (structure) {
    gst_structure_get_uint (structure, "width", width);
    gst_structure_get_uint (structure, "height", height);
  }
}

/* Takes the class that the tracker has found for the object, where it tells: that of a
 * single result may be another one. */
static void
set_class (const GstY10TrackList *tracks, GstY10ZoneObject *object)
{
  for (guint i = 0; i < tracks->n; i++) {
    const GstY10TrackedObject *track = &tracks->items[i];

    if (track->id != object->id || !track->label_length)
      continue;
    object->label = track->label;
    object->label_length = track->label_length;
    return;
  }
}

/* Fills @self->objects with the detections that have an identity; returns their
 * number. */
static guint
find_objects (GstYolov10Zones *self)
{
  const GstY10DetectionList *list = &self->reading.result.list;
  const gdouble width = list->width, height = list->height;
  guint n = 0;

  for (guint i = 0; i < list->n; i++) {
    const GstY10Detection *box = &list->items[i];

    if (!box->tracked)
      continue;
    self->objects[n++] = (GstY10ZoneObject){
      .id = box->track_id,
      .x0 = box->x0 / width,
      .y0 = box->y0 / height,
      .x1 = box->x1 / width,
      .y1 = box->y1 / height,
      .confidence = box->confidence,
      .label = box->label,
      .label_length = box->label_length,
    };
    set_class (&self->reading.tracks, &self->objects[n - 1]);
  }
  self->n_without_ids = n || !list->n ? 0 : self->n_without_ids + 1;
  return n;
}

static void
warn_ids (GstYolov10Zones *self)
{
  if (self->warned_ids || self->n_without_ids < MAX_WITHOUT_IDS)
    return;
  self->warned_ids = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("No object has an identity, so nothing happens in zones."),
      ("Found objects in %u results and an id in none; expected a tracker between the "
       "detector and this element.",
          MAX_WITHOUT_IDS));
}

/* Whether the places of the boxes are right. */
static gboolean
check_places (GstYolov10Zones *self)
{
  if (!self->reading.moved && !self->reading.foreign_width)
    return TRUE;
  if (!self->warned_moved)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Objects are not watched: an element downstream of the detector changed the "
         "picture."),
        ("It cropped, rotated, padded or distorted it without moving the boxes. Move "
         "the detector, or this element, so that both see the same picture. "
         "This is reported only once."));
  self->warned_moved = TRUE;
  return FALSE;
}

static gboolean
check_time (GstYolov10Zones *self, GstBuffer *buffer)
{
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    return TRUE;
  if (!self->warned_time)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Objects are not watched: frames have no timestamps."),
        ("Found a frame without PTS; expected them on all. This is reported only "
         "once."));
  self->warned_time = TRUE;
  return FALSE;
}

/* Call with the lock held. @is_placed: whether the boxes are where the objects are. */
static void
watch (GstYolov10Zones *self, GstBuffer *buffer, gboolean is_placed)
{
  const GstY10Result *result = &self->reading.result;
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  GstY10Observation observation = GST_Y10_OBSERVATION_NONE;
  GstClockTime time;

  if (is_placed)
    observation = gst_y10_observations_take (&self->observed, result->state,
        pts, result->age, &time);
  if (observation == GST_Y10_OBSERVATION_RESTARTED)
    gst_y10_zones_end (self->zones);
  if (observation != GST_Y10_OBSERVATION_NONE)
    gst_y10_zones_observe (self->zones, time, self->objects,
        find_objects (self));
  else if (pts > GST_Y10_ZONES_SLACK)
    gst_y10_zones_advance (self->zones, pts - GST_Y10_ZONES_SLACK);
}

static void
add_stay (const GstY10Zone *zone, guint64 id, GstClockTime stay, gpointer user)
{
  GstYolov10Zones *self = user;
  GString *const texts[] = { self->violations, self->stays };
  gchar seconds[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < 2; i++) {
    g_string_append_printf (texts[i],
        "%c{\"object_id\":%" G_GUINT64_FORMAT ",\"zone_id\":",
        texts[i]->len ? ',' : '[', id);
    gst_y10_text_append_json (texts[i], zone->name);
  }
  g_string_append_printf (self->stays, ",\"dwell_time\":%s}",
      g_ascii_formatd (seconds, sizeof seconds, "%.3f",
          (gdouble) stay / GST_SECOND));
  g_string_append_c (self->violations, '}');
}

/* Adds what was added to @text to the array in a field, which elements upstream may have
 * begun. */
static void
set_array (GstStructure *structure, const gchar *name, GString *text)
{
  const gchar *before = gst_structure_get_string (structure, name);

  if (!text->len)
    return;
  if (before && g_str_has_prefix (before, "[{")
      && g_str_has_suffix (before, "}]")) {
    text->str[0] = ',';
    g_string_insert_len (text, 0, before, (gssize) strlen (before) - 1);
  }
  g_string_append_c (text, ']');
  gst_structure_set (structure, name, G_TYPE_STRING, text->str, NULL);
  g_string_truncate (text, 0);
}

/* Call with the lock held. */
static void
write_zones (GstYolov10Zones *self, GstBuffer *buffer, guint width,
    guint height)
{
  const GstY10ZoneSet *set = gst_y10_zones_get_set (self->zones);
  GstYolov10Zone zones[GST_Y10_MAX_ZONES];
  guint32 name_offset = 0;
  GstStructure *structure;

  if (!set->n)
    return;
  for (guint i = 0; i < set->n; i++) {
    const GstY10ZoneCount *count = gst_y10_zones_get_count (self->zones, i);

    zones[i] = (GstYolov10Zone){
      .name_offset = name_offset,
      .n_shapes = set->zones[i].n_shapes,
      .count = count->count,
      .limit = set->zones[i].limit,
      .n_in = count->n_in,
      .n_out = count->n_out,
    };
    name_offset += (guint32) strlen (set->zones[i].name) + 1;
  }
  structure = gst_y10_zone_meta_open (buffer, GST_OBJECT_NAME (self), width,
      height);
  gst_y10_zone_meta_write (structure, &self->outlines, zones, set->n);
  gst_y10_zones_foreach_stay (self->zones, add_stay, self);
  set_array (structure, "zone_violations", self->violations);
  set_array (structure, "dwell_times", self->stays);
  set_array (structure, "tripwire_crossings", self->crossings);
}

/* Once there are results, detectors have their models. */
static void
check_classes (GstYolov10Zones *self)
{
  g_autofree gchar *models = NULL;
  g_auto (GStrv)
      classes = gst_y10_classes_ask (GST_BASE_TRANSFORM_SINK_PAD (self),
          &models);
  g_autoptr (GError) error = NULL;

  self->unchecked = FALSE;
  if (classes
      && !gst_y10_zone_set_check_classes (gst_y10_zones_get_set (self->zones),
          "zones", (const gchar *const *) classes, models, &error))
    GST_Y10_ELEMENT_WARNING (self, error);
}

/* Watches the objects of @buffer, which is writable, and adds what is known. */
void
gst_y10_zones_frame (GstYolov10Zones *self, GstBuffer *buffer)
{
  gboolean is_timed, is_placed;
  guint width, height;

  find_size (self, buffer, &width, &height);
  gst_y10_reading_collect (&self->reading, buffer, MAX (width, 1),
      MAX (height, 1));
  is_timed = check_time (self, buffer);
  is_placed = check_places (self);
  gst_y10_zones_find_latency (self);
  g_mutex_lock (&self->lock);
  g_string_truncate (self->crossings, 0);
  if (is_timed)
    watch (self, buffer, is_placed);
  write_zones (self, buffer, width, height);
  gst_y10_zones_arm (self);
  g_mutex_unlock (&self->lock);
  warn_ids (self);
  if (self->unchecked && self->observed.any)
    check_classes (self);
  gst_y10_zones_tell (self);
}
