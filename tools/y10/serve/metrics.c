/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Counters for Prometheus, in its text format: a series for each camera. */

#include "config.h"

#ifdef HAVE_SERVE

#include "serve/metrics.h"

typedef double (
    *GetValue) (const ServeCamera *camera, const ToolCameraStatus *status);

static double
get_frames (const ServeCamera *camera, const ToolCameraStatus *status)
{
  return (double) status->frames;
}

static double
get_inferred (const ServeCamera *camera, const ToolCameraStatus *status)
{
  return (double) status->inferred;
}

static double
get_reconnects (const ServeCamera *camera, const ToolCameraStatus *status)
{
  return status->reconnects;
}

static double
get_fps (const ServeCamera *camera, const ToolCameraStatus *status)
{
  return status->fps;
}

static double
get_up (const ServeCamera *camera, const ToolCameraStatus *status)
{
  return status->state == TOOL_CAMERA_LIVE;
}

static double
get_viewers (const ServeCamera *camera, const ToolCameraStatus *status)
{
  return camera->viewers->len;
}

static const struct
{
  const char *name, *type, *help;
  GetValue get;
} metrics[] = {
  { "y10_camera_frames_total", "counter", "Frames that left the detector.",
      get_frames },
  { "y10_camera_inferred_total", "counter",
      "Frames that the network was run on.", get_inferred },
  { "y10_camera_reconnects_total", "counter", "Attempts after the first.",
      get_reconnects },
  { "y10_camera_fps", "gauge", "Frames a second, of the last two.", get_fps },
  { "y10_camera_up", "gauge", "1 if frames come, else 0.", get_up },
  { "y10_camera_viewers", "gauge", "Live views and snapshots under way.",
      get_viewers },
};

static void
add_label (GString *text, const char *value)
{
  for (; *value; value++) {
    if (*value == '"' || *value == '\\')
      g_string_append_c (text, '\\');
    g_string_append_c (text, *value);
  }
}

char *
serve_metrics (Serve *serve)
{
  GString *text = g_string_new (NULL);

  for (guint m = 0; m < G_N_ELEMENTS (metrics); m++) {
    g_string_append_printf (text, "# HELP %s %s\n# TYPE %s %s\n",
        metrics[m].name, metrics[m].help, metrics[m].name, metrics[m].type);
    for (guint i = 0; i < serve->cameras->len; i++) {
      const ServeCamera *camera = serve->cameras->pdata[i];
      ToolCameraStatus status;

      tool_camera_get_status (camera->camera, &status);
      g_string_append_printf (text, "%s{camera=\"%s\",name=\"", metrics[m].name,
          camera->config->id);
      add_label (text, camera->config->name);
      g_string_append_printf (text, "\"} %.15g\n",
          metrics[m].get (camera, &status));
    }
  }
  return g_string_free (text, FALSE);
}

#endif
