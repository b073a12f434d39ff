/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The pipeline of a camera: its elements, and their properties. */

#include <gst/gst.h>

#include "camera/setup.h"

/* Makes it of a source and what follows. Its elements: "track", behind which all frames
 * pass; "gate", a valve that is shut; "out", an appsink of JPEG pictures. */
GstElement *tool_pipeline_new (const ToolCameraSetup *setup, GError **error);
/* Whether both play the same, in the same way. */
gboolean tool_pipeline_has_same_source (const ToolCameraSetup *a,
    const ToolCameraSetup *b);
/* Makes a pipeline of @from one of @to while it runs. Returns FALSE where only another
 * pipeline will do; nothing is changed then. */
gboolean tool_pipeline_change (GstBin *pipeline, const ToolCameraSetup *from,
    const ToolCameraSetup *to);
/* The name of what a property of the detector says is in use, or NULL. Free with
 * g_free(). */
char *tool_pipeline_get_active (GstBin *pipeline, const char *property);
/* What a property of "detect" or "publish" counts; NULL: nothing, or there is no such
 * element. Free with gst_structure_free(). */
GstStructure *tool_pipeline_get_stats (GstBin *pipeline, const char *element,
    const char *property);
/* Reads a message of the pipeline. Returns whether the detector tells that it has taken
 * @model, as a setup names it, or that it has not: @why is then the reason, to be freed
 * with g_free(). */
gboolean tool_pipeline_read_model (GstMessage *message, const char *model,
    char **why);
