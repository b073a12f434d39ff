/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The options that say which of the network's boxes count. */

#include <y10/y10.h>

typedef struct
{
  double confidence, iou;
  int max_detections;
  gboolean class_agnostic;
  char *classes; /* as given, or NULL */
} ToolHeadOptions;

/* Sets the defaults and adds the options to @context. @confidence_help: static, with the
 * default of @confidence. */
void tool_head_options_add (GOptionContext *context, ToolHeadOptions *options,
    double confidence, const char *confidence_help);
void tool_head_options_clear (ToolHeadOptions *options);
/* Checks all but the classes, or prints an error and returns FALSE. @most: detections of a
 * picture that an engine gives. */
gboolean tool_head_options_check (const ToolHeadOptions *options, guint most);
/* Sets all but the classes in @params. */
void tool_head_options_apply (const ToolHeadOptions *options,
    Y10HeadParams *params);
