/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What y10 serve is to do: one key file, which the page writes back. */

#include "camera/settings.h"
#include "serve/modelinfo.h"

typedef struct
{
  char *path;
  char *media, *model, *backend, *classes; /* or NULL */
  double confidence;                       /* 0: the default */
  char *models;              /* the folder of other models, or NULL */
  gboolean model_is_option;  /* not that of the file */
  guint model_turn;          /* counts changes of it */
  char *spool;               /* a folder; NULL: no events are kept */
  char *snapshots;           /* in it, of events */
  guint keep_days, keep_mib; /* of the spool; 0: no limit */
  GPtrArray *cameras;        /* ToolCameraSettings */
  ServeModelInfo *known;     /* of that model; NULL until it is loaded */
  GKeyFile *file;
  char *saved; /* what the file has */
} ServeConfig;

/* Reads @path; without such a file there is one camera, the demo scene. */
ServeConfig *serve_config_load (const char *path, GError **error);
/* Writes what was changed below; on failure the key file is again as it was saved. */
gboolean serve_config_save (ServeConfig *config, GError **error);
void serve_config_free (ServeConfig *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ServeConfig, serve_config_free)
/* Reads the model and what cameras say of its classes. */
gboolean serve_config_load_model (ServeConfig *config, GError **error);
/* Has the file name the model; on failure it stays as it was. */
gboolean serve_config_keep_model (ServeConfig *config, GError **error);
/* Says which field is wrong, what was found and what was expected. Fields that have more
 * than one form get the one that is kept. */
gboolean serve_config_check (const ServeConfig *config,
    ToolCameraSettings *camera, GError **error);
/* Adds @camera, which is checked, under a new id, and takes it. Of this and what follows,
 * nothing is saved. */
gboolean serve_config_add (ServeConfig *config, ToolCameraSettings *camera,
    GError **error);
/* Exchanges what @camera and @other say, but for the id. */
void serve_config_exchange (ServeConfig *config, ToolCameraSettings *camera,
    ToolCameraSettings *other);
/* Removes @camera from the key file. */
void serve_config_remove (ServeConfig *config,
    const ToolCameraSettings *camera);
/* Frees @camera, which is in the key file no more. */
void serve_config_drop (ServeConfig *config, ToolCameraSettings *camera);
/* Whether the camera @id, also one that was removed, may show only what is covered. */
gboolean serve_config_is_private (const ServeConfig *config, const char *id);
