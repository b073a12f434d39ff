/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What y10 serve is to do: one key file, which the page writes back. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *id;     /* for paths; never changes */
  char *name;   /* any text, in UTF-8 */
  char *source; /* as in camera/source.h; a secret */
} ServeCameraConfig;

typedef struct
{
  char *path;
  char *media, *model, *backend, *classes; /* or NULL */
  double confidence;                       /* 0: the default */
  char *spool;               /* a folder; NULL: no events are kept */
  guint keep_days, keep_mib; /* of the spool; 0: no limit */
  GPtrArray *cameras;        /* ServeCameraConfig */
  GKeyFile *file;
} ServeConfig;

/* Reads @path; without such a file there is one camera, the demo scene. */
ServeConfig *serve_config_load (const char *path, GError **error);
gboolean serve_config_save (ServeConfig *config, GError **error);
void serve_config_free (ServeConfig *config);
/* Checks and adds a camera, without saving. The result belongs to @config. */
ServeCameraConfig *serve_config_add (ServeConfig *config, const char *name,
    const char *source, GError **error);
void serve_config_remove (ServeConfig *config, ServeCameraConfig *camera);
/* Replaces the file by @text, readable by its owner only. */
gboolean serve_write_private (const char *path, const char *text,
    GError **error);

G_END_DECLS
