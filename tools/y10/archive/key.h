/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/y10.h>

#include "media/video.h"

/* What results depend on apart from the content: model, settings, version. */
typedef struct
{
  const Y10Model *model;
  const Y10Engine *engine;
  const Y10HeadParams *params;
  guint interval;
  gboolean ignore_par;
  const char *const *texts; /* options that count as they were written; NULL
                                 * where not given, four of them */
} ToolKeySettings;

/* One line of JSON that is the same for the same settings; NULL and error where
 * the weights file cannot be read. */
char *tool_key_describe_settings (const ToolKeySettings *settings,
    GError **error);
/* The key for the part @range (NULL: all) of @content: 64 hexadecimal digits. */
char *tool_key_make (const char *settings, const char *content,
    const ToolRange *range);
