/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads the options that say which boxes count and what of a frame is inferred. A wrong
 * one is an error that names the option. */

#include "config.h"

#include <string.h>

#include "base/terminal.h"
#include "detect/rules.h"

gboolean
tool_rules_read_limits (const ToolRules *rules, const Y10Model *model,
    gfloat **confidence, Y10HeadParams *params)
{
  g_autoptr (GError) error = NULL;

  if (rules->class_confidence) {
    *confidence = g_new (gfloat, y10_model_get_n_classes (model));
    params->class_confidence = *confidence;
    y10_model_parse_class_confidence (model, rules->class_confidence,
        *confidence, &error);
    if (error)
      g_prefix_error (&error, "--class-confidence: ");
  }
  if (!error && rules->min_size
      && !y10_size_limit_parse (rules->min_size, &params->min_width,
          &params->min_height, &error))
    g_prefix_error (&error, "--min-size: ");
  if (!error && rules->max_size
      && !y10_size_limit_parse (rules->max_size, &params->max_width,
          &params->max_height, &error))
    g_prefix_error (&error, "--max-size: ");
  if (!error)
    return TRUE;
  tool_error ("%s", error->message);
  return FALSE;
}

static gboolean
read_anchor (const char *text, Y10RegionAnchor *anchor, GError **error)
{
  *anchor = Y10_REGION_ANCHOR_BOTTOM;
  if (!text || !strcmp (text, "bottom"))
    return TRUE;
  *anchor = Y10_REGION_ANCHOR_OVERLAP;
  if (!strcmp (text, "overlap"))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "it is \"%s\"; expected bottom or overlap", text);
  return FALSE;
}

gboolean
tool_rules_read_parts (const ToolRules *rules, Y10Tiles *tiles,
    ToolParts *parts)
{
  g_autoptr (GError) error = NULL;

  if (rules->region
      && !(parts->region = y10_region_parse (rules->region, &error)))
    g_prefix_error (&error, "--region: ");
  if (!error && !read_anchor (rules->region_anchor, &parts->anchor, &error))
    g_prefix_error (&error, "--region-anchor: ");
  if (!error && rules->tiles && *rules->tiles) {
    tiles->size = sizeof *tiles;
    if (!y10_tiles_parse (rules->tiles, tiles, &error))
      g_prefix_error (&error, "--tiles: ");
    tiles->overlap = rules->tile_overlap;
    parts->tiles = tiles;
  }
  if (!error)
    return TRUE;
  tool_error ("%s", error->message);
  return FALSE;
}
