/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* COCO's annotations number 90 categories, of which 80 have objects. Models have 80 classes,
 * so programs that compare their results with COCO's annotations translate the numbers. */

#include "config.h"

#include <string.h>

#include "base/coco.h"

static const char *const classes[] = { "person", "bicycle", "car", "motorcycle",
  "airplane", "bus", "train", "truck", "boat", "traffic light", "fire hydrant",
  "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep",
  "cow", "elephant", "bear", "zebra", "giraffe", "backpack", "umbrella",
  "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard", "sports ball",
  "kite", "baseball bat", "baseball glove", "skateboard", "surfboard",
  "tennis racket", "bottle", "wine glass", "cup", "fork", "knife", "spoon",
  "bowl", "banana", "apple", "sandwich", "orange", "broccoli", "carrot",
  "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed",
  "dining table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard",
  "cell phone", "microwave", "oven", "toaster", "sink", "refrigerator", "book",
  "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush" };

/* Numbers that stand for no class. */
static const guint8 gaps[] = { 12, 26, 29, 30, 45, 66, 68, 69, 71, 83 };

guint
y10_coco_id (const char *const *names, guint n, guint index)
{
  guint id = index + 1;

  if (n != G_N_ELEMENTS (classes))
    return id;
  for (guint i = 0; i < n; i++)
    if (strcmp (names[i], classes[i]) != 0)
      return id;
  for (guint i = 0; i < G_N_ELEMENTS (gaps) && gaps[i] <= id; i++)
    id++;
  return id;
}
