/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A camera as JSON: what is shown of its source has no secrets. */

#include "config.h"

#ifdef HAVE_SERVE

#include <math.h>

#include "base/json.h"
#include "camera/source.h"
#include "serve/change.h"
#include "serve/describe.h"

static void
describe (JsonBuilder *builder, const ServeCamera *camera, gboolean counters)
{
  char *shown = tool_source_show (camera->config->source);
  ToolCameraStatus status;

  tool_camera_get_status (camera->camera, &status);
  json_builder_begin_object (builder);
  tool_json_string (builder, "id", camera->config->id);
  tool_json_string (builder, "name", camera->config->name);
  tool_json_string (builder, "source", shown);
  tool_json_string (builder, "state", tool_camera_state_name (status.state));
  tool_json_string (builder, "reason", status.reason);
  if (counters) {
    tool_json_int (builder, "frames", (gint64) status.frames);
    tool_json_int (builder, "inferred", (gint64) status.inferred);
  }
  tool_json_double (builder, "fps",
      counters ? status.fps : round (status.fps * 10) / 10);
  tool_json_double (builder, "inferences_per_second",
      counters ? status.inferences_per_second
               : round (status.inferences_per_second * 10) / 10);
  tool_json_int (builder, "reconnects", status.reconnects);
  tool_json_int (builder, "viewers", camera->viewers->len);
  serve_change_write (builder, camera->config);
  json_builder_end_object (builder);
  g_free (shown);
}

void
serve_describe (JsonBuilder *builder, const ServeCamera *camera)
{
  describe (builder, camera, TRUE);
}

char *
serve_describe_line (const ServeCamera *camera)
{
  JsonBuilder *builder = json_builder_new ();
  char *line;

  describe (builder, camera, FALSE);
  line = tool_json_to_line (builder);
  g_object_unref (builder);
  return line;
}

#endif
