/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Interface between detect.c, which parses the command line, and work.c. */

#include "base/address.h"
#include "base/headoptions.h"
#include "base/options.h"
#include "detect/detect.h"
#include "detect/output.h"
#include "detect/rules.h"

typedef struct
{
  ToolEngineOptions engine;
  ToolHeadOptions head;
  int interval;
  char *draw, *save_crops, *format_name, *output_path;
  char *privacy_text;  /* as given; NULL: not */
  const char *privacy; /* as in ToolPrivacy */
  ToolRules rules;
  ToolFormat format;
  ToolOutput *output; /* NULL with --store */
  gboolean recursive, ignore_par, track, save_conf;
  char *zones; /* a file; NULL: none */
  char *class_groups;
  double fps; /* of sequences of pictures; 0: as they say */
  ToolRemoteOptions remote;
  char *transport, *fingerprint;
  int stream;
  char *tile_overlap_text;
  char *store, *manifest, *segments, *content_id;
  char **inputs;
  ToolStoreOptions tasks; /* if @store is set */
} ToolDetectOptions;

/* Processes all inputs, or the tasks of a store; the exit status. */
int tool_detect_supervise (const ToolDetectOptions *options,
    Y10EngineConfig *config);
