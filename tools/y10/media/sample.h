/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The owner of the pixels of a video's ToolFrame. */

#include "common/frame.h"

typedef struct
{
  GstSample *sample;
  GstY10Frame frame; /* mapped for reading */
} ToolSample;
