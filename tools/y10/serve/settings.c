/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The settings: a key file that only its owner reads, since sources have passwords. It
 * is replaced as a whole, so that a crash leaves the old one or the new one. What this
 * version does not know in it, and comments, remain. */

#include "config.h"

#ifdef HAVE_SERVE

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <y10/y10.h>

#include "camera/source.h"
#include "serve/settings.h"

#define MOST_CAMERAS 64
#define MOST_NAME 64
#define MOST_SOURCE 1024
#define GROUP "camera "
#define KEEP_DAYS 30
#define KEEP_MIB 256

static void
free_camera (gpointer data)
{
  ServeCameraConfig *camera = data;

  g_free (camera->id);
  g_free (camera->name);
  g_free (camera->source);
  g_free (camera);
}

static ServeCameraConfig *
append (ServeConfig *config, const char *id, const char *name,
    const char *source)
{
  ServeCameraConfig *camera = g_new0 (ServeCameraConfig, 1);

  camera->id = g_strdup (id);
  camera->name = g_strdup (name);
  camera->source = g_strdup (source);
  g_ptr_array_add (config->cameras, camera);
  return camera;
}

static gboolean
check_text (const char *what, const char *text, gsize most, GError **error)
{
  if (text && *text && strlen (text) <= most && g_utf8_validate (text, -1, NULL)
      && !strpbrk (text, "\r\n"))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "the %s is %s; expected one line of 1 to %d bytes", what,
      !text || !*text ? "missing" : "no such text", (int) most);
  return FALSE;
}

static gboolean
check_camera (const ServeConfig *config, const char *name, const char *source,
    GError **error)
{
  return check_text ("name", name, MOST_NAME, error)
      && check_text ("source", source, MOST_SOURCE, error)
      && tool_source_check (source, config->media, error);
}

static gboolean
is_id (const char *id)
{
  return *id && strlen (id) <= 32
      && strspn (id, G_CSET_a_2_z G_CSET_DIGITS "-") == strlen (id);
}

/* A source that cannot be opened now is the camera's failure, not the file's. */
static gboolean
read_camera (ServeConfig *config, const char *group, GError **error)
{
  const char *id = group + strlen (GROUP);
  char *name = g_key_file_get_string (config->file, group, "name", NULL);
  char *source = g_key_file_get_string (config->file, group, "source", NULL);
  const gboolean ok = is_id (id)
      && check_text ("name", name ? name : id, MOST_NAME, NULL)
      && check_text ("source", source, MOST_SOURCE, NULL)
      && (tool_source_is_file (source)
          || tool_source_check (source, config->media, NULL));

  if (ok)
    append (config, id, name ? name : id, source);
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: [%s] is no camera; expected [camera ID] with name= and a source= that is "
        "rtsp://…, /dev/videoN, file:NAME, test: or demo",
        config->path, group);
  g_free (source);
  g_free (name);
  return ok;
}

static gboolean
read_confidence (ServeConfig *config, GError **error)
{
  GError *problem = NULL;

  if (!g_key_file_has_key (config->file, "serve", "confidence", NULL))
    return TRUE;
  config->confidence = g_key_file_get_double (config->file, "serve",
      "confidence", &problem);
  if (!problem && config->confidence > 0 && config->confidence <= 1)
    return TRUE;
  g_clear_error (&problem);
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: [serve] confidence is not in the range above 0 to 1", config->path);
  return FALSE;
}

static gboolean
read_count (const ServeConfig *config, const char *name, guint *value,
    GError **error)
{
  char *text = g_key_file_get_string (config->file, "serve", name, NULL);
  guint64 count = *value;
  const gboolean ok = !text
      || g_ascii_string_to_unsigned (text, 10, 0, 100000, &count, NULL);

  *value = (guint) count;
  if (!ok)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: [serve] %s is '%s'; expected a number from 0, no limit, to 100000",
        config->path, name, text);
  g_free (text);
  return ok;
}

/* Where events are kept: by default beside the settings. */
static gboolean
read_spool (ServeConfig *config, GError **error)
{
  config->spool = g_key_file_get_string (config->file, "serve", "spool", NULL);
  if (!config->spool)
    config->spool = g_strconcat (config->path, ".events", NULL);
  else if (!*config->spool)
    g_clear_pointer (&config->spool, g_free);
  config->keep_days = KEEP_DAYS;
  config->keep_mib = KEEP_MIB;
  return read_count (config, "keep-days", &config->keep_days, error)
      && read_count (config, "keep-mib", &config->keep_mib, error);
}

static gboolean
parse (ServeConfig *config, GError **error)
{
  char **groups = g_key_file_get_groups (config->file, NULL);
  gboolean ok;

  config->media = g_key_file_get_string (config->file, "serve", "media", NULL);
  config->model = g_key_file_get_string (config->file, "serve", "model", NULL);
  config->backend = g_key_file_get_string (config->file, "serve", "backend",
      NULL);
  config->classes = g_key_file_get_string (config->file, "serve", "classes",
      NULL);
  ok = read_confidence (config, error) && read_spool (config, error);
  for (guint i = 0; ok && groups[i]; i++) {
    if (g_str_has_prefix (groups[i], GROUP))
      ok = read_camera (config, groups[i], error);
    else if (strcmp (groups[i], "serve") != 0) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
          "%s: unknown group [%s]; expected [serve] or [camera ID]",
          config->path, groups[i]);
      ok = FALSE;
    }
  }
  if (ok && config->cameras->len > MOST_CAMERAS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: %u cameras; expected at most %d", config->path,
        config->cameras->len, MOST_CAMERAS);
    ok = FALSE;
  }
  g_strfreev (groups);
  return ok;
}

static void
set_camera (ServeConfig *config, const ServeCameraConfig *camera)
{
  char *group = g_strconcat (GROUP, camera->id, NULL);

  g_key_file_set_string (config->file, group, "name", camera->name);
  g_key_file_set_string (config->file, group, "source", camera->source);
  g_free (group);
}

ServeConfig *
serve_config_load (const char *path, GError **error)
{
  ServeConfig *config = g_new0 (ServeConfig, 1);
  GError *problem = NULL;
  struct stat status;

  config->path = g_strdup (path);
  config->file = g_key_file_new ();
  config->cameras = g_ptr_array_new_with_free_func (free_camera);
  if (!g_key_file_load_from_file (config->file, path, G_KEY_FILE_KEEP_COMMENTS,
          &problem)) {
    if (g_error_matches (problem, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
      g_clear_error (&problem);
      set_camera (config, append (config, "demo", "Demo", "demo"));
      read_spool (config, NULL);
      return config;
    }
    g_propagate_prefixed_error (error, problem, "%s: ", path);
  } else if (stat (path, &status) == 0 && status.st_mode & 077) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: others may read it, and it can have passwords; run chmod 600 on it",
        path);
  } else if (parse (config, error)) {
    return config;
  }
  serve_config_free (config);
  return NULL;
}

gboolean
serve_write_private (const char *path, const char *text, GError **error)
{
  char *folder = g_path_get_dirname (path);
  const gboolean made = g_mkdir_with_parents (folder, 0700) == 0;

  if (!made)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "cannot make the folder %s: %s", folder, g_strerror (errno));
  g_free (folder);
  return made
      && g_file_set_contents_full (path, text, -1,
          G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600,
          error);
}

gboolean
serve_config_save (ServeConfig *config, GError **error)
{
  char *text = g_key_file_to_data (config->file, NULL, NULL);
  const gboolean ok = serve_write_private (config->path, text, error);

  g_free (text);
  return ok;
}

static gboolean
has_id (const ServeConfig *config, const char *id)
{
  for (guint i = 0; i < config->cameras->len; i++) {
    const ServeCameraConfig *camera = config->cameras->pdata[i];

    if (!strcmp (camera->id, id))
      return TRUE;
  }
  return FALSE;
}

ServeCameraConfig *
serve_config_add (ServeConfig *config, const char *name, const char *source,
    GError **error)
{
  ServeCameraConfig *camera;
  char *id = NULL;

  if (!check_camera (config, name, source, error))
    return NULL;
  if (config->cameras->len >= MOST_CAMERAS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "there are %d cameras already, the most", MOST_CAMERAS);
    return NULL;
  }
  for (guint i = 1; !id; i++) {
    id = g_strdup_printf ("c%u", i);
    if (has_id (config, id))
      g_clear_pointer (&id, g_free);
  }
  camera = append (config, id, name, source);
  set_camera (config, camera);
  g_free (id);
  return camera;
}

void
serve_config_remove (ServeConfig *config, ServeCameraConfig *camera)
{
  char *group = g_strconcat (GROUP, camera->id, NULL);

  g_key_file_remove_group (config->file, group, NULL);
  g_ptr_array_remove (config->cameras, camera);
  g_free (group);
}

void
serve_config_free (ServeConfig *config)
{
  g_free (config->path);
  g_free (config->media);
  g_free (config->model);
  g_free (config->backend);
  g_free (config->classes);
  g_free (config->spool);
  g_ptr_array_unref (config->cameras);
  g_key_file_unref (config->file);
  g_free (config);
}

#endif
