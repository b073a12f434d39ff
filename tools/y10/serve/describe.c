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
describe (GString *json, const ServeCamera *camera, gboolean counters)
{
  char *shown = tool_source_show (camera->config->source);
  ToolCameraStatus status;

  tool_camera_get_status (camera->camera, &status);
  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "id", camera->config->id);
  y10_json_add_string (json, "name", camera->config->name);
  y10_json_add_string (json, "source", shown);
  y10_json_add_string (json, "state", tool_camera_state_name (status.state));
  y10_json_add_string (json, "reason", status.reason);
  if (counters) {
    y10_json_add_int (json, "frames", (gint64) status.frames);
    y10_json_add_int (json, "inferred", (gint64) status.inferred);
  }
  y10_json_add_double (json, "fps",
      counters ? status.fps : round (status.fps * 10) / 10);
  y10_json_add_double (json, "inferences_per_second",
      counters ? status.inferences_per_second
               : round (status.inferences_per_second * 10) / 10);
  y10_json_add_int (json, "reconnects", status.reconnects);
  y10_json_add_int (json, "viewers", camera->viewers->len);
  serve_change_write (json, camera->config);
  y10_json_close (json, '}');
  g_free (shown);
}

void
serve_describe (GString *json, const ServeCamera *camera)
{
  describe (json, camera, TRUE);
}

char *
serve_describe_line (const ServeCamera *camera)
{
  GString *json = g_string_new (NULL);

  describe (json, camera, FALSE);
  return g_string_free (json, FALSE);
}

#endif
