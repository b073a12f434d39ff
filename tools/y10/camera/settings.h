/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What can be set of a camera. Each setting is a row of a table, by which it is copied, read,
 * written, compared and applied. */

#include "base/address.h"

/* NULL, 0 and FALSE: the default. */
typedef struct
{
  char *id;                 /* for paths; never changes, and is no setting */
  char *name;               /* any text, in UTF-8 */
  char *source;             /* as in camera/source.h; a secret */
  ToolRemoteOptions remote; /* its texts are owned here */
  char *classes, *tiles, *zones; /* as those of the elements */
  double confidence;
  gboolean privacy; /* what is detected is covered in whatever leaves */
} ToolCameraSettings;

typedef enum
{
  TOOL_SETTING_TEXT,  /* char * */
  TOOL_SETTING_JSON,  /* char *: text, or an object of JSON */
  TOOL_SETTING_COUNT, /* guint, from 1 to the row's most; 0: the default */
  TOOL_SETTING_SHARE, /* double, above 0, at most 1; 0: the default */
  TOOL_SETTING_SWITCH /* gboolean */
} ToolSettingKind;

typedef enum
{
  TOOL_SETTING_SECRET = 1 << 0, /* is read, and never told */
  TOOL_SETTING_REOPENS = 1 << 1 /* takes another pipeline */
} ToolSettingFlags;

typedef struct
{
  const char *name; /* in the file, in requests and in the page's form */
  ToolSettingKind kind;
  gsize offset; /* of its member */
  ToolSettingFlags flags;
  const char
      *element; /* in the pipeline, that has a property of this name; or NULL */
  guint most;   /* of a count */
  const char *form; /* of JSON, for messages */
  /* (nullable): checks a text, which is not NULL, and may bring it into one form. */
  gboolean (*check) (char **text, GError **error);
} ToolSetting;

/* The last one has no name. */
extern const ToolSetting tool_camera_settings[];

#define TOOL_SETTING(SETTINGS, SETTING, TYPE) \
  G_STRUCT_MEMBER (TYPE, (gpointer) (SETTINGS), (SETTING)->offset)

/* Whether it is a char *. */
gboolean tool_setting_is_text (const ToolSetting *setting);
gboolean tool_setting_is_same (const ToolSetting *setting,
    const ToolCameraSettings *a, const ToolCameraSettings *b);

/* Returns a copy without an id of its own; of nothing if @settings is NULL. */
ToolCameraSettings *tool_camera_settings_copy (
    const ToolCameraSettings *settings);
void tool_camera_settings_free (ToolCameraSettings *settings);
/* Calls the check of each row whose text is set. */
gboolean tool_camera_settings_check (ToolCameraSettings *settings,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ToolCameraSettings, tool_camera_settings_free)
