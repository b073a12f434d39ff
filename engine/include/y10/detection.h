/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Y10Detection:
 * @x0: left edge, source pixels, 0 to the image's width
 * @y0: upper edge, source pixels, 0 to the image's height
 * @x1: right edge, source pixels
 * @y1: lower edge, source pixels
 * @confidence: 0 to 1
 * @class_id: index of the class, 0 to the number of the model's classes - 1
 * @anchor: index of the grid cell that predicted the box; the stride-8 grid
 *   comes first, row by row, then stride 16, then stride 32
 *
 * A detected object. The detections of an image are sorted by confidence,
 * highest first, then by anchor, then by class. Applications keep arrays of this
 * struct, so its size never changes.
 *
 * Since: 0.1
 */
typedef struct
{
  gfloat x0, y0, x1, y1;
  gfloat confidence;
  gint32 class_id;
  guint32 anchor;
} Y10Detection;

/**
 * Y10HeadParams:
 * @size: sizeof (Y10HeadParams)
 * @confidence: minimum confidence of a detection, 0 to 1
 * @iou: maximum IoU of two boxes, 0 to 1; NMS drops the one with the lower
 *   confidence if they overlap more. Heads with NMS only
 * @class_agnostic: whether NMS compares boxes of different classes, too. Heads
 *   with NMS only
 * @max_detections: maximum number of detections of the image, 1 to the engine's
 * @classes: (nullable): one byte per class, non-zero for the classes to detect;
 *   %NULL for all. Copied by y10_step_add(). Other classes do not count towards
 *   @max_detections. Where only the best class of an anchor counts, it is chosen
 *   among all classes
 * @class_confidence: (nullable): minimum confidence per class, 0 to 1, in place
 *   of @confidence; a negative value selects @confidence; %NULL for none.
 *   Copied by y10_step_add(). Since 0.2
 * @min_width: minimum width of a box, pixels of the image; a value up to 1 is a
 *   fraction of the image's width; 0: no limit. Since 0.2
 * @min_height: minimum height, likewise. Since 0.2
 * @max_width: maximum width, likewise. Since 0.2
 * @max_height: maximum height, likewise. Since 0.2
 *
 * Parameters of the head for one image. They belong to the image and not to the
 * engine, so streams with different settings can share an engine.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  gfloat confidence;
  gfloat iou;
  gboolean class_agnostic;
  guint max_detections;
  const guint8 *classes;
  const gfloat *class_confidence;
  gfloat min_width, min_height, max_width, max_height;
} Y10HeadParams;

/**
 * Y10_HEAD_PARAMS_INIT:
 *
 * Initializer with the defaults: confidence 0.25, IoU 0.7, 300 detections, all
 * classes and sizes.
 */
/* clang-format off */
#define Y10_HEAD_PARAMS_INIT { sizeof (Y10HeadParams), 0.25f, 0.7f, FALSE, 300, NULL, \
    NULL, 0, 0, 0, 0 }
/* clang-format on */

G_END_DECLS
