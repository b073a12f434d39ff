/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What a picture shows, as one line of JSON. It has the members of DL Streamer's
 * gvametaconvert, so that what reads one reads the other; fractions of the
 * picture carry all their digits, whole pixels are rounded and stay inside it.
 * Everybody who tells others what was found says it in these words. */

#include "config.h"

#include <json-glib/json-glib.h>
#include <y10/report.h>

static void
add_string (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_int (JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_double (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
begin_object (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
}

/**
 * y10_detection_to_pixels:
 * @detection: a box
 * @width: of its picture, pixels
 * @height: of its picture, pixels
 * @box: (out caller-allocates): the nearest whole pixels
 *
 * Rounds a box so that it stays inside the picture and is at least a pixel
 * large.
 *
 * Since: 0.1
 */
void
y10_detection_to_pixels (const Y10Detection *detection, guint width,
    guint height, Y10PixelBox *box)
{
  const int w = (int) width, h = (int) height;

  box->x = CLAMP ((int) (detection->x0 + 0.5f), 0, w - 1);
  box->y = CLAMP ((int) (detection->y0 + 0.5f), 0, h - 1);
  box->w = CLAMP ((int) (detection->x1 + 0.5f), box->x + 1, w) - box->x;
  box->h = CLAMP ((int) (detection->y1 + 0.5f), box->y + 1, h) - box->y;
}

static void
add_detection (JsonBuilder *builder, const char *label,
    const Y10Report *report, const Y10Detection *row)
{
  const double width = report->width, height = report->height;

  begin_object (builder, "detection");
  begin_object (builder, "bounding_box");
  add_double (builder, "x_min", row->x0 / width);
  add_double (builder, "y_min", row->y0 / height);
  add_double (builder, "x_max", row->x1 / width);
  add_double (builder, "y_max", row->y1 / height);
  json_builder_end_object (builder);
  add_double (builder, "confidence", row->score);
  add_string (builder, "label", label);
  add_int (builder, "label_id", row->class_id);
  json_builder_end_object (builder);
}

static void
add_object (JsonBuilder *builder, const Y10Model *model,
    const Y10Report *report, guint i)
{
  const Y10Detection *row = &report->detections[i];
  const char *label = y10_model_get_class_name (model, (guint) row->class_id);
  Y10PixelBox box;

  y10_detection_to_pixels (row, report->width, report->height, &box);
  json_builder_begin_object (builder);
  add_detection (builder, label, report, row);
  add_int (builder, "x", box.x);
  add_int (builder, "y", box.y);
  add_int (builder, "w", box.w);
  add_int (builder, "h", box.h);
  add_string (builder, "roi_type", label);
  add_int (builder, "id", report->ids ? report->ids[i] : (gint64) i);
  json_builder_end_object (builder);
}

/**
 * y10_report_to_json:
 * @model: whose classes they are
 * @report: what was found
 *
 * Returns: (transfer full): one JSON object without a newline; free with
 *   g_free()
 *
 * Since: 0.1
 */
char *
y10_report_to_json (const Y10Model *model, const Y10Report *report)
{
  JsonBuilder *builder = json_builder_new ();
  JsonGenerator *generator = json_generator_new ();
  JsonNode *root;
  char *text;

  json_builder_begin_object (builder);
  add_string (builder, "source", report->source);
  if (report->timestamp >= 0) {
    add_int (builder, "timestamp", report->timestamp);
  } else {
    json_builder_set_member_name (builder, "timestamp");
    json_builder_add_null_value (builder);
  }
  begin_object (builder, "resolution");
  add_int (builder, "width", report->width);
  add_int (builder, "height", report->height);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "objects");
  json_builder_begin_array (builder);
  for (guint i = 0; i < report->n_detections; i++)
    add_object (builder, model, report, i);
  json_builder_end_array (builder);
  add_string (builder, "inference",
      report->inference ? report->inference : "fresh");
  json_builder_end_object (builder);

  root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  text = json_generator_to_data (generator, NULL);
  json_node_unref (root);
  g_object_unref (generator);
  g_object_unref (builder);
  return text;
}
