/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Counters for Prometheus, in its text format: a series for each camera, and what they
 * share: the engine, the spool of events, this process. What is not known is left out,
 * rather than to be 0. */

#include "config.h"

#ifdef HAVE_SERVE

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "serve/cameras.h"
#include "serve/metrics.h"

#define NS 1e9

typedef struct
{
  const ServeCamera *camera;
  ToolCameraStatus status;
  GstStructure *stats; /* the detector's, or NULL */
} Reading;

typedef double (*GetValue) (const Reading *reading);

static double
get_frames (const Reading *reading)
{
  return (double) reading->status.frames;
}

static double
get_inferred (const Reading *reading)
{
  return (double) reading->status.inferred;
}

static double
get_held (const Reading *reading)
{
  return (double) reading->status.held;
}

static double
get_reconnects (const Reading *reading)
{
  return reading->status.reconnects;
}

static double
get_fps (const Reading *reading)
{
  return reading->status.fps;
}

static double
get_inferences (const Reading *reading)
{
  return reading->status.inferences_per_second;
}

static double
get_up (const Reading *reading)
{
  return reading->status.state == TOOL_CAMERA_LIVE;
}

static double
get_quarantined (const Reading *reading)
{
  return reading->status.state == TOOL_CAMERA_QUARANTINED;
}

static double
get_viewers (const Reading *reading)
{
  return serve_views_count (reading->camera->views);
}

/* NAN: @stats do not have it. */
static double
get_number (const GstStructure *stats, const char *name)
{
  guint64 number;
  double real;
  guint small;

  if (!stats)
    return NAN;
  if (gst_structure_get_uint64 (stats, name, &number))
    return (double) number;
  if (gst_structure_get_uint (stats, name, &small))
    return small;
  return gst_structure_get_double (stats, name, &real) ? real : NAN;
}

static double
get_delay (const Reading *reading)
{
  return get_number (reading->stats, "delay-median") / NS;
}

static double
get_delay_p95 (const Reading *reading)
{
  return get_number (reading->stats, "delay-p95") / NS;
}

static double
get_inference (const Reading *reading)
{
  return get_number (reading->stats, "inference-median") / NS;
}

static double
get_wait (const Reading *reading)
{
  return get_number (reading->stats, "wait-median") / NS;
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
  { "y10_camera_held_total", "counter",
      "Frames with the boxes of an earlier one.", get_held },
  { "y10_camera_reconnects_total", "counter", "Attempts after the first.",
      get_reconnects },
  { "y10_camera_fps", "gauge", "Frames a second, of the last two.", get_fps },
  { "y10_camera_inferences_per_second", "gauge",
      "Frames a second that the network was run on, over five seconds.",
      get_inferences },
  { "y10_camera_up", "gauge", "1 if frames come, else 0.", get_up },
  { "y10_camera_quarantined", "gauge",
      "1 if it is not started since it crashed, else 0.", get_quarantined },
  { "y10_camera_viewers", "gauge", "Live views and snapshots under way.",
      get_viewers },
  { "y10_camera_delay_seconds", "gauge",
      "Median time in the detector of the last 512 frames.", get_delay },
  { "y10_camera_delay_p95_seconds", "gauge", "95th percentile of that time.",
      get_delay_p95 },
  { "y10_camera_engine_seconds", "gauge",
      "Median time that the network took for one of its frames.",
      get_inference },
  { "y10_camera_wait_seconds", "gauge",
      "Median time that its frames waited for the engine.", get_wait },
};

/* Of what cameras share; @element's @property, where it has @field. */
static const struct
{
  const char *name, *type, *help, *element, *property, *field;
} shared[] = {
  { "y10_engine_busy_ratio", "gauge",
      "Part of the time that the engine had work, over its last 512 frames.",
      "detect", "engine-stats", "busy" },
  { "y10_engine_inferences_total", "counter",
      "Frames or parts of frames that the engine has completed.", "detect",
      "engine-stats", "inferences" },
  { "y10_engine_failed_total", "counter", "Of these, with an error.", "detect",
      "engine-stats", "failed" },
  { "y10_engine_queued", "gauge", "Frames that wait for their turn.", "detect",
      "engine-stats", "queued" },
  { "y10_spool_bytes", "gauge", "Size of the events that are kept.", "publish",
      "stats", "bytes" },
  { "y10_spool_segments", "gauge", "Files that they are in.", "publish",
      "stats", "segments" },
  { "y10_spool_accepted_total", "counter", "Events that were kept.", "publish",
      "stats", "accepted" },
  { "y10_spool_dropped_total", "counter",
      "Events that were lost, since there was no room or writing failed.",
      "publish", "stats", "dropped-events" },
  { "y10_spool_errors_total", "counter", "Failures to write or sync.",
      "publish", "stats", "errors" },
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

static void
add_head (GString *text, const char *name, const char *help, const char *type)
{
  g_string_append_printf (text, "# HELP %s %s\n# TYPE %s %s\n", name, help,
      name, type);
}

static void
add_value (GString *text, const char *name, const char *help, const char *type,
    double value)
{
  if (isnan (value))
    return;
  add_head (text, name, help, type);
  g_string_append_printf (text, "%s %.15g\n", name, value);
}

static void
add_cameras (GString *text, const Reading *readings, guint n)
{
  for (guint m = 0; m < G_N_ELEMENTS (metrics); m++) {
    add_head (text, metrics[m].name, metrics[m].help, metrics[m].type);
    for (guint i = 0; i < n; i++) {
      const ToolCameraSettings *settings = readings[i].camera->settings;
      const double value = metrics[m].get (&readings[i]);

      if (isnan (value))
        continue;
      g_string_append_printf (text, "%s{camera=\"%s\",name=\"", metrics[m].name,
          settings->id);
      add_label (text, settings->name);
      g_string_append_printf (text, "\"} %.15g\n", value);
    }
  }
}

/* Of the first camera that can tell. */
static double
get_shared (const ServeCameras *cameras, const char *element,
    const char *property, const char *field)
{
  double value = NAN;

  for (guint i = 0; isnan (value) && i < cameras->all->len; i++) {
    const ServeCamera *camera = cameras->all->pdata[i];
    g_autoptr (GstStructure)
        stats = tool_camera_get_stats (camera->camera, element, property);

    value = get_number (stats, field);
  }
  return value;
}

static double
count_files (void)
{
  DIR *folder = opendir ("/proc/self/fd");
  double n = -1; /* the folder's own */

  if (!folder)
    return NAN;
  for (const struct dirent *entry; (entry = readdir (folder));)
    n += entry->d_name[0] != '.';
  closedir (folder);
  return n;
}

/* By the names that other programs have for this. */
static void
add_process (GString *text)
{
  unsigned long long size = 0, resident = 0;
  struct rusage usage;
  FILE *file = fopen ("/proc/self/statm", "re");

  getrusage (RUSAGE_SELF, &usage);
  add_value (text, "process_cpu_seconds_total",
      "User and system CPU time spent.", "counter",
      (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
          + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
  if (file && fscanf (file, "%llu %llu", &size, &resident) == 2)
    add_value (text, "process_resident_memory_bytes", "Resident memory size.",
        "gauge", (double) resident * (double) sysconf (_SC_PAGESIZE));
  g_clear_pointer (&file, fclose);
  add_value (text, "process_open_fds", "Number of open file descriptors.",
      "gauge", count_files ());
}

void
serve_metrics_get (SoupServerMessage *message, const char *name, gpointer data)
{
  const ServeCameras *cameras = data;
  const guint n = cameras->all->len;
  g_autofree Reading *readings = g_new0 (Reading, n);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    readings[i].camera = cameras->all->pdata[i];
    tool_camera_get_status (readings[i].camera->camera, &readings[i].status);
    /* In an attempt without frames yet, its times are 0. */
    if (readings[i].status.state == TOOL_CAMERA_LIVE)
      readings[i].stats = tool_camera_get_stats (readings[i].camera->camera,
          "detect", "stats");
  }
  add_cameras (text, readings, n);
  for (guint m = 0; m < G_N_ELEMENTS (shared); m++)
    add_value (text, shared[m].name, shared[m].help, shared[m].type,
        get_shared (cameras, shared[m].element, shared[m].property,
            shared[m].field));
  add_process (text);
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&readings[i].stats, gst_structure_free);
  http_reply_text (message, SOUP_STATUS_OK,
      "text/plain; version=0.0.4; charset=utf-8", g_string_free (text, FALSE));
}

#endif
