/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Builds the graph of a YOLOv8: network () connects the modules as the models'
 * yaml file does. There is no attention, so the head and all modules behind the
 * backbone have one number less than in the later families. */

#include "config.h"

#include "model/structure.h"

static void
network (Y10Modules *m, Y10Graph *out)
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
  l[9] = y10_module_sppf (m, l[8], "model.9", FALSE);

  l[10] = y10_module_upsample2x (m, l[9], "model.10");
  l[11] = y10_module_concat (m, l[10], l[6]);
  l[12] = y10_module_c2f (m, l[11], "model.12", FALSE);
  l[13] = y10_module_upsample2x (m, l[12], "model.13");
  l[14] = y10_module_concat (m, l[13], l[4]);
  l[15] = y10_module_c2f (m, l[14], "model.15", FALSE);
  l[16] = y10_module_conv (m, l[15], "model.16", Y10_CONV (.stride = 2));
  l[17] = y10_module_concat (m, l[16], l[12]);
  l[18] = y10_module_c2f (m, l[17], "model.18", FALSE);
  l[19] = y10_module_conv (m, l[18], "model.19", Y10_CONV (.stride = 2));
  l[20] = y10_module_concat (m, l[19], l[9]);
  l[21] = y10_module_c2f (m, l[20], "model.21", FALSE);
  y10_module_detect (m, (Y10View[]){ l[15], l[18], l[21] }, "model.22", out);
}

static gboolean
probe (const Y10TensorFile *file)
{
  return y10_structure_has_head (&y10_structure_yolov8, file, Y10_HEAD_ONE2MANY)
      || y10_structure_has_head (&y10_structure_yolov8, file, Y10_HEAD_ONE2ONE);
}

static const Y10Variant variants[] = { { "yolov8n", 16, 256, 2 },
  { "yolov8s", 32, 512, 2 }, { "yolov8m", 48, 576, 4 },
  { "yolov8l", 64, 512, 6 }, { "yolov8x", 80, 640, 6 }, { NULL, 0, 0, 0 } };

const Y10Structure y10_structure_yolov8 = {
  .title = "YOLOv8",
  .head = "model.22",
  .head_class = "Detect",
  .n_layers = 22,
  .probe = probe,
  .network = network,
  .last = 9,
  .variants = variants,
  .custom = "yolov8 (custom)",
};
