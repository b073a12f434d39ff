/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The cameras that run: one for each of the settings.
 *
 * After a crash that cannot be blamed on one of them, they start one by one, so that the next
 * crash is most likely the fault of the latest. */

#include "config.h"

#ifdef HAVE_SERVE

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "camera/source.h"
#include "serve/cameras.h"
#include "serve/camerajson.h"

#define INTERVAL 250 /* ms between looks: there is no signal for silence */
#define MAX_ALONE (20 * G_USEC_PER_SEC) /* until it is live or has failed */
#define STEADY (2 * G_USEC_PER_SEC)     /* after that */

/* Also has what crashes in its threads recorded. */
static ToolCameraSetup
make_setup (ServeCamera *camera)
{
  const ServeSettings *settings = camera->cameras->settings;
  ToolCameraSetup setup = {
    .settings = *camera->settings,
    .media = settings->media,
    .model = settings->model,
    .model_turn = settings->model_turn,
    .backend = settings->backend,
    .thread = camera->thread,
    .spool = settings->spool,
    .max_age = settings->keep_days * G_TIME_SPAN_DAY * 1000,
    .max_bytes = (guint64) settings->keep_mib << 20,
  };

  serve_crashes_watch (camera->settings, camera->thread);
  if (!setup.settings.classes)
    setup.settings.classes = settings->classes;
  if (!(setup.settings.confidence > 0))
    setup.settings.confidence = settings->confidence;
  return setup;
}

static void
on_picture (gpointer camera)
{
  serve_views_feed (((ServeCamera *) camera)->views);
}

ServeCamera *
serve_camera_add (ServeCameras *cameras, ToolCameraSettings *settings,
    gboolean wait)
{
  g_autofree char *why = serve_crashes_judge (cameras->crashes, settings);
  ServeCamera *camera = g_new0 (ServeCamera, 1);
  ToolCameraSetup setup;

  camera->cameras = cameras;
  camera->settings = settings;
  g_ptr_array_add (cameras->all, camera);
  setup = make_setup (camera);
  if (why || wait)
    camera->camera = tool_camera_new_held (&setup,
        why ? TOOL_CAMERA_QUARANTINED : TOOL_CAMERA_WAITING,
        why ? why : "cameras are started one by one, to find out which crashes",
        on_picture, camera);
  else
    camera->camera = tool_camera_new (&setup, on_picture, camera);
  camera->views = serve_views_new (camera->camera, settings->id);
  return camera;
}

void
serve_camera_change (ServeCamera *camera, const ToolCameraSettings *before)
{
  const ToolCameraSetup setup = make_setup (camera);
  g_autofree char *why = serve_crashes_judge (camera->cameras->crashes,
      camera->settings);
  ToolCameraStatus status;

  if (!tool_camera_change (camera->camera, &setup)
      || camera->settings->privacy != before->privacy)
    serve_views_forget (camera->views);
  tool_camera_get_status (camera->camera, &status);
  if (status.state == TOOL_CAMERA_QUARANTINED && !why)
    tool_camera_release (camera->camera);
}

void
serve_camera_remove (ServeCamera *camera)
{
  serve_views_free (camera->views);
  tool_camera_free (camera->camera);
  g_ptr_array_remove (camera->cameras->all, camera);
  g_free (camera->logged);
  g_free (camera);
}

ServeCamera *
serve_camera_find (const ServeCameras *cameras, const char *id)
{
  for (guint i = 0; i < cameras->all->len; i++) {
    ServeCamera *camera = cameras->all->pdata[i];

    if (!strcmp (camera->settings->id, id))
      return camera;
  }
  return NULL;
}

void
serve_camera_write (const ServeCamera *camera, GString *json, gboolean counters)
{
  g_autofree char *shown = tool_source_show (camera->settings->source);
  ToolCameraStatus status;

  tool_camera_get_status (camera->camera, &status);
  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "id", camera->settings->id);
  y10_json_add_string (json, "name", camera->settings->name);
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
  y10_json_add_int (json, "viewers", serve_views_count (camera->views));
  serve_camera_json_write (json, camera->settings);
  y10_json_close (json, '}');
}

/* A retry for the same reason is not logged again. */
static void
log_state (ServeCamera *camera)
{
  ToolCameraStatus status;
  g_autofree char *state = NULL;

  tool_camera_get_status (camera->camera, &status);
  if (status.state == TOOL_CAMERA_CONNECTING && status.reason)
    return;
  state = g_strconcat (tool_camera_state_name (status.state),
      status.reason ? ": " : NULL, status.reason, NULL);
  if (g_strcmp0 (state, camera->logged) != 0) {
    tool_log (status.reason ? TOOL_LOG_WARNING : TOOL_LOG_NOTICE,
        "camera %s: %s", camera->settings->id, state);
    g_free (camera->logged);
    camera->logged = g_steal_pointer (&state);
  }
}

static gboolean
look (gpointer data)
{
  const ServeCameras *cameras = data;

  for (guint i = 0; i < cameras->all->len; i++) {
    ServeCamera *camera = cameras->all->pdata[i];

    tool_camera_look_for_stall (camera->camera);
    log_state (camera);
  }
  return G_SOURCE_CONTINUE;
}

/* Whether the camera that was released alone has had time to crash. */
static gboolean
is_settled (ServeCameras *cameras, gint64 now)
{
  const ServeCamera *camera = serve_camera_find (cameras, cameras->alone);
  ToolCameraStatus status;

  if (!camera || now - cameras->released >= MAX_ALONE)
    return TRUE;
  tool_camera_get_status (camera->camera, &status);
  if (!cameras->settled && status.state != TOOL_CAMERA_CONNECTING)
    cameras->settled = now;
  return cameras->settled && now - cameras->settled >= STEADY;
}

static ServeCamera *
find_waiting (const ServeCameras *cameras)
{
  for (guint i = 0; i < cameras->all->len; i++) {
    ServeCamera *camera = cameras->all->pdata[i];
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    if (status.state == TOOL_CAMERA_WAITING)
      return camera;
  }
  return NULL;
}

static gboolean
release_next (gpointer data)
{
  const gint64 now = g_get_monotonic_time ();
  ServeCameras *cameras = data;
  ServeCamera *camera;

  if (cameras->alone && !is_settled (cameras, now))
    return G_SOURCE_CONTINUE;
  g_clear_pointer (&cameras->alone, g_free);
  cameras->settled = 0;
  camera = find_waiting (cameras);
  serve_crashes_suspect (camera ? camera->settings : NULL);
  if (!camera) {
    cameras->release_id = 0;
    return G_SOURCE_REMOVE;
  }
  cameras->alone = g_strdup (camera->settings->id);
  cameras->released = now;
  tool_camera_release (camera->camera);
  return G_SOURCE_CONTINUE;
}

void
serve_cameras_start (ServeCameras *cameras)
{
  const gboolean one_by_one = serve_crashes_are_unsure (cameras->crashes);
  const GPtrArray *settings = cameras->settings->cameras;

  if (one_by_one)
    tool_log (TOOL_LOG_WARNING,
        "the last run crashed, and it is not known which camera did it; "
        "they are started one by one");
  for (guint i = 0; i < settings->len; i++) {
    const ServeCamera *camera = serve_camera_add (cameras, settings->pdata[i],
        one_by_one);
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    if (status.state == TOOL_CAMERA_QUARANTINED)
      tool_log (TOOL_LOG_WARNING, "the camera %s is quarantined: %s",
          camera->settings->id, status.reason);
  }
  cameras->look_id = g_timeout_add (INTERVAL, look, cameras);
  if (one_by_one && release_next (cameras))
    cameras->release_id = g_timeout_add (INTERVAL, release_next, cameras);
}

void
serve_cameras_stop (ServeCameras *cameras)
{
  g_clear_handle_id (&cameras->look_id, g_source_remove);
  g_clear_handle_id (&cameras->release_id, g_source_remove);
  serve_crashes_suspect (NULL);
  while (cameras->all->len)
    serve_camera_remove (cameras->all->pdata[0]);
}

void
serve_cameras_change_model (ServeCameras *cameras)
{
  cameras->settings->model_turn++;
  for (guint i = 0; i < cameras->all->len; i++) {
    ServeCamera *camera = cameras->all->pdata[i];
    const ToolCameraSetup setup = make_setup (camera);

    tool_camera_change (camera->camera, &setup);
  }
}

char *
serve_cameras_get_active (const ServeCameras *cameras, const char *property)
{
  char *value = NULL;

  for (guint i = 0; !value && i < cameras->all->len; i++) {
    const ServeCamera *camera = cameras->all->pdata[i];

    value = tool_camera_get_active (camera->camera, property);
  }
  return value;
}

guint
serve_cameras_count (const ServeCameras *cameras, ToolCameraState state)
{
  guint n = 0;

  for (guint i = 0; i < cameras->all->len; i++) {
    const ServeCamera *camera = cameras->all->pdata[i];
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    n += status.state == state;
  }
  return n;
}

ServeCameras *
serve_cameras_new (ServeSettings *settings, ServeCrashes *crashes)
{
  ServeCameras *cameras = g_new0 (ServeCameras, 1);

  cameras->settings = settings;
  cameras->crashes = crashes;
  cameras->all = g_ptr_array_new ();
  return cameras;
}

void
serve_cameras_free (ServeCameras *cameras)
{
  g_ptr_array_unref (cameras->all);
  g_free (cameras->alone);
  g_free (cameras);
}

#endif
