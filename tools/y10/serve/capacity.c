/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How many more cameras this machine carries: an estimate while cameras run, where
 * "y10 bench --cameras" measures.
 *
 * An inference takes the engine for some time, and an engine of the CPU all its threads.
 * What else a camera takes, above all decoding, is what the process uses beyond that.
 * What other programs take of the CPUs, cameras do not get; they make inferences longer,
 * too, which then use fewer CPUs at a time. Cameras are carried as long as each gets as
 * many inferences as the bench asks for and neither the engine nor the CPUs are used for
 * more than most of the time. */

#include "config.h"

#ifdef HAVE_SERVE

#include <math.h>

#include "base/cpus.h"
#include "base/json.h"
#include "http/reply.h"
#include "serve/capacity.h"
#include "serve/usage.h"

#define INFERENCES 5 /* of a camera in a second, as y10 bench --cameras */
#define MAX_BUSY 0.8
#define PERIOD 5 /* s */

struct _ServeCapacity
{
  const ServeCameras *cameras;
  guint measure_id;
  gint64 since;
  ServeUsage before;
  /* In the last period. NAN: not known yet. */
  double cpus_used, cpus_others; /* by this process; by whatever else */
  guint cpus;                    /* whose time this process may use */
  guint allowed;                 /* on which it may run */
};

typedef struct
{
  guint n_live;
  double fps;        /* of a camera that is live */
  double busy;       /* the engine, of all the time */
  double per_second; /* inferences */
  gboolean on_cpu;
} Load;

typedef struct
{
  guint most;
  const char *limit;
  double wanted;      /* inferences of a camera in a second */
  double engine_time; /* s for an inference */
  double camera_cpus; /* for a camera, without the engine */
} Estimate;

static gboolean
measure (gpointer data)
{
  ServeCapacity *capacity = data;
  const gint64 now = g_get_monotonic_time ();
  const double seconds = (double) (now - capacity->since) / G_USEC_PER_SEC;
  ServeUsage usage;

  serve_usage_read (&usage);
  capacity->cpus_used = (usage.process - capacity->before.process) / seconds;
  capacity->cpus_others = capacity->allowed - capacity->cpus_used
      - (usage.idle - capacity->before.idle) / seconds;
  /* The kernel counts in ticks. */
  if (!isnan (capacity->cpus_others))
    capacity->cpus_others = CLAMP (capacity->cpus_others, 0, capacity->allowed);
  capacity->before = usage;
  capacity->since = now;
  return G_SOURCE_CONTINUE;
}

ServeCapacity *
serve_capacity_new (const ServeCameras *cameras)
{
  ServeCapacity *capacity = g_new0 (ServeCapacity, 1);

  capacity->cameras = cameras;
  capacity->since = g_get_monotonic_time ();
  serve_usage_read (&capacity->before);
  capacity->cpus_used = capacity->cpus_others = NAN;
  capacity->cpus = y10_cpus_granted ("");
  capacity->allowed = y10_cpus_allowed ();
  capacity->measure_id = g_timeout_add_seconds (PERIOD, measure, capacity);
  return capacity;
}

void
serve_capacity_free (ServeCapacity *capacity)
{
  g_source_remove (capacity->measure_id);
  g_free (capacity);
}

/* Returns FALSE if nothing is known of the engine. */
static gboolean
read_engine (const ServeCamera *camera, Load *load)
{
  g_autoptr (GstStructure)
      stats = tool_camera_get_stats (camera->camera, "detect", "engine-stats");
  gboolean ok;
  g_autofree char *backend = NULL;

  if (!stats)
    return FALSE;
  ok = gst_structure_get_double (stats, "busy", &load->busy)
      && gst_structure_get_double (stats, "inferences-per-second",
          &load->per_second)
      && load->busy > 0 && load->per_second > 0;
  backend = tool_camera_get_active (camera->camera, "active-backend");
  load->on_cpu = g_strcmp0 (backend, "cuda") != 0;
  return ok;
}

static gboolean
read_load (const ServeCameras *cameras, Load *load)
{
  gboolean known = FALSE;

  for (guint i = 0; i < cameras->all->len; i++) {
    const ServeCamera *camera = cameras->all->pdata[i];
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    if (status.state != TOOL_CAMERA_LIVE)
      continue;
    load->n_live++;
    load->fps += status.fps;
    known = known || read_engine (camera, load);
  }
  if (load->n_live)
    load->fps /= load->n_live;
  return known && load->fps > 0;
}

static Estimate
estimate (const ServeCapacity *capacity, const Load *load)
{
  Estimate e = { .wanted = MIN (INFERENCES, load->fps),
    .engine_time = load->busy / load->per_second };
  const double others = isnan (capacity->cpus_others) ? 0
                                                      : capacity->cpus_others;
  const double engine_cpus = load->on_cpu
      ? fmin (capacity->cpus, capacity->allowed - others)
      : 0;
  const double cpus = fmin (MAX_BUSY * capacity->cpus,
      fmax (MAX_BUSY * capacity->allowed - others, 0));
  double by_engine, by_cpus;

  e.camera_cpus = fmax (capacity->cpus_used - load->busy * engine_cpus, 0)
      / load->n_live;
  by_engine = MAX_BUSY / (e.engine_time * e.wanted);
  by_cpus = cpus
      / fmax (e.camera_cpus + e.engine_time * e.wanted * engine_cpus, 1e-6);
  e.limit = by_engine <= by_cpus ? "engine" : "cpu";
  e.most = (guint) fmin (fmin (by_engine, by_cpus), 10000);
  return e;
}

static void
add_estimate (GString *json, const ServeCapacity *capacity, const Load *load)
{
  const Estimate e = estimate (capacity, load);

  y10_json_add_int (json, "cameras", e.most);
  y10_json_add_int (json, "more",
      e.most > load->n_live ? e.most - load->n_live : 0);
  y10_json_add_string (json, "limit", e.limit);
  y10_json_add_double (json, "inferences_per_camera", e.wanted);
  y10_json_add_double (json, "engine_ms", e.engine_time * 1000);
  y10_json_add_double (json, "engine_busy", load->busy);
  y10_json_add_double (json, "inferences_per_second", load->per_second);
  y10_json_add_double (json, "cpus_used", capacity->cpus_used);
  y10_json_add_double (json, "cpus_per_camera", e.camera_cpus);
  y10_json_add_double (json, "cpus_others", capacity->cpus_others);
}

void
serve_capacity_get (SoupServerMessage *message, const char *name, gpointer data)
{
  const ServeCapacity *capacity = data;
  GString *json = g_string_new (NULL);
  Load load = { 0 };
  const gboolean known = read_load (capacity->cameras, &load)
      && !isnan (capacity->cpus_used);

  y10_json_open (json, NULL, '{');
  y10_json_add_int (json, "live", load.n_live);
  y10_json_add_int (json, "cpus", capacity->cpus);
  if (known) {
    add_estimate (json, capacity, &load);
  } else {
    y10_json_add_string (json, "cameras", NULL);
    y10_json_add_string (json, "more", NULL);
  }
  y10_json_close (json, '}');
  http_reply_json (message, SOUP_STATUS_OK, json);
}

#endif
