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
 * @class_id: index of the class, 0 to the model's classes - 1
 * @anchor: index of the grid cell that found it; the stride-8 grid comes
 *   first, row by row, then stride 16, then 32
 *
 * One box. Boxes of an image are ordered by confidence, highest first, then by
 * anchor, then by class. Programs keep arrays of it, so it never changes size.
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
 * @size: set it to sizeof: how the library knows which fields are there
 * @confidence: minimum confidence of a detection, 0 to 1
 * @iou: heads with NMS only: of two boxes that overlap by more than this
 *   (0 to 1) the weaker is dropped
 * @class_agnostic: heads with NMS only: boxes of different classes compete too
 * @max_detections: most detections of the image, 1 to the engine's
 * @classes: (nullable): one byte a class, non-zero where the class is wanted;
 *   %NULL for all. Copied by y10_step_add(). Classes not wanted take no place
 *   among the @max_detections.
 * @class_confidence: (nullable): minimum confidence of each class, 0 to 1, which
 *   replaces @confidence; negative where @confidence holds; %NULL for all.
 *   Copied by y10_step_add(). Since 0.2
 * @min_width: of a box: pixels of the image, or up to 1 a fraction of its width.
 *   0 for no limit. Since 0.2
 * @min_height: likewise
 * @max_width: likewise; 0 for no limit
 * @max_height: likewise
 *
 * What is wanted of one image. It belongs to the image, not to the engine, so
 * that streams with different settings can share an engine.
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
 * The defaults: confidence 0.25, iou 0.7, 300 detections of all classes and
 * sizes.
 */
#define Y10_HEAD_PARAMS_INIT { sizeof (Y10HeadParams), 0.25f, 0.7f, FALSE, 300, NULL, \
    NULL, 0, 0, 0, 0 }

G_END_DECLS
