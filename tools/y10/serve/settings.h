/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The settings of y10 serve: a key file, which the page changes. Main thread only. */

#include "camera/settings.h"
#include "serve/modelinfo.h"

typedef struct
{
  char *path;
  char *media, *model, *backend, *classes; /* or NULL */
  double confidence;                       /* 0: the default */
  char *models;               /* the folder of other models, or NULL */
  gboolean model_is_option;   /* --model was given */
  guint model_turn;           /* counts changes of the model */
  char *spool;                /* folder of events; NULL: none are kept */
  char *snapshots;            /* folder of their pictures, in it */
  guint keep_days, keep_mib;  /* of the spool; 0: no limit */
  GPtrArray *cameras;         /* ToolCameraSettings */
  ServeModelInfo *model_info; /* of that model; NULL until it is loaded */
  GKeyFile *file;
  char *saved; /* the text in the file */
} ServeSettings;

/* Reads @path; without such a file there is one camera, the demo scene. */
ServeSettings *serve_settings_load (const char *path, GError **error);
/* Writes what was changed below; on failure the key file is again as it was saved. */
gboolean serve_settings_save (ServeSettings *config, GError **error);
void serve_settings_free (ServeSettings *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ServeSettings, serve_settings_free)
/* Reads the model and what cameras say of its classes. */
gboolean serve_settings_load_model (ServeSettings *settings, GError **error);
/* Writes the path of the model; on failure the file stays as it was. */
gboolean serve_settings_keep_model (ServeSettings *settings, GError **error);
/* Fails with the field that is wrong, what was found and what was expected. Brings fields
 * that have more than one form into the one that is saved. */
gboolean serve_settings_check (const ServeSettings *settings,
    ToolCameraSettings *camera, GError **error);
/* Adds @camera, which is checked, under a new id, and takes it. This and the functions below
 * do not save. */
gboolean serve_settings_add (ServeSettings *settings,
    ToolCameraSettings *camera, GError **error);
/* Swaps all members of @camera and @other but the id. */
void serve_settings_exchange (ServeSettings *settings,
    ToolCameraSettings *camera, ToolCameraSettings *other);
/* Removes @camera from the key file. */
void serve_settings_remove (ServeSettings *settings,
    const ToolCameraSettings *camera);
/* Frees @camera, which is no longer in the key file. */
void serve_settings_drop (ServeSettings *settings, ToolCameraSettings *camera);
/* Whether the pictures of camera @id must be covered; also of one that was removed. */
gboolean serve_settings_is_private (const ServeSettings *settings,
    const char *id);
