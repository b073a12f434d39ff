/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The properties that select parts of frames: tiles, region and so on. A change
 * makes new rules, which the next frame takes; frames in the queue keep theirs.
 * While running, a bad value changes nothing and posts a warning. Before that,
 * nobody may see a warning, so start() fails. Values that are bad for frames of
 * one size only are an error when such frames come. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/partprops.h"

#include "common/elementerror.h"
#include "detect/element.h"
#include "detect/props.h"

void
gst_y10_part_props_init (GstYolov10Detect * self)
{
  g_mutex_init (&self->part_lock);
  self->part_settings.tile_overlap = Y10_TILES_DEFAULT_OVERLAP;
}

void
gst_y10_part_props_clear (GstYolov10Detect * self)
{
  g_clear_pointer (&self->part_settings.tiles, g_free);
  g_clear_pointer (&self->part_settings.region, g_free);
  g_clear_pointer (&self->part_settings.roi_type, g_free);
  g_clear_pointer (&self->part_rules, gst_y10_part_rules_unref);
  g_mutex_clear (&self->part_lock);
}

/* Returns a new reference, or NULL if frames are inferred as a whole. */
GstY10PartRules *
gst_y10_part_props_get_rules (GstYolov10Detect * self)
{
  GstY10PartRules *rules;

  GST_OBJECT_LOCK (self);
  rules = self->part_rules ? gst_y10_part_rules_ref (self->part_rules) : NULL;
  GST_OBJECT_UNLOCK (self);
  return rules;
}

/* The number of parts does not depend on the size of the network's input when
 * it is too large. */
static gboolean
suits_frames (GstYolov10Detect * self, const GstY10PartRules * rules,
    GError ** error)
{
  guint n;

  return !rules || !self->part_image.width
      || gst_y10_part_rules_count (rules, &self->part_image, 32, 32, &n,
      error);
}

/* Call with the part lock held. Takes ownership of @rules. */
static void
swap_rules (GstYolov10Detect * self, GstY10PartRules * rules)
{
  GstY10PartRules *old;

  GST_OBJECT_LOCK (self);
  old = self->part_rules;
  self->part_rules = rules;
  GST_OBJECT_UNLOCK (self);
  gst_y10_part_rules_unref (old);
}

/* Call with the part lock held. On error nothing changes. */
static gboolean
use (GstYolov10Detect * self, const GstY10PartSettings * settings,
    GError ** error)
{
  GstY10PartRules *rules = NULL;

  if (gst_y10_part_rules_new (settings, GST_Y10_MAX_JOBS, &rules, error)
      && suits_frames (self, rules, error)) {
    swap_rules (self, rules);
    return TRUE;
  }
  gst_y10_part_rules_unref (rules);
  return FALSE;
}

static gboolean
change (GstY10PartSettings * settings, guint id, const GValue * value)
{
  switch (id) {
    case GST_Y10_PROP_TILES:
      settings->tiles = (gchar *) g_value_get_string (value);
      return TRUE;
    case GST_Y10_PROP_TILE_OVERLAP:
      settings->tile_overlap = g_value_get_double (value);
      return TRUE;
    case GST_Y10_PROP_REGION:
      settings->region = (gchar *) g_value_get_string (value);
      return TRUE;
    case GST_Y10_PROP_REGION_ANCHOR:
      settings->anchor = g_value_get_enum (value);
      return TRUE;
    case GST_Y10_PROP_ROI_SOURCE:
      settings->roi_source = g_value_get_enum (value);
      return TRUE;
    case GST_Y10_PROP_ROI_TYPE:
      settings->roi_type = (gchar *) g_value_get_string (value);
      return TRUE;
    default:
      return FALSE;
  }
}

/* Call with the part lock held. */
static void
store (GstYolov10Detect * self, const GstY10PartSettings * settings)
{
  GstY10PartSettings old = self->part_settings;

  GST_OBJECT_LOCK (self);
  self->part_settings = *settings;
  self->part_settings.tiles = g_strdup (settings->tiles);
  self->part_settings.region = g_strdup (settings->region);
  self->part_settings.roi_type = g_strdup (settings->roi_type);
  GST_OBJECT_UNLOCK (self);
  g_free (old.tiles);
  g_free (old.region);
  g_free (old.roi_type);
}

/* Returns FALSE if @id is another property. */
gboolean
gst_y10_part_props_set (GstYolov10Detect * self, guint id,
    const GValue * value)
{
  GstY10PartSettings settings = { 0 };
  GstY10Session *session;
  GError *error = NULL;
  gboolean ok;

  if (!change (&settings, id, value))
    return FALSE;
  session = gst_yolov10_detect_get_session (self);
  g_mutex_lock (&self->part_lock);
  settings = self->part_settings;
  change (&settings, id, value);
  ok = use (self, &settings, &error);
  if (ok || !session)
    store (self, &settings);
  g_mutex_unlock (&self->part_lock);
  if (session && ok) {
    gst_y10_part_props_expect (self, session);
    gst_y10_part_props_warn (self);
  } else if (session)
    GST_Y10_ELEMENT_WARNING (self, error);
  g_clear_error (&error);
  g_clear_pointer (&session, gst_y10_session_unref);
  return TRUE;
}

/* Warns of a property that is set and not used. */
void
gst_y10_part_props_warn (GstYolov10Detect * self)
{
  GstY10PartRules *rules = gst_y10_part_props_get_rules (self);

  if (rules && gst_y10_part_rules_ignore_tiles (rules))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("tiles has no effect: with roi-source=meta only regions of interest "
            "are inferred"), (NULL));
  gst_y10_part_rules_unref (rules);
}

/* Returns FALSE if a property has a bad value. */
gboolean
gst_y10_part_props_check (GstYolov10Detect * self, GError ** error)
{
  gboolean ok;

  g_mutex_lock (&self->part_lock);
  ok = use (self, &self->part_settings, error);
  g_mutex_unlock (&self->part_lock);
  return ok;
}

/* Sets the format and size of the frames to come; NULL: unknown. Returns FALSE
 * if they would have too many parts. */
gboolean
gst_y10_part_props_set_image (GstYolov10Detect * self, const Y10Image * image,
    GError ** error)
{
  gboolean ok;

  g_mutex_lock (&self->part_lock);
  self->part_image = image ? *image : (Y10Image) { 0 };
  ok = suits_frames (self, self->part_rules, error);
  g_mutex_unlock (&self->part_lock);
  return ok;
}

/* Tells the engine how many images will often come together. May wait for a
 * running step. */
void
gst_y10_part_props_expect (GstYolov10Detect * self, GstY10Session * session)
{
  GstY10PartRules *rules = gst_y10_part_props_get_rules (self);
  Y10EngineStream *stream = gst_y10_session_get_stream (session);
  guint width, height, n;
  Y10Image image;

  g_mutex_lock (&self->part_lock);
  image = self->part_image;
  g_mutex_unlock (&self->part_lock);
  if (rules && stream && image.width) {
    y10_engine_get_input_size (y10_engine_stream_get_engine (stream), &width,
        &height);
    if (gst_y10_part_rules_count (rules, &image, width, height, &n, NULL))
      y10_engine_stream_expect_parts (stream, n);
  }
  y10_engine_stream_unref (stream);
  gst_y10_part_rules_unref (rules);
}
