/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Builds the graph of a YOLO11: y10_yolo11_connect () connects the modules as
 * the models' yaml file does. Its head is YOLOv10's with one2many alone, unless it was
 * trained end to end. */

#include "config.h"

#include "model/yolo11.h"

void
y10_yolo11_connect (Y10Modules *m, gboolean sppf_has_residual, Y10Graph *out)
{
  Y10View *l = out->layer;

  l[0] = y10_module_conv (m, y10_graph_builder_input (m->graph), "model.0",
      Y10_CONV (.stride = 2));
  l[1] = y10_module_conv (m, l[0], "model.1", Y10_CONV (.stride = 2));
  l[2] = y10_module_c2f (m, l[1], "model.2", TRUE);
  l[3] = y10_module_conv (m, l[2], "model.3", Y10_CONV (.stride = 2));
  l[4] = y10_module_c2f (m, l[3], "model.4", TRUE);
  l[5] = y10_module_conv (m, l[4], "model.5", Y10_CONV (.stride = 2));
  l[6] = y10_module_c2f (m, l[5], "model.6", TRUE);
  l[7] = y10_module_conv (m, l[6], "model.7", Y10_CONV (.stride = 2));
  l[8] = y10_module_c2f (m, l[7], "model.8", TRUE);
  l[9] = y10_module_sppf (m, l[8], "model.9", sppf_has_residual);
  l[10] = y10_module_c2psa (m, l[9], "model.10");

  l[11] = y10_module_upsample2x (m, l[10], "model.11");
  l[12] = y10_module_concat (m, l[11], l[6]);
  l[13] = y10_module_c2f (m, l[12], "model.13", TRUE);
  l[14] = y10_module_upsample2x (m, l[13], "model.14");
  l[15] = y10_module_concat (m, l[14], l[4]);
  l[16] = y10_module_c2f (m, l[15], "model.16", TRUE);
  l[17] = y10_module_conv (m, l[16], "model.17", Y10_CONV (.stride = 2));
  l[18] = y10_module_concat (m, l[17], l[13]);
  l[19] = y10_module_c2f (m, l[18], "model.19", TRUE);
  l[20] = y10_module_conv (m, l[19], "model.20", Y10_CONV (.stride = 2));
  l[21] = y10_module_concat (m, l[20], l[10]);
  l[22] = y10_module_c2f (m, l[21], "model.22", TRUE);
  y10_module_detect (m, (Y10View[]){ l[16], l[19], l[22] }, "model.23", out);
}

static void
network (Y10Modules *m, Y10Graph *out)
{
  y10_yolo11_connect (m, FALSE, out);
}

static gboolean
probe (const Y10TensorFile *file)
{
  return y10_tensor_file_find (file, "model.10.m.0.attn.qkv.conv.weight")
      != NULL;
}

static const Y10Variant variants[] = { { "yolo11n", 16, 256, 1 },
  { "yolo11s", 32, 512, 1 }, { "yolo11m", 64, 512, 1 },
  { "yolo11l", 64, 512, 2 }, { "yolo11x", 96, 768, 2 }, { NULL, 0, 0, 0 } };

const Y10Structure y10_structure_yolo11 = {
  .title = "YOLO11",
  .head = "model.23",
  .head_class = "Detect",
  .n_layers = 23,
  .probe = probe,
  .network = network,
  .last = 10,
  .variants = variants,
  .custom = "yolo11 (custom)",
};
