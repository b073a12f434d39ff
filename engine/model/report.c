/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Formats the detections of a picture as one line of JSON, for the tool and
 * the elements. The members are those of DL Streamer's gvametaconvert, so
 * the same parsers read both. Relative coordinates and confidences are
 * printed as float32; coordinates in pixels are rounded and stay within the
 * picture. */

#include "config.h"

#include <y10/report.h>

#include "base/json.h"
#include "base/sized.h"

/**
 * y10_detection_to_pixels:
 * @detection: a detection
 * @width: width of its picture, pixels
 * @height: height of its picture, pixels
 * @box: (out caller-allocates): the box in whole pixels
 *
 * Rounds a box to whole pixels, within the picture and at least one pixel large.
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
add_fraction (GString *json, const char *name, float pixels, guint size)
{
  g_string_append (json, name);
  y10_json_append_float (json, pixels / (float) size);
}

static void
add_object (GString *json, const Y10Model *model, const Y10Report *report,
    guint i)
{
  const Y10Detection *row = &report->detections[i];
  const char *label = report->labels
      ? report->labels[i]
      : y10_model_get_class_name (model, (guint) row->class_id);
  Y10PixelBox box;

  g_string_append (json, "{\"detection\":{\"bounding_box\":{");
  add_fraction (json, "\"x_min\":", row->x0, report->width);
  add_fraction (json, ",\"y_min\":", row->y0, report->height);
  add_fraction (json, ",\"x_max\":", row->x1, report->width);
  add_fraction (json, ",\"y_max\":", row->y1, report->height);
  g_string_append (json, "},\"confidence\":");
  y10_json_append_float (json, row->confidence);
  g_string_append (json, ",\"label\":");
  y10_json_append_string (json, label);
  g_string_append_printf (json, ",\"label_id\":%d}", (int) row->class_id);

  y10_detection_to_pixels (row, report->width, report->height, &box);
  g_string_append_printf (json,
      ",\"x\":%d,\"y\":%d,\"w\":%d,\"h\":%d,"
      "\"roi_type\":",
      box.x, box.y, box.w, box.h);
  y10_json_append_string (json, label);
  g_string_append_printf (json, ",\"id\":%d}",
      report->ids ? report->ids[i] : (gint) i);
}

/**
 * y10_report_to_json:
 * @model: (nullable): the model that provides the class names; %NULL if the report
 *   does
 * @report: the detections of a picture
 *
 * Returns: (transfer full): a JSON object without a newline; free with g_free()
 *
 * Since: 0.1
 */
char *
y10_report_to_json (const Y10Model *model, const Y10Report *report)
{
  Y10Report own = { 0 };
  GString *json;

  g_return_val_if_fail (Y10_SIZED_READ (Y10Report, ids, &own, report, NULL),
      NULL);
  report = &own;
  json = g_string_new ("{\"source\":");
  y10_json_append_string (json, report->source);
  if (report->timestamp >= 0)
    g_string_append_printf (json, ",\"timestamp\":%" G_GINT64_FORMAT,
        report->timestamp);
  else
    g_string_append (json, ",\"timestamp\":null");
  g_string_append_printf (json,
      ",\"resolution\":{\"width\":%u,"
      "\"height\":%u},\"objects\":[",
      report->width, report->height);
  for (guint i = 0; i < report->n_detections; i++) {
    if (i)
      g_string_append_c (json, ',');
    add_object (json, model, report, i);
  }
  g_string_append (json, "],\"inference\":");
  y10_json_append_string (json,
      report->inference ? report->inference : "fresh");
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}
