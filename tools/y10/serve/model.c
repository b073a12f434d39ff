/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Another model for all cameras, while they run.
 *
 * A thread reads the file; nothing has changed until it can be loaded and has the classes
 * that are asked for. Then the detectors load it, each beside the old one, and frames go
 * on. If one of them does not take it, such as for want of memory, all go back: they share
 * one engine, and the settings name one model. The file has it when all do, so that what
 * crashes is not what is started next. */

#include "config.h"

#ifdef HAVE_SERVE

#include <gio/gio.h>
#include <libsoup/soup.h>
#include <y10/y10.h>

#include "base/json.h"
#include "base/log.h"
#include "serve/model.h"
#include "serve/modelfolder.h"

#define INTERVAL 250 /* ms between looks at what the detectors say */

struct _ServeModelChange
{
  char *name; /* NULL: the bundled one */
  ServeModelDone done;
  gpointer user;
  GCancellable *cancellable; /* of the thread */
  ServeModelInfo *model;     /* NULL until the file is checked */
  char *old_path;            /* from then on */
  guint n_left, n;           /* cameras */
  guint look_id;             /* a source, from then on */
};

/* What the thread is told, and finds. */
typedef struct
{
  char *folder, *name;
  gboolean whole;
  char *path;
  ServeModelInfo *model;
} Reading;

static void
free_reading (gpointer data)
{
  Reading *reading = data;

  g_free (reading->folder);
  g_free (reading->name);
  g_free (reading->path);
  g_clear_pointer (&reading->model, serve_model_info_free);
  g_free (reading);
}

static void
read_file (GTask *task, gpointer source, gpointer data,
    GCancellable *cancellable)
{
  Reading *reading = data;
  GError *error = NULL;

  if (reading->name)
    reading->path = serve_model_folder_find (reading->folder, reading->name,
        &error);
  if (!error)
    reading->model = serve_model_info_load (reading->path, reading->whole,
        &error);
  if (error)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

const char *
serve_model_get_kept (const ServeModel *model)
{
  const ServeModelChange *change = model->change;

  return change && change->model ? change->old_path : model->settings->model;
}

void
serve_model_write (const ServeModel *model, GString *json)
{
  const ServeModelChange *change = model->change;

  if (!change) {
    y10_json_add_string (json, "change", NULL);
    return;
  }
  y10_json_open (json, "change", '{');
  y10_json_add_string (json, "model", change->name);
  y10_json_add_int (json, "done", change->n - change->n_left);
  y10_json_add_int (json, "of", change->n);
  y10_json_close (json, '}');
}

static void
tell_pages (ServeModel *model, const char *problem)
{
  g_autoptr (GString) json = g_string_new (NULL);

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "type", "model");
  y10_json_add_string (json, "name", model->settings->model_info->name);
  serve_model_write (model, json);
  y10_json_add_string (json, "problem", problem);
  y10_json_close (json, '}');
  http_sockets_send (model->sockets, json->str);
}

static void
finish (ServeModel *model, guint status, const char *problem)
{
  g_autofree ServeModelChange *change = g_steal_pointer (&model->change);

  if (problem)
    tool_log (TOOL_LOG_WARNING, "model: stays %s: %s",
        model->settings->model_info->name, problem);
  else
    tool_log (TOOL_LOG_NOTICE, "model: %s is in use",
        model->settings->model_info->name);
  g_clear_handle_id (&change->look_id, g_source_remove);
  change->done (change->user, status, problem);
  tell_pages (model, problem);
  g_cancellable_cancel (change->cancellable);
  g_object_unref (change->cancellable);
  g_clear_pointer (&change->model, serve_model_info_free);
  g_free (change->old_path);
  g_free (change->name);
}

static gboolean
check_camera (const ToolCameraSettings *camera, const ServeModelInfo *model,
    GError **error)
{
  if ((!camera->classes
          || serve_model_info_check_classes (model, camera->classes, error))
      && (!camera->zones
          || serve_model_info_check_zones (model, camera->zones, error)))
    return TRUE;
  g_prefix_error (error, "the camera \"%s\": ", camera->name);
  return FALSE;
}

/* Whether the model has all classes that are asked for. */
static gboolean
check_classes (const ServeSettings *settings, const ServeModelInfo *model,
    GError **error)
{
  gboolean ok = !settings->classes
      || serve_model_info_check_classes (model, settings->classes, error);

  if (!ok)
    g_prefix_error (error, "the settings' [serve]: ");
  for (guint i = 0; ok && i < settings->cameras->len; i++)
    ok = check_camera (settings->cameras->pdata[i], model, error);
  return ok;
}

/* Changes which path the settings have, and takes @path. Cameras borrow it, so the one
 * before is freed after all have another. */
static char *
exchange (ServeModel *model, char *path)
{
  char *before = model->settings->model;

  model->settings->model = path;
  serve_cameras_change_model (model->cameras);
  return before;
}

static void
go_back (ServeModel *model, guint status, const char *problem)
{
  ServeModelChange *change = model->change;

  g_free (exchange (model, g_steal_pointer (&change->old_path)));
  finish (model, status, problem);
}

/* All have it. */
static void
keep (ServeModel *model)
{
  ServeModelChange *change = model->change;
  g_autoptr (GError) error = NULL;

  /* Settings may have changed meanwhile. */
  if (!check_classes (model->settings, change->model, &error)) {
    go_back (model, SOUP_STATUS_CONFLICT, error->message);
  } else if (!serve_settings_keep_model (model->settings, &error)) {
    tool_log (TOOL_LOG_WARNING, "cannot write the settings: %s",
        error->message);
    go_back (model, SOUP_STATUS_INTERNAL_SERVER_ERROR, error->message);
  } else {
    serve_model_info_free (model->settings->model_info);
    model->settings->model_info = g_steal_pointer (&change->model);
    finish (model, SOUP_STATUS_OK, NULL);
  }
}

/* Nobody tells that a detector has the model, or refuses it. */
static gboolean
look (gpointer data)
{
  ServeModel *model = data;
  ServeModelChange *change = model->change;
  guint n_left = 0;

  for (guint i = 0; i < model->cameras->all->len; i++) {
    const ServeCamera *camera = model->cameras->all->pdata[i];
    g_autofree char *problem = NULL;
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    n_left += status.model_changes;
    if (!status.model_refused)
      continue;
    problem = g_strdup (status.model_refused);
    go_back (model, SOUP_STATUS_CONFLICT, problem);
    return G_SOURCE_CONTINUE;
  }
  if (!n_left) {
    keep (model);
  } else if (n_left != change->n_left) {
    change->n = MAX (change->n, n_left);
    change->n_left = n_left;
    tell_pages (model, NULL);
  }
  return G_SOURCE_CONTINUE;
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  GTask *task = G_TASK (result);
  Reading *reading = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  ServeModel *model = data;
  ServeModelChange *change;

  /* A cancelled one has no change any more. */
  if (g_task_propagate_boolean (task, &error)
      && check_classes (model->settings, reading->model, &error)) {
    change = model->change;
    change->model = g_steal_pointer (&reading->model);
    change->old_path = exchange (model, g_steal_pointer (&reading->path));
    change->look_id = g_timeout_add (INTERVAL, look, model);
    look (model);
    return;
  }
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    finish (model, SOUP_STATUS_BAD_REQUEST, error->message);
}

void
serve_model_begin (ServeModel *model, const char *name, ServeModelDone done,
    gpointer user)
{
  ServeModelChange *change = g_new0 (ServeModelChange, 1);
  Reading *reading = g_new0 (Reading, 1);
  g_autoptr (GTask) task = NULL;

  change->name = g_strdup (name);
  change->done = done;
  change->user = user;
  change->cancellable = g_cancellable_new ();
  reading->folder = g_strdup (model->settings->models);
  reading->name = g_strdup (name);
  /* Where no detector would, the thread reads the weights, too. */
  reading->whole = !serve_cameras_count (model->cameras, TOOL_CAMERA_LIVE);
  model->change = change;
  task = g_task_new (NULL, change->cancellable, on_read, model);
  g_task_set_task_data (task, reading, free_reading);
  g_task_run_in_thread (task, read_file);
  tell_pages (model, NULL);
}

void
serve_model_stop (ServeModel *model)
{
  if (model->change)
    finish (model, SOUP_STATUS_SERVICE_UNAVAILABLE, "y10 serve ends");
}

#endif
