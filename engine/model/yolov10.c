/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Builds the graph of a YOLOv10 (Wang et al., 2024, arXiv:2405.14458):
 * network () connects the modules as the models' yaml files do. What only
 * this family has is here; modules.c has the rest. */

#include "config.h"

#include "model/structure.h"

/* SCDown, spatial-channel decoupled downsampling (§3.2): a pointwise
 * convolution, then a depthwise 3×3 of stride 2 without activation. */
static Y10View
scdown (Y10Modules *m, Y10View x, const char *module)
{
  x = y10_module_conv_in (m, x, module, "cv1", Y10_CONV ());
  return y10_module_conv_in (m, x, module, "cv2",
      Y10_CONV (.stride = 2, .depthwise = TRUE, .linear = TRUE));
}

/* PSA, partial self-attention (§3.3): one half of the channels is passed
 * through, the other half goes through a block with attention. */
static Y10View
psa (Y10Modules *m, Y10View x, const char *module)
{
  x = y10_module_conv_in (m, x, module, "cv1", Y10_CONV (.halves = TRUE));
  if (y10_graph_builder_failed (m->graph))
    return x;
  y10_module_psa_block (m, y10_module_part (x, 1), module);
  return y10_module_conv_in (m, x, module, "cv2", Y10_CONV ());
}

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
  l[5] = scdown (m, l[4], "model.5");
  l[6] = y10_module_c2f (m, l[5], "model.6", TRUE);
  l[7] = scdown (m, l[6], "model.7");
  l[8] = y10_module_c2f (m, l[7], "model.8", TRUE);
  l[9] = y10_module_sppf (m, l[8], "model.9", FALSE);
  l[10] = psa (m, l[9], "model.10");

  l[11] = y10_module_upsample2x (m, l[10], "model.11");
  l[12] = y10_module_concat (m, l[11], l[6]);
  l[13] = y10_module_c2f (m, l[12], "model.13", FALSE);
  l[14] = y10_module_upsample2x (m, l[13], "model.14");
  l[15] = y10_module_concat (m, l[14], l[4]);
  l[16] = y10_module_c2f (m, l[15], "model.16", FALSE);
  l[17] = y10_module_conv (m, l[16], "model.17", Y10_CONV (.stride = 2));
  l[18] = y10_module_concat (m, l[17], l[13]);
  l[19] = y10_module_c2f (m, l[18], "model.19", FALSE);
  l[20] = scdown (m, l[19], "model.20");
  l[21] = y10_module_concat (m, l[20], l[10]);
  l[22] = y10_module_c2f (m, l[21], "model.22", FALSE);
  y10_module_detect (m, (Y10View[]){ l[16], l[19], l[22] }, "model.23", out);
}

/* The families that other files build have more specific tensors. */
static gboolean
probe (const Y10TensorFile *file)
{
  return y10_structure_has_head (&y10_structure_yolov10, file, Y10_HEAD_ONE2ONE)
      || y10_structure_has_head (&y10_structure_yolov10, file,
          Y10_HEAD_ONE2MANY);
}

static const Y10Variant variants[] = { { "yolov10n", 16, 256, 2 },
  { "yolov10s", 32, 512, 2 }, { "yolov10m", 48, 576, 4 },
  { "yolov10b", 64, 512, 4 }, { "yolov10l", 64, 512, 6 },
  { "yolov10x", 80, 640, 6 }, { NULL, 0, 0, 0 } };

const Y10Structure y10_structure_yolov10 = {
  .title = "YOLOv10",
  .head = "model.23",
  .head_class = "v10Detect",
  .n_layers = 23,
  .probe = probe,
  .network = network,
  .last = 10,
  .variants = variants,
  .custom = "yolov10 (custom)",
};
