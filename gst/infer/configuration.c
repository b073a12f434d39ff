/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The configuration of yolov10detect: what its properties say, and what is made
 * from them once a change. Setting a property makes another configuration, so a
 * frame, a job and a session each keep the one that they came with by a
 * reference. Only what names classes is not resolved here, since it depends on
 * the model. */
#include "infer/configuration.h"

/* Returns a copy, to be changed and then finished, before anyone else sees it. */
GstY10Config *
gst_y10_config_copy (const GstY10Config *from)
{
  GstY10Config *self = gst_y10_settings_copy (from);

  if (self->part_rules)
    gst_y10_part_rules_ref (self->part_rules);
  return self;
}

/* Drops what is made from the properties. */
void
gst_y10_config_clear (gpointer config)
{
  GstY10Config *self = config;

  gst_y10_part_rules_unref (self->part_rules);
}

static GstY10PartSettings
part_settings (const GstY10Config *self)
{
  return (GstY10PartSettings){
    .tiles = self->text.tiles,
    .tile_overlap = self->tile_overlap,
    .region = self->text.region,
    .anchor = self->region_anchor,
    .roi_source = self->roi_source,
    .roi_type = self->text.roi_type,
  };
}

/* The parts of equal settings are the same, so a change of anything else keeps
 * the rules, whose memory is large. */
static gboolean
has_parts_of (const GstY10Config *self, const GstY10Config *from)
{
  return self->tile_overlap == from->tile_overlap
      && self->region_anchor == from->region_anchor
      && self->roi_source == from->roi_source
      && !g_strcmp0 (self->text.tiles, from->text.tiles)
      && !g_strcmp0 (self->text.region, from->text.region)
      && !g_strcmp0 (self->text.roi_type, from->text.roi_type);
}

static gboolean
parse_size (const gchar *property, const gchar *text, gfloat *width,
    gfloat *height, GError **error)
{
  gfloat found[2];

  if (!y10_size_limit_parse (text ? text : "", &found[0], &found[1], error)) {
    g_prefix_error (error, "%s: ", property);
    return FALSE;
  }
  *width = found[0];
  *height = found[1];
  return TRUE;
}

/* Makes what depends on the values that differ from those of @from. Returns FALSE
 * if one of these is bad; then @self still has what was made for @from. */
gboolean
gst_y10_config_finish (GstY10Config *self, const GstY10Config *from,
    GError **error)
{
  const GstY10PartSettings parts = part_settings (self);
  Y10HeadParams *params = &self->params;
  GstY10PartRules *rules;

  params->size = sizeof *params;
  params->confidence = (gfloat) self->confidence;
  params->iou = (gfloat) self->iou_threshold;
  params->class_agnostic = self->class_agnostic;
  params->max_detections = self->max_detections;
  if (g_strcmp0 (self->text.min_size, from->text.min_size)
      && !parse_size ("min-size", self->text.min_size, &params->min_width,
          &params->min_height, error))
    return FALSE;
  if (g_strcmp0 (self->text.max_size, from->text.max_size)
      && !parse_size ("max-size", self->text.max_size, &params->max_width,
          &params->max_height, error))
    return FALSE;
  if (has_parts_of (self, from))
    return TRUE;
  if (!gst_y10_part_rules_new (&parts, GST_Y10_MAX_JOBS, &rules, error))
    return FALSE;
  gst_y10_part_rules_unref (self->part_rules);
  self->part_rules = rules;
  return TRUE;
}

/* Returns FALSE if any value is bad, whatever the model and the frames. */
gboolean
gst_y10_config_check (const GstY10Config *self, GError **error)
{
  const GstY10PartSettings parts = part_settings (self);
  g_autoptr (GstY10PartRules) rules = NULL;
  gfloat width, height;

  return parse_size ("min-size", self->text.min_size, &width, &height, error)
      && parse_size ("max-size", self->text.max_size, &width, &height, error)
      && gst_y10_part_rules_new (&parts, GST_Y10_MAX_JOBS, &rules, error);
}

/* Returns FALSE if frames like @image would have too many parts; width 0 means
 * that they are not known. Their number does not depend on the size of the
 * network's input when it is too large. */
gboolean
gst_y10_config_suits (const GstY10Config *self, const Y10Image *image,
    GError **error)
{
  guint n;

  return !self->part_rules || !image->width
      || gst_y10_part_rules_count (self->part_rules, image, 32, 32, &n, error);
}
