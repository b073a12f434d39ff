/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The settings: a key file that only its owner reads, since sources have passwords. It
 * is replaced as a whole, so that a crash leaves the old one or the new one. What this
 * version does not know in it, and comments, remain. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>
#include <sys/stat.h>
#include <y10/y10.h>

#include "base/json.h"
#include "base/privatefile.h"
#include "base/readfile.h"
#include "camera/source.h"
#include "serve/settings.h"

#define MAX_FILE (8 << 20)
#define MAX_CAMERAS 64
#define MAX_NAME 64
#define MAX_SOURCE 1024
#define MAX_CLASSES 4096
#define GROUP "camera "
#define LAST_ID "last-id"
#define PRIVATE \
  "private" /* ids of cameras that had privacy when they were removed */
#define KEEP_DAYS 30
#define KEEP_MIB 256

static void
free_camera (gpointer camera)
{
  tool_camera_settings_free (camera);
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
check_classes (const ServeSettings *settings, const char *classes,
    GError **error)
{
  return !classes
      || (check_text ("list of classes", *classes ? classes : "*", MAX_CLASSES,
              error)
          && (!settings->model_info
              || serve_model_info_check_classes (settings->model_info, classes,
                  error)));
}

/* A source that cannot be opened now is the camera's failure, not the settings'. */
static gboolean
check_camera (const ServeSettings *settings, ToolCameraSettings *camera,
    gboolean open, GError **error)
{
  return check_text ("name", camera->name, MAX_NAME, error)
      && check_text ("source", camera->source, MAX_SOURCE, error)
      && ((!open && tool_source_is_file (camera->source))
          || tool_source_check (camera->source, settings->media, error))
      && tool_camera_settings_check (camera, error)
      && check_classes (settings, camera->classes, error)
      && (!camera->zones
          || serve_model_info_check_zones (settings->model_info, camera->zones,
              error));
}

gboolean
serve_settings_check (const ServeSettings *settings, ToolCameraSettings *camera,
    GError **error)
{
  return check_camera (settings, camera, TRUE, error);
}

static gboolean
is_id (const char *id)
{
  return *id && strlen (id) <= 32
      && strspn (id, G_CSET_a_2_z G_CSET_DIGITS "-") == strlen (id);
}

/* Of a key that may be left out. Returns FALSE if it is there and has another form. */
static gboolean
read_share (GKeyFile *file, const char *group, const char *key, double *value)
{
  g_autoptr (GError) problem = NULL;

  if (!g_key_file_has_key (file, group, key, NULL))
    return TRUE;
  *value = g_key_file_get_double (file, group, key, &problem);
  return !problem && *value > 0 && *value <= 1;
}

/* Without blanks around it; NULL: there is none. */
static char *
read_text (GKeyFile *file, const char *group, const char *key)
{
  char *text = g_key_file_get_string (file, group, key, NULL);

  return text ? g_strstrip (text) : NULL;
}

static gboolean
read_number (const char *text, guint most, guint *value)
{
  guint64 number = 0;
  const gboolean ok = !text
      || g_ascii_string_to_unsigned (text, 10, 1, most, &number, NULL);

  *value = (guint) number;
  return ok;
}

static gboolean
read_switch (GKeyFile *file, const char *group, const char *key,
    gboolean *value)
{
  g_autoptr (GError) problem = NULL;

  if (g_key_file_has_key (file, group, key, NULL))
    *value = g_key_file_get_boolean (file, group, key, &problem);
  return !problem;
}

/* Returns what was expected, or NULL if it is that. Free with g_free(). */
static char *
read_setting (GKeyFile *file, const char *group, const ToolSetting *s,
    ToolCameraSettings *camera)
{
  g_autofree char *text = read_text (file, group, s->name);

  switch (s->kind) {
    case TOOL_SETTING_COUNT:
      return read_number (text, s->most, &TOOL_SETTING (camera, s, guint))
          ? NULL
          : g_strdup_printf ("a %s from 1 to %u", s->name, s->most);
    case TOOL_SETTING_SHARE:
      return read_share (file, group, s->name,
                 &TOOL_SETTING (camera, s, double))
          ? NULL
          : g_strdup_printf ("a %s above 0, at most 1", s->name);
    case TOOL_SETTING_SWITCH:
      return read_switch (file, group, s->name,
                 &TOOL_SETTING (camera, s, gboolean))
          ? NULL
          : g_strdup_printf ("%s true or false", s->name);
    default:
      TOOL_SETTING (camera, s, char *) = g_steal_pointer (&text);
      return NULL;
  }
}

static gboolean
read_settings (const ServeSettings *settings, const char *group,
    ToolCameraSettings *camera, GError **error)
{
  for (const ToolSetting *s = tool_camera_settings; s->name; s++) {
    g_autofree char *expected = read_setting (settings->file, group, s, camera);

    if (!expected)
      continue;
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: [%s] expected %s",
        settings->path, group, expected);
    return FALSE;
  }
  if (!camera->name)
    camera->name = g_strdup (camera->id);
  return TRUE;
}

static gboolean
read_camera (ServeSettings *settings, const char *group, GError **error)
{
  g_autoptr (ToolCameraSettings) camera = tool_camera_settings_copy (NULL);
  gboolean ok;

  camera->id = g_strdup (group + strlen (GROUP));
  if (!read_settings (settings, group, camera, error))
    return FALSE;
  ok = is_id (camera->id);
  if (!ok)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "the id is no word of up to 32 of a-z, 0-9 and -; expected [camera ID]");
  ok = ok && check_camera (settings, camera, FALSE, error);
  if (ok)
    g_ptr_array_add (settings->cameras, g_steal_pointer (&camera));
  else
    g_prefix_error (error, "%s: [%s] ", settings->path, group);
  return ok;
}

static gboolean
read_confidence (ServeSettings *settings, GError **error)
{
  if (read_share (settings->file, "serve", "confidence", &settings->confidence))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "%s: [serve] confidence is not in the range above 0 to 1",
      settings->path);
  return FALSE;
}

static gboolean
read_count (const ServeSettings *settings, const char *name, guint *value,
    GError **error)
{
  g_autofree char *text = g_key_file_get_string (settings->file, "serve", name,
      NULL);
  guint64 count = *value;
  const gboolean ok = !text
      || g_ascii_string_to_unsigned (text, 10, 0, 100000, &count, NULL);

  *value = (guint) count;
  if (!ok)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: [serve] %s is '%s'; expected a number from 0, no limit, to 100000",
        settings->path, name, text);
  return ok;
}

/* Where events are kept: by default beside the settings. */
static gboolean
read_spool (ServeSettings *settings, GError **error)
{
  settings->spool = g_key_file_get_string (settings->file, "serve", "spool",
      NULL);
  if (!settings->spool)
    settings->spool = g_strconcat (settings->path, ".events", NULL);
  else if (!*settings->spool)
    g_clear_pointer (&settings->spool, g_free);
  if (settings->spool)
    settings->snapshots = g_build_filename (settings->spool, "snapshots", NULL);
  settings->keep_days = KEEP_DAYS;
  settings->keep_mib = KEEP_MIB;
  return read_count (settings, "keep-days", &settings->keep_days, error)
      && read_count (settings, "keep-mib", &settings->keep_mib, error);
}

static gboolean
parse (ServeSettings *settings, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (settings->file, NULL);
  gboolean ok;

  settings->media = g_key_file_get_string (settings->file, "serve", "media",
      NULL);
  settings->model = g_key_file_get_string (settings->file, "serve", "model",
      NULL);
  settings->models = g_key_file_get_string (settings->file, "serve", "models",
      NULL);
  settings->backend = g_key_file_get_string (settings->file, "serve", "backend",
      NULL);
  settings->classes = g_key_file_get_string (settings->file, "serve", "classes",
      NULL);
  ok = read_confidence (settings, error) && read_spool (settings, error);
  for (guint i = 0; ok && groups[i]; i++) {
    if (g_str_has_prefix (groups[i], GROUP))
      ok = read_camera (settings, groups[i], error);
    else if (strcmp (groups[i], "serve") != 0) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
          "%s: unknown group [%s]; expected [serve] or [camera ID]",
          settings->path, groups[i]);
      ok = FALSE;
    }
  }
  if (ok && settings->cameras->len > MAX_CAMERAS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: %u cameras; expected at most %d", settings->path,
        settings->cameras->len, MAX_CAMERAS);
    ok = FALSE;
  }
  return ok;
}

static void
set_text (GKeyFile *file, const char *group, const char *key, const char *value)
{
  if (value)
    g_key_file_set_string (file, group, key, value);
  else
    g_key_file_remove_key (file, group, key, NULL);
}

static void
set_camera (ServeSettings *settings, const ToolCameraSettings *camera)
{
  g_autofree char *group = g_strconcat (GROUP, camera->id, NULL);

  for (const ToolSetting *s = tool_camera_settings; s->name; s++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *text = NULL;

    if (tool_setting_is_text (s))
      text = TOOL_SETTING (camera, s, char *);
    else if (s->kind == TOOL_SETTING_SHARE
        && TOOL_SETTING (camera, s, double) > 0)
      text = y10_json_format_double (TOOL_SETTING (camera, s, double), number);
    else if (s->kind == TOOL_SETTING_SWITCH
        && TOOL_SETTING (camera, s, gboolean))
      text = "true";
    else if (s->kind == TOOL_SETTING_COUNT && TOOL_SETTING (camera, s, guint)) {
      g_snprintf (number, sizeof number, "%u", TOOL_SETTING (camera, s, guint));
      text = number;
    }
    set_text (settings->file, group, s->name, text);
  }
  /* Of earlier versions, which asked a clock. */
  g_key_file_remove_key (settings->file, group, "private-since", NULL);
}

/* Without settings there is one camera. */
static void
add_demo (ServeSettings *settings)
{
  ToolCameraSettings *camera = tool_camera_settings_copy (NULL);

  camera->id = g_strdup ("demo");
  camera->name = g_strdup ("Demo");
  camera->source = g_strdup ("demo");
  g_ptr_array_add (settings->cameras, camera);
  set_camera (settings, camera);
}

ServeSettings *
serve_settings_load (const char *path, GError **error)
{
  g_autoptr (ServeSettings) settings = g_new0 (ServeSettings, 1);
  g_autoptr (GError) problem = NULL;
  struct stat status;
  gsize size;
  g_autofree char *text = tool_read_file (path, MAX_FILE, &size, &problem);

  settings->path = g_strdup (path);
  settings->file = g_key_file_new ();
  settings->cameras = g_ptr_array_new_with_free_func (free_camera);
  if (g_error_matches (problem, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
    add_demo (settings);
    read_spool (settings, NULL);
  } else if (!text) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return NULL;
  } else if (!g_key_file_load_from_data (settings->file, text, size,
                 G_KEY_FILE_KEEP_COMMENTS, &problem)) {
    g_propagate_prefixed_error (error, g_steal_pointer (&problem),
        "%s: ", path);
    return NULL;
  } else if (stat (path, &status) == 0 && status.st_mode & 077) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: others may read it, and it can have passwords; run chmod 600 on it",
        path);
    return NULL;
  } else if (!parse (settings, error)) {
    return NULL;
  }
  settings->saved = g_key_file_to_data (settings->file, NULL, NULL);
  return g_steal_pointer (&settings);
}

gboolean
serve_settings_save (ServeSettings *settings, GError **error)
{
  g_autofree char *text = g_key_file_to_data (settings->file, NULL, NULL);
  const gboolean ok = tool_write_private (settings->path, text, error);

  if (ok) {
    g_free (settings->saved);
    settings->saved = g_steal_pointer (&text);
    return TRUE;
  }
  g_key_file_load_from_data (settings->file, settings->saved, G_MAXSIZE,
      G_KEY_FILE_KEEP_COMMENTS, NULL);
  return FALSE;
}

gboolean
serve_settings_keep_model (ServeSettings *settings, GError **error)
{
  set_text (settings->file, "serve", "model", settings->model);
  return serve_settings_save (settings, error);
}

static gboolean
has_id (const ServeSettings *settings, const char *id)
{
  for (guint i = 0; i < settings->cameras->len; i++) {
    const ToolCameraSettings *camera = settings->cameras->pdata[i];

    if (!strcmp (camera->id, id))
      return TRUE;
  }
  return FALSE;
}

gboolean
serve_settings_load_model (ServeSettings *settings, GError **error)
{
  settings->model_info = serve_model_info_load (settings->model, FALSE, error);
  if (!settings->model_info)
    return FALSE;
  if (!check_classes (settings, settings->classes, error)) {
    g_prefix_error (error, "%s: [serve] ", settings->path);
    return FALSE;
  }
  for (guint i = 0; i < settings->cameras->len; i++) {
    const ToolCameraSettings *camera = settings->cameras->pdata[i];

    if (!check_classes (settings, camera->classes, error)
        || (camera->zones
            && !serve_model_info_check_zones (settings->model_info,
                camera->zones, error))) {
      g_prefix_error (error, "%s: [" GROUP "%s] ", settings->path, camera->id);
      return FALSE;
    }
  }
  return TRUE;
}

/* No id is given twice: events have those of cameras that are gone. */
gboolean
serve_settings_add (ServeSettings *settings, ToolCameraSettings *camera,
    GError **error)
{
  int last = g_key_file_get_integer (settings->file, "serve", LAST_ID, NULL);

  if (settings->cameras->len >= MAX_CAMERAS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "there are %d cameras already, the most", MAX_CAMERAS);
    tool_camera_settings_free (camera);
    return FALSE;
  }
  while (!camera->id) {
    last = CLAMP (last, 0, G_MAXINT - 1) + 1;
    camera->id = g_strdup_printf ("c%d", last);
    if (has_id (settings, camera->id))
      g_clear_pointer (&camera->id, g_free);
  }
  g_key_file_set_integer (settings->file, "serve", LAST_ID, last);
  g_ptr_array_add (settings->cameras, camera);
  set_camera (settings, camera);
  return TRUE;
}

void
serve_settings_exchange (ServeSettings *settings, ToolCameraSettings *camera,
    ToolCameraSettings *other)
{
  const ToolCameraSettings old = *camera;
  char *const id = other->id;

  *camera = *other;
  camera->id = old.id;
  *other = old;
  other->id = id;
  set_camera (settings, camera);
}

static char **
list_private (const ServeSettings *settings, gsize *n)
{
  char **ids = g_key_file_get_string_list (settings->file, "serve", PRIVATE, n,
      NULL);

  return ids ? ids : g_new0 (char *, 1);
}

/* Its pictures stay, and so does what they may show. */
static void
note_private (ServeSettings *settings, const char *id)
{
  gsize n = 0;
  g_auto (GStrv) ids = list_private (settings, &n);

  if (!g_strv_contains ((const char *const *) ids, id)) {
    ids = g_renew (char *, ids, n + 2);
    ids[n] = g_strdup (id);
    ids[n + 1] = NULL;
    g_key_file_set_string_list (settings->file, "serve", PRIVATE,
        (const char *const *) ids, n + 1);
  }
}

void
serve_settings_remove (ServeSettings *settings,
    const ToolCameraSettings *camera)
{
  g_autofree char *group = g_strconcat (GROUP, camera->id, NULL);

  g_key_file_remove_group (settings->file, group, NULL);
  if (camera->privacy)
    note_private (settings, camera->id);
}

void
serve_settings_drop (ServeSettings *settings, ToolCameraSettings *camera)
{
  g_ptr_array_remove (settings->cameras, camera);
}

gboolean
serve_settings_is_private (const ServeSettings *settings, const char *id)
{
  gsize n;
  g_auto (GStrv) ids = NULL;

  for (guint i = 0; i < settings->cameras->len; i++) {
    const ToolCameraSettings *camera = settings->cameras->pdata[i];

    if (!strcmp (camera->id, id))
      return camera->privacy;
  }
  ids = list_private (settings, &n);
  return g_strv_contains ((const char *const *) ids, id);
}

void
serve_settings_free (ServeSettings *settings)
{
  g_free (settings->path);
  g_free (settings->media);
  g_free (settings->model);
  g_free (settings->models);
  g_free (settings->backend);
  g_free (settings->classes);
  g_free (settings->spool);
  g_clear_pointer (&settings->model_info, serve_model_info_free);
  g_free (settings->snapshots);
  g_ptr_array_unref (settings->cameras);
  g_key_file_unref (settings->file);
  g_free (settings->saved);
  g_free (settings);
}

#endif
