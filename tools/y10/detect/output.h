/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Where results go, and in which form. */

#include <stdio.h>
#include <y10/y10.h>

#include "media/frame.h"

typedef enum
{
  TOOL_FORMAT_JSONL,   /* a line of JSON for each frame */
  TOOL_FORMAT_TABLE,   /* a table for each frame */
  TOOL_FORMAT_SUMMARY, /* one table at the end */
  TOOL_FORMAT_CSV,     /* a line for each object */
  TOOL_FORMAT_YOLO,    /* a file for each frame */
  TOOL_FORMAT_COCO,    /* one JSON document at the end */
  TOOL_FORMAT_MOT,     /* a line for each object */
} ToolFormat;

/* Returns FALSE with an error if @name is no format. */
gboolean tool_format_parse (const char *name, ToolFormat *format,
    GError **error);

typedef struct _ToolOutput ToolOutput;

typedef enum
{
  TOOL_OUTPUT_IDS = 1 << 0,        /* of the objects' tracks */
  TOOL_OUTPUT_CONFIDENCE = 1 << 1, /* in label files */
  TOOL_OUTPUT_EVENTS = 1 << 2,     /* events in CSV, in place of objects */
} ToolOutputFlags;

/* @path is a file, NULL for standard output, or the folder for TOOL_FORMAT_YOLO. Call it
 * before tool_supervise(), so that children write one after the other. */
ToolOutput *tool_output_open (ToolFormat format, ToolOutputFlags flags,
    const char *path, GError **error);
/* Returns what takes lines, tables and the summary; borrowed. */
FILE *tool_output_get_file (const ToolOutput *output);
/* Writes the result of a frame in one of the other formats. @ids: of the objects' tracks,
 * 0: none; NULL if they are not followed. */
gboolean tool_output_write (ToolOutput *output, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection *rows, guint n, const gint *ids,
    GError **error);
/* Writes lines of JSON of zones. */
gboolean tool_output_write_events (ToolOutput *output, const char *events,
    GError **error);
/* Completes the output, unless nothing was begun; call it after tool_supervise(). Frees
 * @output. */
gboolean tool_output_close (ToolOutput *output, gboolean is_complete,
    GError **error);
