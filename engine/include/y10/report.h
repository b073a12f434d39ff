/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/detection.h>
#include <y10/model.h>

G_BEGIN_DECLS

/**
 * Y10Report:
 * @size: sizeof (Y10Report)
 * @source: name of the picture's source, UTF-8
 * @timestamp: timestamp of the picture, nanoseconds; -1: none
 * @width: width of the picture, pixels
 * @height: height of the picture, pixels
 * @inference: (nullable): "held" if the detections are those of an earlier
 *   picture, "skipped" if no picture was inferred; %NULL for "fresh"
 * @detections: (array length=n_detections): the detections, borrowed
 * @n_detections: number of detections
 * @ids: (array length=n_detections) (nullable): ids of the detections; %NULL for
 *   0, 1, 2, …
 * @labels: (array length=n_detections) (nullable): class names of the detections;
 *   %NULL for those of the model. Since 0.2
 *
 * Input of y10_report_to_json(). Set all other fields to zero.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  const char *source;
  gint64 timestamp;
  guint width, height;
  const char *inference;
  const Y10Detection *detections;
  guint n_detections;
  const gint *ids;
  const char *const *labels;
} Y10Report;

/**
 * Y10PixelBox:
 * @x: left edge
 * @y: upper edge
 * @w: width, at least 1
 * @h: height, at least 1
 *
 * A box in whole pixels, inside its picture.
 *
 * Since: 0.1
 */
typedef struct
{
  gint x, y, w, h;
} Y10PixelBox;

Y10_API char *y10_report_to_json (const Y10Model *model,
    const Y10Report *report);
Y10_API void y10_detection_to_pixels (const Y10Detection *detection,
    guint width, guint height, Y10PixelBox *box);

G_END_DECLS
