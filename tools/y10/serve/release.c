/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The start of the cameras. After a crash of which it is not known whose fault it was,
 * they start one by one, so that the next one is likely the fault of the latest. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "base/log.h"
#include "http/reply.h"
#include "serve/release.h"

#define MOST_ALONE (20 * G_USEC_PER_SEC) /* until it is live or has failed */
#define STEADY (2 * G_USEC_PER_SEC)      /* after that */

struct _ServeRelease
{
  Serve *serve;
  char *id; /* of the latest that was started alone, or NULL */
  gint64 started, settled;
  gboolean one_by_one;
};

ServeRelease *
serve_release_new (Serve *serve)
{
  ServeRelease *release = g_new0 (ServeRelease, 1);
  const GPtrArray *cameras = serve->config->cameras;

  release->serve = serve;
  release->one_by_one = serve_quarantine_is_unsure (serve->quarantine);
  if (release->one_by_one)
    tool_log (TOOL_LOG_WARNING,
        "the last run crashed, and it is not known which camera did it; "
        "they are started one by one");
  for (guint i = 0; i < cameras->len; i++) {
    const ServeCamera *camera = serve_camera_start (serve, cameras->pdata[i],
        release->one_by_one);
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    if (status.state == TOOL_CAMERA_QUARANTINED)
      tool_log (TOOL_LOG_WARNING, "the camera %s is quarantined: %s",
          camera->config->id, status.reason);
  }
  serve_release_look (release);
  return release;
}

void
serve_release_free (ServeRelease *release)
{
  serve_quarantine_suspect (release->serve->quarantine, NULL);
  g_free (release->id);
  g_free (release);
}

static gboolean
is_settled (ServeRelease *release, gint64 now)
{
  const ServeCamera *camera = serve_camera_find (release->serve, release->id);
  ToolCameraStatus status;

  if (!camera || now - release->started >= MOST_ALONE)
    return TRUE;
  tool_camera_get_status (camera->camera, &status);
  if (!release->settled && status.state != TOOL_CAMERA_CONNECTING)
    release->settled = now;
  return release->settled && now - release->settled >= STEADY;
}

static ServeCamera *
find_waiting (const Serve *serve)
{
  for (guint i = 0; i < serve->cameras->len; i++) {
    ServeCamera *camera = serve->cameras->pdata[i];
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    if (status.state == TOOL_CAMERA_WAITING)
      return camera;
  }
  return NULL;
}

void
serve_release_look (ServeRelease *release)
{
  const gint64 now = g_get_monotonic_time ();
  ServeQuarantine *quarantine = release->serve->quarantine;
  ServeCamera *camera;

  if (!release->one_by_one || (release->id && !is_settled (release, now)))
    return;
  g_clear_pointer (&release->id, g_free);
  release->settled = 0;
  camera = find_waiting (release->serve);
  serve_quarantine_suspect (quarantine, camera ? camera->config : NULL);
  release->one_by_one = camera != NULL;
  if (!camera)
    return;
  release->id = g_strdup (camera->config->id);
  release->started = now;
  tool_camera_release (camera->camera);
}

gboolean
serve_release_answer (Serve *serve, SoupServerMessage *message,
    const char *path)
{
  GError *error = NULL;
  ServeCamera *camera;
  char *id;

  if (!g_str_has_prefix (path, "cameras/")
      || !g_str_has_suffix (path + 8, "/release"))
    return FALSE;
  id = g_strndup (path + 8, strlen (path) - 8 - strlen ("/release"));
  camera = serve_camera_find (serve, id);
  g_free (id);
  if (!camera) {
    http_reply_error (message, SOUP_STATUS_NOT_FOUND,
        "there is no such camera");
  } else if (strcmp (soup_server_message_get_method (message), "POST") != 0) {
    http_reply_error (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "expected POST");
  } else if (!tool_camera_is_held (camera->camera)) {
    http_reply_error (message, SOUP_STATUS_CONFLICT,
        "the camera is not quarantined");
  } else if (!serve_quarantine_forget (serve->quarantine, camera->config,
                 &error)) {
    tool_log (TOOL_LOG_WARNING, "cannot write the crashes: %s", error->message);
    http_reply_error (message, SOUP_STATUS_INTERNAL_SERVER_ERROR,
        error->message);
    g_error_free (error);
  } else {
    http_auth_log (message, "camera %s: released", camera->config->id);
    tool_camera_release (camera->camera);
    soup_server_message_set_status (message, SOUP_STATUS_NO_CONTENT, NULL);
  }
  return TRUE;
}

#endif
