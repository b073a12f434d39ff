/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Builds the graph of a YOLO26: YOLO11's modules, but SPPF has a residual, the last
 * C3k2 has attention, as its weights show, and the head, with one2one and one2many,
 * is without DFL. */

#include "config.h"

#include "model/yolo11.h"

static void
network (Y10Modules *m, Y10Graph *out)
{
  y10_yolo11_connect (m, TRUE, out);
}

static gboolean
probe (const Y10TensorFile *file)
{
  return y10_tensor_file_find (file, "model.22.m.0.1.attn.qkv.conv.weight")
      != NULL;
}

static const Y10Variant variants[] = { { "yolo26n", 16, 256, 1 },
  { "yolo26s", 32, 512, 1 }, { "yolo26m", 64, 512, 1 },
  { "yolo26l", 64, 512, 2 }, { "yolo26x", 96, 768, 2 }, { NULL, 0, 0, 0 } };

const Y10Structure y10_structure_yolo26 = {
  .title = "YOLO26",
  .head = "model.23",
  .head_class = "Detect",
  .n_layers = 23,
  .probe = probe,
  .network = network,
  .last = 10,
  .variants = variants,
  .custom = "yolo26 (custom)",
};
