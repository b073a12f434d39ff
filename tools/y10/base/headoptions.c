/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The options that say which of the network's boxes count, with the same names and limits in
 * every command that has them. What --classes names depends on the command. */

#include "config.h"

#include "base/headoptions.h"
#include "base/options.h"

void
tool_head_options_add (GOptionContext *context, ToolHeadOptions *options,
    double confidence, const char *confidence_help)
{
  const Y10HeadParams defaults = Y10_HEAD_PARAMS_INIT;
  const GOptionEntry entries[] = { { "confidence", 'c', 0, G_OPTION_ARG_DOUBLE,
                                       &options->confidence, confidence_help,
                                       "C" },
    { "classes", 0, 0, G_OPTION_ARG_STRING, &options->classes,
        "Only these classes: names or numbers, comma-separated", "LIST" },
    { "max-detections", 0, 0, G_OPTION_ARG_INT, &options->max_detections,
        "Maximum number of objects per picture or frame, 1 to 300 [300]", "N" },
    { "iou", 0, 0, G_OPTION_ARG_DOUBLE, &options->iou,
        "Heads with NMS: how much boxes of a class may overlap, 0 to 1 [0.7]",
        "IOU" },
    { "class-agnostic-nms", 0, 0, G_OPTION_ARG_NONE, &options->class_agnostic,
        "Heads with NMS: also compare boxes of different classes", NULL },
    { NULL } };

  *options = (ToolHeadOptions){
    .confidence = confidence,
    .iou = (double) defaults.iou,
    .max_detections = (int) defaults.max_detections,
  };
  g_option_context_add_main_entries (context, entries, NULL);
}

void
tool_head_options_clear (ToolHeadOptions *options)
{
  g_clear_pointer (&options->classes, g_free);
}

gboolean
tool_head_options_check (const ToolHeadOptions *options, guint most)
{
  return tool_check_range ("--confidence", options->confidence, 0, 1)
      && tool_check_range ("--max-detections", options->max_detections, 1, most)
      && tool_check_range ("--iou", options->iou, 0, 1);
}

void
tool_head_options_apply (const ToolHeadOptions *options, Y10HeadParams *params)
{
  params->confidence = (gfloat) options->confidence;
  params->iou = (gfloat) options->iou;
  params->max_detections = (guint) options->max_detections;
  params->class_agnostic = options->class_agnostic;
}
